// [BDW18], Figure 2 with a loop condition that may be anything: bounded model checking cannot end, k-induction proves
// it with k = 1.
//~ verdict: true
extern int __VERIFIER_nondet_int(void);
int main() {
    unsigned int x = 0;
    unsigned int y = 0;
    while (__VERIFIER_nondet_int()) {
        x++;
        y++;
        if (x != y) {
            ERROR: return 1;
        }
    }
    return 0;
}
