// Saturating arithmetic on fixed-point numbers (Q8.8): sums stay in range and are exact where they fit.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern short __VERIFIER_nondet_short(void);

typedef int16_t fixed;

static fixed saturate(int32_t x) {
    return (fixed)(x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x);
}

static fixed add(fixed a, fixed b) {
    return saturate((int32_t)a + b);
}

static fixed multiply(fixed a, fixed b) {
    int32_t product = (int32_t)a * b;
    return saturate((product + (product >= 0 ? 128 : -128)) / 256);
}

int main(void) {
    fixed a = __VERIFIER_nondet_short(), b = __VERIFIER_nondet_short();
    fixed sum = add(a, b);
    int exact = a + b;
    if (exact == (fixed)exact) {
        assert(sum == exact);
    } else {
        assert(sum == (a < 0 ? INT16_MIN : INT16_MAX));
    }
    assert(multiply(a, 256) == a);
    assert(multiply(a, b) == multiply(b, a));
    return 0;
}
