// A first bug: the average of two numbers that are not negative should not be negative, but the sum may overflow.
// Argonaut shows inputs for which it does.
//~ verdict: false
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int average(int a, int b) {
    return (a + b) / 2;
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    if (a >= 0 && b >= 0 && average(a, b) < 0) {
        reach_error();
    }
    return 0;
}
