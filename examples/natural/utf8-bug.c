// A decoder of UTF-8 that does not refuse overlong forms: two byte sequences for one character.
//~ verdict: false
//~ inputs: 193 129 0
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static int decode(const uint8_t *in, uint32_t *point) {
    if (in[0] < 0x80) {
        *point = in[0];
        return 1;
    }
    if ((in[0] & 0xe0) == 0xc0 && (in[1] & 0xc0) == 0x80) {
        *point = (in[0] & 0x1fu) << 6 | (in[1] & 0x3f);
        return 2;
    }
    if ((in[0] & 0xf0) == 0xe0 && (in[1] & 0xc0) == 0x80 && (in[2] & 0xc0) == 0x80) {
        *point = (in[0] & 0xfu) << 12 | (in[1] & 0x3fu) << 6 | (in[2] & 0x3f);
        return *point < 0x800 ? -1 : 3;
    }
    return -1;
}

int main(void) {
    uint8_t bytes[3];
    for (int i = 0; i < 3; i++) {
        bytes[i] = __VERIFIER_nondet_uchar();
    }
    uint32_t point;
    int length = decode(bytes, &point);
    if (length == 2) {
        assert(point >= 0x80);
    }
    return 0;
}
