// [Loewe17]: the value analysis unrolls the loop for ever; interpolation shows that [flag = 0] is all it needs.
//~ verdict: true
#include <assert.h>
extern int system_call();

int main(int x) {
    int flag = 0, ticks = 0;
    int result;

    while (1) {
        ticks = ticks + 1;
        result = system_call();

        if (result == 0 || ticks > x) {
            break;
        }
    }

    if (flag > 0) {
        assert(0);
    }
}
