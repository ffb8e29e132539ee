// Whether a window around a place lies in the buffer: the wrong way to ask.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    char buffer[64];
    unsigned char place = __VERIFIER_nondet_uchar() % 64;
    unsigned char size = __VERIFIER_nondet_uchar() % 16;
    char *start = buffer + place;
    return start + size <= buffer + 64;
}
