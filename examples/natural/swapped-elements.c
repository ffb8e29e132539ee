// Two elements that inputs choose change places: the sum stays, and both are where the other one was.
//~ verdict: true
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int items[4] = {3, 1, 4, 1};
    int first = __VERIFIER_nondet_int(), second = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= first && first < 4 && 0 <= second && second < 4);
    int left = items[first], right = items[second];
    items[first] = right;
    items[second] = left;
    assert(items[0] + items[1] + items[2] + items[3] == 9);
    assert(items[first] == right && items[second] == left);
    return 0;
}
