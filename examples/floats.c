// Floating-point numbers are not real numbers: adding 0.1 ten times does not give 1.
//~ verdict: false
#include <assert.h>

int main(void) {
    double sum = 0.0;
    for (int i = 0; i < 10; i++) {
        sum += 0.1;
    }
    assert(sum == 1.0);
    return 0;
}
