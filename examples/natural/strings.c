// Functions on strings against simple versions of them, on all strings of up to four characters.
//~ verdict: true
#include <assert.h>
#include <stddef.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define MOST 4

static const char *last(const char *text, char c) {
    const char *found = NULL;
    do {
        if (*text == c) found = text;
    } while (*text++ != '\0');
    return found;
}

static const char *last_naive(const char *text, char c) {
    for (size_t i = strlen(text) + 1; i > 0; i--) {
        if (text[i - 1] == c) return text + i - 1;
    }
    return NULL;
}

int main(void) {
    char text[MOST + 1], copy[MOST + 1];
    for (int i = 0; i < MOST; i++) {
        text[i] = __VERIFIER_nondet_char();
    }
    text[MOST] = '\0';
    char c = __VERIFIER_nondet_char();
    assert(last(text, c) == last_naive(text, c));
    assert(strrchr(text, c) == last(text, c));
    strcpy(copy, text);
    assert(strcmp(copy, text) == 0);
    assert(strlen(copy) <= MOST);
    return 0;
}
