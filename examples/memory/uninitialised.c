// Memory that was never written holds arbitrary bytes.
//~ verdict: false
#include <stdlib.h>
extern void reach_error(void);

int main(void) {
    int *number = malloc(sizeof *number);
    if (*number == 42) {
        reach_error();
    }
    return 0;
}
