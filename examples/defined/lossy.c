// The length of a message in one byte.
extern unsigned short __VERIFIER_nondet_ushort(void);

int main(void) {
    unsigned short length = __VERIFIER_nondet_ushort();
    if (length > 256) {
        return 0;
    }
    unsigned char header = length;
    return header == 0;
}
