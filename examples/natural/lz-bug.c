// The same decompressor without the test that a match begins in the output: it reads before the buffer.
//~ verdict: false
//~ property: valid-deref
#include <stddef.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);

#define INPUT 6
#define OUTPUT 16

// The number of bytes that were written, or -1.
static int decompress(const uint8_t *in, int in_size, uint8_t *out, int out_size) {
    const uint8_t *end = in + in_size;
    uint8_t *to = out, *out_end = out + out_size;
    while (in < end) {
        unsigned token = *in++;
        size_t literals = token >> 4;
        if (literals == 15) {
            unsigned more;
            do {
                if (in >= end) {
                    return -1;
                }
                more = *in++;
                literals += more;
            } while (more == 255);
        }
        if (literals > (size_t)(end - in) || literals > (size_t)(out_end - to)) {
            return -1;
        }
        while (literals-- > 0) {
            *to++ = *in++;
        }
        if (in == end) {
            return (int)(to - out);
        }
        if (end - in < 2) {
            return -1;
        }
        size_t offset = in[0] | (size_t)in[1] << 8;
        in += 2;
        if (offset == 0) {
            return -1;
        }
        size_t length = (token & 15) + 4;
        if (length > (size_t)(out_end - to)) {
            return -1;
        }
        const uint8_t *from = to - offset;
        while (length-- > 0) {
            *to++ = *from++;
        }
    }
    return -1;
}

int main(void) {
    uint8_t in[INPUT], out[OUTPUT];
    for (int i = 0; i < INPUT; i++) {
        in[i] = __VERIFIER_nondet_uchar();
    }
    decompress(in, INPUT, out, OUTPUT);
    return 0;
}
