// Trims spaces at the end: a string of spaces only makes it read before the buffer.
//~ verdict: false
//~ property: valid-deref
//~ inputs: 32 32 32 32 32
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define MOST 5

static void trim(char *text) {
    char *end = text + strlen(text);
    while (end[-1] == ' ') end--;
    *end = '\0';
}

int main(void) {
    char text[MOST + 1];
    for (int i = 0; i < MOST; i++) {
        text[i] = __VERIFIER_nondet_char();
    }
    text[MOST] = '\0';
    if (text[0] != '\0') trim(text);
    return 0;
}
