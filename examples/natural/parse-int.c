// A parser of decimal numbers that refuses those that do not fit: what it accepts is what was written.
//~ verdict: true
#include <assert.h>
#include <limits.h>
#include <stdbool.h>

extern char __VERIFIER_nondet_char(void);

#define LENGTH 12

static bool parse(const char *text, int *result) {
    bool negative = false;
    int value = 0;
    if (*text == '-' || *text == '+') {
        negative = *text++ == '-';
    }
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        int digit = *text - '0';
        if (value > (INT_MAX - digit) / 10) {
            return false;
        }
        value = 10 * value + digit;
    }
    *result = negative ? -value : value;
    return true;
}

static long long naive(const char *text) {
    long long value = 0;
    const char *at = text;
    if (*at == '-' || *at == '+') {
        at++;
    }
    while (*at != '\0') {
        value = 10 * value + (*at++ - '0');
    }
    return *text == '-' ? -value : value;
}

int main(void) {
    char text[LENGTH + 1];
    for (int i = 0; i < LENGTH; i++) {
        text[i] = __VERIFIER_nondet_char();
    }
    text[LENGTH] = '\0';
    int value;
    if (parse(text, &value)) {
        assert(value == naive(text));
    }
    return 0;
}
