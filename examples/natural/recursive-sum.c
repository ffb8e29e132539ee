// A recursive sum over an array gives what a loop gives.
//~ verdict: true
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

#define COUNT 5

static unsigned sum(const unsigned *items, int count) {
    return count == 0 ? 0 : items[0] + sum(items + 1, count - 1);
}

int main(void) {
    unsigned items[COUNT], expected = 0;
    int count = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= count && count <= COUNT);
    for (int i = 0; i < count; i++) {
        items[i] = (unsigned)__VERIFIER_nondet_int();
        expected += items[i];
    }
    assert(sum(items, count) == expected);
    return 0;
}
