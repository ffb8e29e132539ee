// One branch makes x smaller, the other one exchanges x and y: no number decreases in every iteration, but any sequence
// of iterations decreases x, y or their sum.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    while (0 < x && x < 1000 && 0 < y && y < 1000) {
        int old = x;
        if (__VERIFIER_nondet_int()) {
            x = x - 1;
            y = old;
        } else {
            x = y - 2;
            y = old + 1;
        }
    }
    return 0;
}
