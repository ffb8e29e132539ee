// Addresses like 10.0.0.1 as text of up to eight characters: what is accepted has four numbers below 256.
//~ verdict: true
#include <assert.h>
#include <stdbool.h>

extern char __VERIFIER_nondet_char(void);

#define MOST 8

static bool parse(const char *text, int parts[4]) {
    for (int i = 0; i < 4; i++) {
        int value = 0, digits = 0;
        while (*text >= '0' && *text <= '9') {
            value = 10 * value + (*text++ - '0');
            if (++digits > 3) return false;
        }
        if (digits == 0 || value > 255) return false;
        parts[i] = value;
        if (*text++ != (i < 3 ? '.' : '\0')) return false;
    }
    return true;
}

int main(void) {
    char text[MOST + 1];
    for (int i = 0; i < MOST; i++) {
        text[i] = __VERIFIER_nondet_char();
    }
    text[MOST] = '\0';
    int parts[4];
    if (parse(text, parts)) {
        int dots = 0;
        for (const char *at = text; *at != '\0'; at++) dots += *at == '.';
        assert(dots == 3);
        for (int i = 0; i < 4; i++) assert(0 <= parts[i] && parts[i] < 256);
    }
    return 0;
}
