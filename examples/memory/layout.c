// Nothing is assumed about where objects lie: either variable may come first.
//~ verdict: false
#include <stdint.h>
extern void reach_error(void);

int main(void) {
    int first = 1, second = 2;
    if ((uintptr_t)&first < (uintptr_t)&second) {
        reach_error();
    }
    return 0;
}
