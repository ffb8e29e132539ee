// What LZ4 decompresses from arbitrary bytes: it never leaves its buffers.
#include "lz4.c"

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    char in[INPUT], out[OUTPUT];
    for (int i = 0; i < INPUT; i++) {
        in[i] = (char)__VERIFIER_nondet_uchar();
    }
    LZ4_decompress_safe(in, out, INPUT, OUTPUT);
    return 0;
}
