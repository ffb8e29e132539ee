// A counter in steps of two never meets an odd number, however long the loop runs. Every bound on the counter is
// useless here; that it stays even is all that a proof needs.
//~ verdict: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static unsigned next(unsigned n) {
    return n + 2;
}

int main(void) {
    unsigned n = 4;
    while (__VERIFIER_nondet_int()) {
        n = next(n);
        if (n == 7) {
            reach_error();
        }
    }
    return 0;
}
