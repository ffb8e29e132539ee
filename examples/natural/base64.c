// Base64: three bytes become four letters, and these the same three bytes.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const uint8_t *in, char *out) {
    out[0] = letters[in[0] >> 2];
    out[1] = letters[(in[0] & 3) << 4 | in[1] >> 4];
    out[2] = letters[(in[1] & 15) << 2 | in[2] >> 6];
    out[3] = letters[in[2] & 63];
}

static int value(char letter) {
    if (letter >= 'A' && letter <= 'Z') return letter - 'A';
    if (letter >= 'a' && letter <= 'z') return letter - 'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - '0' + 52;
    if (letter == '+') return 62;
    if (letter == '/') return 63;
    return -1;
}

static int decode(const char *in, uint8_t *out) {
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) {
        int six = value(in[i]);
        if (six < 0) return -1;
        bits = bits << 6 | (uint32_t)six;
    }
    for (int i = 0; i < 3; i++) {
        out[i] = (uint8_t)(bits >> (16 - 8 * i));
    }
    return 0;
}

int main(void) {
    uint8_t in[3], back[3];
    char text[4];
    for (int i = 0; i < 3; i++) {
        in[i] = __VERIFIER_nondet_uchar();
    }
    encode(in, text);
    assert(decode(text, back) == 0);
    for (int i = 0; i < 3; i++) {
        assert(back[i] == in[i]);
    }
    return 0;
}
