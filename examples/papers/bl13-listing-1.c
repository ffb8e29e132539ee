// [BL13], Listing 1.1: a value analysis that tracks all variables counts `ticks` for ever; one with CEGAR finds out
// that only `flag` matters.
//~ verdict: true
extern int system_call();
int main(int x) {
    int flag = 0, ticks = 0, result;
    while (1) {
        ticks = ticks + 1; result = system_call();
        if (result == 0 || ticks > x) { break; }
    }
    if (flag > 0) { ERROR: return 1; }
}
