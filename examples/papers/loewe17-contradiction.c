// [Loewe17]: values alone cannot express `a != 1`; a predicate can.
//~ verdict: true
#include <assert.h>
int main() {
    int a;
    if (a != 1) {
        if (a == 1)
            assert(0);
    }
}
