// The same function, which stops one step too early.
//~ verdict: false
//~ inputs: 97 98 99 100
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

#define COUNT 4

static void reverse(char *text, int count) {
    if (count < 3) return;
    char first = text[0];
    text[0] = text[count - 1];
    text[count - 1] = first;
    reverse(text + 1, count - 2);
}

int main(void) {
    char text[COUNT], before[COUNT];
    for (int i = 0; i < COUNT; i++) {
        before[i] = text[i] = __VERIFIER_nondet_char();
    }
    reverse(text, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert(text[i] == before[COUNT - 1 - i]);
    }
    return 0;
}
