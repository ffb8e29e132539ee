// The address of an object that was freed may be used again.
//~ verdict: false
#include <stdint.h>
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *first = malloc(sizeof *first);
    uintptr_t old = (uintptr_t)first;
    free(first);
    int *second = malloc(sizeof *second);
    if (old == (uintptr_t)second) {
        reach_error();
    }
    return 0;
}
