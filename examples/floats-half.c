// But addition is monotone: for numbers that are not NaN, x <= y implies x + z <= y + z or the sums are NaN.
//~ verdict: true
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void) {
    float x = __VERIFIER_nondet_float();
    float y = __VERIFIER_nondet_float();
    float z = __VERIFIER_nondet_float();
    if (x <= y) {
        float a = x + z;
        float b = y + z;
        if (a > b) {
            reach_error();
        }
    }
    return 0;
}
