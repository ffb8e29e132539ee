// Zigzag numbers in a buffer of four bytes: large ones take five.
//~ verdict: false
//~ property: valid-deref
//~ inputs: 200000000
#include <stdint.h>

extern int __VERIFIER_nondet_int(void);

static int encode(uint32_t value, uint8_t *out) {
    int size = 0;
    while (value >= 0x80) {
        out[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[size++] = (uint8_t)value;
    return size;
}

int main(void) {
    uint8_t bytes[4];
    int value = __VERIFIER_nondet_int();
    uint32_t zigzag = (uint32_t)value << 1 ^ (uint32_t)(value >> 31);
    return encode(zigzag, bytes) == 0;
}
