// The same loops, of which the second one begins at the wrong end.
//~ verdict: false
//~ inputs: 2
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);

int main(void) {
    int count = __VERIFIER_nondet_int();
    __VERIFIER_assume(1 <= count && count <= 8);
    int *items = malloc((size_t)count * sizeof *items);
    if (items == NULL) return 0;
    for (int i = 0; i < count; i++) {
        items[i] = 2 * i;
    }
    for (int i = 0; i < count; i++) {
        assert(items[count - 1 - i] == 2 * i);
    }
    free(items);
    return 0;
}
