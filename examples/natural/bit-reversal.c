// Reversing the bits of a word by swapping halves is what a loop over the bits does, and its own inverse.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

static uint32_t reverse(uint32_t x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    x = (x >> 8 & 0x00ff00ff) | (x & 0x00ff00ff) << 8;
    return x >> 16 | x << 16;
}

static uint32_t reverse_naive(uint32_t x) {
    uint32_t result = 0;
    for (int i = 0; i < 32; i++) {
        result = result << 1 | (x & 1);
        x >>= 1;
    }
    return result;
}

int main(void) {
    uint32_t x = __VERIFIER_nondet_uint();
    assert(reverse(x) == reverse_naive(x));
    assert(reverse(reverse(x)) == x);
    return 0;
}
