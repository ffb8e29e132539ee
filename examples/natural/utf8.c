// UTF-8: every code point that is written is read back, and is as long as it should be.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

static int encode(uint32_t point, uint8_t *out) {
    if (point < 0x80) {
        out[0] = (uint8_t)point;
        return 1;
    }
    int length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (int i = length - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (point & 0x3f));
        point >>= 6;
    }
    out[0] = (uint8_t)((0xf00 >> length & 0xff) | point);
    return length;
}

// The length of the first character, or -1 if it is not one.
static int decode(const uint8_t *in, int size, uint32_t *point) {
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (size < 1) return -1;
    uint8_t first = in[0];
    if (first < 0x80) {
        *point = first;
        return 1;
    }
    int length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc0 || first >= 0xf8 || size < length) return -1;
    uint32_t value = first & (0x7f >> length);
    for (int i = 1; i < length; i++) {
        if ((in[i] & 0xc0) != 0x80) return -1;
        value = value << 6 | (in[i] & 0x3f);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return -1;
    *point = value;
    return length;
}

int main(void) {
    uint32_t point = __VERIFIER_nondet_uint(), back = 0;
    __VERIFIER_assume(point <= 0x10ffff && !(point >= 0xd800 && point < 0xe000));
    uint8_t bytes[4];
    int length = encode(point, bytes);
    assert(decode(bytes, length, &back) == length);
    assert(back == point);
    return 0;
}
