// A recursive function turns a text around in place, and a second time back again.
//~ verdict: true
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

#define COUNT 5

static void reverse(char *text, int count) {
    if (count < 2) return;
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
    assert(text[0] == before[COUNT - 1]);
    reverse(text, COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert(text[i] == before[i]);
    }
    return 0;
}
