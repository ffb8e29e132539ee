// Adler-32 with one division at the end gives what the definition gives, for up to six bytes.
//~ verdict: true
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

#define MODULUS 65521u
#define MOST 6

static uint32_t adler32(const uint8_t *data, size_t length) {
    uint32_t low = 1, high = 0;
    while (length--) {
        low += *data++;
        high += low;
    }
    return (high % MODULUS) << 16 | low % MODULUS;
}

static uint32_t adler32_naive(const uint8_t *data, size_t length) {
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < length; i++) {
        low = (low + data[i]) % MODULUS;
        high = (high + low) % MODULUS;
    }
    return high << 16 | low;
}

int main(void) {
    uint8_t data[MOST];
    unsigned length = __VERIFIER_nondet_uint();
    __VERIFIER_assume(length <= MOST);
    for (unsigned i = 0; i < length; i++) {
        data[i] = __VERIFIER_nondet_uchar();
    }
    assert(adler32(data, length) == adler32_naive(data, length));
    return 0;
}
