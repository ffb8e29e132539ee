// An element of a table that an input chooses: every entry keeps what the table promises.
//~ verdict: true
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static const int powers[8] = {1, 2, 4, 8, 16, 32, 64, 128};

int main(void) {
    int at = __VERIFIER_nondet_int(), counts[8];
    __VERIFIER_assume(0 <= at && at < 8);
    for (int i = 0; i < 8; i++) {
        counts[i] = 0;
    }
    counts[at]++;
    counts[7 - at]++;
    int total = 0;
    for (int i = 0; i < 8; i++) {
        total += counts[i];
    }
    assert(total == 2);
    assert(powers[at] == 1 << at);
    return 0;
}
