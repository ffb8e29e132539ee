// The same copies, but of the byte behind the copied ones is expected that it changed.
//~ verdict: false
#include <assert.h>
#include <stddef.h>
#include <string.h>

extern unsigned char __VERIFIER_nondet_uchar(void);
extern size_t __VERIFIER_nondet_size_t(void);
extern void __VERIFIER_assume(int);

#define MOST 4

int main(void) {
    unsigned char from[MOST], to[MOST] = {0}, moved[2 * MOST] = {0};
    size_t size = __VERIFIER_nondet_size_t();
    __VERIFIER_assume(size <= MOST);
    for (int i = 0; i < MOST; i++) {
        from[i] = moved[i] = __VERIFIER_nondet_uchar();
    }
    memcpy(to, from, size);
    memmove(moved + 1, moved, size);
    for (size_t i = 0; i < MOST; i++) {
        assert(to[i] == (i <= size ? from[i] : 0));
        assert(moved[i + 1] == (i < size ? from[i] : i + 1 < MOST ? from[i + 1] : 0));
    }
    return 0;
}
