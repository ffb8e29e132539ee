// A buffer that grows by doubling forgets to grow when it is exactly full.
//~ verdict: false
//~ property: valid-deref
//~ inputs: 5 1 2 3 4 5
#include <stddef.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);
extern size_t __VERIFIER_nondet_size_t(void);
extern void __VERIFIER_assume(int);

int main(void) {
    size_t room = 4, used = 0, count = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(count <= 6);
    int *items = malloc(room * sizeof *items);
    if (items == NULL) return 0;
    for (size_t i = 0; i < count; i++) {
        if (used > room) {
            int *grown = realloc(items, 2 * room * sizeof *items);
            if (grown == NULL) break;
            items = grown;
            room *= 2;
        }
        items[used++] = __VERIFIER_nondet_int();
    }
    free(items);
    return 0;
}
