// An access to an object that is no longer alive.
//~ verdict: true, there is no error (but --check memory finds one)
#include <stdlib.h>

int main(void) {
    int *number = malloc(sizeof *number);
    *number = 1;
    free(number);
    return *number;
}
