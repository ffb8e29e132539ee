// [FTSRG22], Figure 5: values cannot express `x != 0`, even if `x` is tracked.
//~ verdict: true
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x != 0) {
        assert(x != 0);
    }
}
