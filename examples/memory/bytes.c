// Memory is bytes: the first byte of a little-endian number is its lowest one.
//~ verdict: true
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void) {
    unsigned number = __VERIFIER_nondet_uint();
    unsigned char *bytes = (unsigned char *)&number;
    bytes[3] = 0;
    if (number > 0xffffff) {
        reach_error();
    }
    return bytes[0] == (number & 0xff) ? 0 : 1;
}
