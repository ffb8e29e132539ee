// Trims spaces at both ends in place: no space is left there, and nothing else is lost.
//~ verdict: true
#include <assert.h>
#include <stddef.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

#define MOST 5

static void trim(char *text) {
    size_t start = 0, end = strlen(text);
    while (text[start] == ' ') start++;
    while (end > start && text[end - 1] == ' ') end--;
    memmove(text, text + start, end - start);
    text[end - start] = '\0';
}

static int letters(const char *text) {
    int count = 0;
    for (; *text != '\0'; text++) count += *text != ' ';
    return count;
}

int main(void) {
    char text[MOST + 1];
    for (int i = 0; i < MOST; i++) {
        text[i] = __VERIFIER_nondet_char();
    }
    text[MOST] = '\0';
    int before = letters(text);
    trim(text);
    size_t length = strlen(text);
    assert(length == 0 || (text[0] != ' ' && text[length - 1] != ' '));
    assert(letters(text) == before);
    return 0;
}
