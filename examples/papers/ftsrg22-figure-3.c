// [FTSRG22], Figure 3: the state space of a loop ends in the final location.
//~ verdict: true
#include <assert.h>
int main(void) {
    int x;
    x = 0;
    while (x < 5) {
        x = x + 1;
    }
    assert(x <= 5);
}
