// Numbers of 32 bits as one to five bytes of seven bits each, and back.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);

static int encode(uint32_t value, uint8_t *out) {
    int size = 0;
    while (value >= 0x80) {
        out[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[size++] = (uint8_t)value;
    return size;
}

static int decode(const uint8_t *in, int size, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < size; i++) {
        *value |= (uint32_t)(in[i] & 0x7f) << (7 * i);
        if (in[i] < 0x80) return i + 1;
    }
    return -1;
}

int main(void) {
    uint8_t bytes[5];
    uint32_t value = __VERIFIER_nondet_uint(), back;
    int size = encode(value, bytes);
    assert(1 <= size && size <= 5);
    assert(decode(bytes, size, &back) == size && back == value);
    return 0;
}
