// The error is only reached after an access outside the array.
//~ verdict: unknown
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int table[4];

int main(void) {
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 4) {
        return 0;
    }
    table[i] = 1;
    if (i == 4) {
        reach_error();
    }
    return 0;
}
