// The largest of some numbers, of which there may be none.
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int count = __VERIFIER_nondet_int();
    int largest;
    for (int i = 0; i < count; i++) {
        int number = __VERIFIER_nondet_int();
        if (i == 0 || number > largest) {
            largest = number;
        }
    }
    return largest > 0;
}
