// calloc and realloc with sizes that an input chooses: zeros at first, and what was there is kept.
//~ verdict: true
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern size_t __VERIFIER_nondet_size_t(void);
extern void __VERIFIER_assume(int);

int main(void) {
    size_t size = __VERIFIER_nondet_size_t(), more = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(1 <= size && size <= 4 && more <= 4);
    unsigned char *bytes = calloc(size, 1);
    if (bytes == NULL) return 0;
    for (size_t i = 0; i < size; i++) {
        assert(bytes[i] == 0);
    }
    unsigned char first = __VERIFIER_nondet_uchar(), last = __VERIFIER_nondet_uchar();
    bytes[0] = first;
    bytes[size - 1] = last;
    unsigned char *grown = realloc(bytes, size + more);
    if (grown == NULL) {
        free(bytes);
        return 0;
    }
    assert(size == 1 || grown[0] == first);
    assert(grown[size - 1] == last);
    free(grown);
    return 0;
}
