// [Loewe17]: two paths, on each of which all values but that of `c` are known.
//~ verdict: true
#include <assert.h>
int main() {
    int a = 0;
    int b = 1;
    int c;
    b = a + b;

    if (c) {
        a = 1;
    } else {
        a = 2;
    }

    int f = a - b;
    if (f < 0) {
        assert(0);
    }
}
