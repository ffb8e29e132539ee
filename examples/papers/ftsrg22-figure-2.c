// [FTSRG22], Figure 2: an assertion is a branch of the automaton that leads to the error location.
//~ verdict: true
#include <assert.h>
int main(void) {
    int x = 1;
    int y = x + 1;
    x = y - 1;
    assert(x < y);
}
