// A first proof: whatever the inputs are, the larger of two numbers is not below either of them.
//~ verdict: true
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int max(int a, int b) {
    return a > b ? a : b;
}

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int m = max(a, b);
    if (m < a || m < b) {
        reach_error();
    }
    return 0;
}
