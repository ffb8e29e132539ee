// Two elements change places by sums: nothing is left of an element that changes places with itself.
//~ verdict: false
//~ inputs: 2 2
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int items[4] = {3, 1, 4, 1};
    int first = __VERIFIER_nondet_int(), second = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= first && first < 4 && 0 <= second && second < 4);
    items[first] ^= items[second];
    items[second] ^= items[first];
    items[first] ^= items[second];
    assert(items[0] + items[1] + items[2] + items[3] == 9);
    return 0;
}
