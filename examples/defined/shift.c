// One bit of a mask.
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char bit = __VERIFIER_nondet_uchar();
    if (bit >= 32) {
        return 0;
    }
    int mask = 1 << bit;
    return mask == 0;
}
