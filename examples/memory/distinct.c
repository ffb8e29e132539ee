// Live objects do not overlap, and a pointer into one never equals a pointer into another.
//~ verdict: true
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *first = malloc(sizeof *first), *second = malloc(sizeof *second);
    *first = 1;
    *second = 2;
    if (first == second || *first != 1) {
        reach_error();
    }
    return 0;
}
