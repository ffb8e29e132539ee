// The integer square root of a 16-bit number, bit by bit, is the largest number whose square does not exceed it.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned short __VERIFIER_nondet_ushort(void);

static uint16_t isqrt(uint16_t x) {
    uint16_t root = 0;
    for (uint16_t bit = 1 << 14; bit != 0; bit >>= 2) {
        if (x >= root + bit) {
            x = (uint16_t)(x - (root + bit));
            root = (uint16_t)((root >> 1) + bit);
        } else {
            root >>= 1;
        }
    }
    return root;
}

int main(void) {
    uint16_t x = __VERIFIER_nondet_ushort();
    uint32_t root = isqrt(x);
    assert(root * root <= x);
    assert((root + 1) * (root + 1) > x);
    return 0;
}
