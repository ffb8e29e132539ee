// The same table with one wrong entry.
//~ verdict: false
//~ inputs: 6
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static const int powers[8] = {1, 2, 4, 8, 16, 32, 46, 128};

int main(void) {
    int at = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= at && at < 8);
    assert(powers[at] == 1 << at);
    return 0;
}
