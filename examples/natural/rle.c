// Run-length coding: pairs of a count and a byte, and back to the same bytes.
//~ verdict: true
#include <assert.h>
#include <stdint.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

#define MOST 5

static int encode(const uint8_t *in, int size, uint8_t *out) {
    int written = 0;
    for (int i = 0; i < size;) {
        int run = 1;
        while (i + run < size && in[i + run] == in[i] && run < 255) run++;
        out[written++] = (uint8_t)run;
        out[written++] = in[i];
        i += run;
    }
    return written;
}

static int decode(const uint8_t *in, int size, uint8_t *out, int room) {
    int written = 0;
    for (int i = 0; i + 1 < size; i += 2) {
        for (int run = in[i]; run > 0; run--) {
            if (written == room) return -1;
            out[written++] = in[i + 1];
        }
    }
    return written;
}

int main(void) {
    uint8_t data[MOST], packed[2 * MOST], back[MOST];
    unsigned size = __VERIFIER_nondet_uint();
    __VERIFIER_assume(size <= MOST);
    for (unsigned i = 0; i < size; i++) {
        data[i] = __VERIFIER_nondet_uchar();
    }
    int length = encode(data, (int)size, packed);
    assert(length <= 2 * MOST);
    assert(decode(packed, length, back, MOST) == (int)size);
    for (unsigned i = 0; i < size; i++) {
        assert(back[i] == data[i]);
    }
    return 0;
}
