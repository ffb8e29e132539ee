// The same digits read with an offset that is wrong for capital letters.
//~ verdict: false
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define BYTES 4

static void to_hex(const uint8_t *in, int count, char *out) {
    static const char digits[] = "0123456789abcdeF";
    for (int i = 0; i < count; i++) {
        *out++ = digits[in[i] >> 4];
        *out++ = digits[in[i] & 15];
    }
    *out = '\0';
}

static int digit(char c) {
    switch (c) {
    case '0' ... '9': return c - '0';
    case 'a' ... 'f': return c - 'a' + 10;
    case 'A' ... 'F': return c - 'A' + 11;
    default: return -1;
    }
}

static int from_hex(const char *in, uint8_t *out) {
    int count = 0;
    while (in[0] != '\0' && in[1] != '\0') {
        int high = digit(in[0]), low = digit(in[1]);
        if (high < 0 || low < 0) return -1;
        out[count++] = (uint8_t)(high << 4 | low);
        in += 2;
    }
    return *in == '\0' ? count : -1;
}

int main(void) {
    uint8_t bytes[BYTES], back[BYTES];
    char text[2 * BYTES + 1];
    for (int i = 0; i < BYTES; i++) {
        bytes[i] = __VERIFIER_nondet_uchar();
    }
    to_hex(bytes, BYTES, text);
    assert(from_hex(text, back) == BYTES);
    for (int i = 0; i < BYTES; i++) {
        assert(back[i] == bytes[i]);
    }
    return 0;
}
