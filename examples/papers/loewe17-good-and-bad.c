// [Loewe17]: the path is infeasible for two reasons. Tracking `b` is a good choice, tracking `i` unrolls the loop.
//~ verdict: true
#include <assert.h>
extern int f(int x);
int main() {
    int b = 0;
    int i = 0;

    while (1) {
        if (i > 9) {
            break;
        }
        f(i++);
    }

    if (b != 0) {
        if (i != 10) {
            assert(0);
        }
    }
}
