// [Loewe17]: evaluating constants is enough.
//~ verdict: true
#include <assert.h>
int main() {
    int x = 10;
    int y = 3;
    int z = x + y;

    assert(z > 0);
}
