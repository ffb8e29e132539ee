// [Loewe17]: a predicate about `b` refutes all error paths at once, values of `i` only one after the other.
//~ verdict: true
#include <assert.h>
extern int nondet();
extern int f(int x);

int main() {
    int b = nondet();
    int i = 0;

    if (b != 0) {
        while (i < 1000) {
            f(i++);
        }
    }

    if (i != 0) {
        if (b == 0) {
            assert(0);
        }
    }
}
