// [FTSRG22], Figure 6: with the single predicate x < 1000 the loop needs no unrolling.
//~ verdict: true
#include <assert.h>
int main(void) {
    int x = 0;
    while (x < 1000) {
        x = x + 1;
    }
    assert(x > 0);
}
