// But rounding is monotone: halving a number between 0 and 1 never gives a larger one, not even among the tiny numbers
// that have no exact half.
//~ verdict: true
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void) {
    float x = __VERIFIER_nondet_float();
    if (x >= 0.0f && x <= 1.0f) {
        float half = x / 2.0f;
        if (half > x) {
            reach_error();
        }
    }
    return 0;
}
