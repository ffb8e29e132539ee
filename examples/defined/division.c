// The average of numbers, of which there may be none.
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned count = __VERIFIER_nondet_uint() % 100;
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++) {
        sum += __VERIFIER_nondet_uint() % 1000;
    }
    return sum / count > 1000;
}
