// Counting bits in parallel, by clearing the lowest one, and one by one.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int parallel(uint32_t x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return (int)(x * 0x01010101 >> 24);
}

static int clearing(uint32_t x) {
    int count = 0;
    for (; x != 0; x &= x - 1) count++;
    return count;
}

static int naive(uint32_t x) {
    int count = 0;
    for (int i = 0; i < 32; i++) count += x >> i & 1;
    return count;
}

int main(void) {
    uint32_t x = __VERIFIER_nondet_uint();
    int count = naive(x);
    assert(parallel(x) == count);
    assert(clearing(x & 0xff) == naive(x & 0xff));
    return 0;
}
