// Only points on one line are never left.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    while (x == 3 * y + 7) {
        x = x + 3;
        y = y + 1;
    }
    return 0;
}
