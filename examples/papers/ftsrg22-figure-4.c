// [FTSRG22], Figure 4: tracking `x` alone, the value analysis needs two states at the loop head, not a thousand.
//~ verdict: true
#include <assert.h>
int main(void) {
    int x = 0;
    int i = 0;
    while (i < 1000) {
        if (x == 0) {
            x = 1;
        } else {
            x = 0;
        }
        i = i + 1;
    }
    assert(x <= 1);
}
