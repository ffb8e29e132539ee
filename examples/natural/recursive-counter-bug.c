// The same recursion, which forgets a leaf at the largest depth.
//~ verdict: false
//~ inputs: 3
#include <assert.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

static int calls;

static void visit(int depth, int *leaves) {
    calls++;
    if (depth == 0) {
        if (calls != 12) ++*leaves;
        return;
    }
    visit(depth - 1, leaves);
    visit(depth - 1, leaves);
}

int main(void) {
    int depth = __VERIFIER_nondet_int(), leaves = 0;
    __VERIFIER_assume(0 <= depth && depth <= 3);
    calls = 0;
    visit(depth, &leaves);
    assert(leaves == 1 << depth);
    return 0;
}
