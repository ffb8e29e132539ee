// The same parser with a check that only looks at the value before the last digit: 2147483648 gets through.
//~ verdict: false
//~ inputs: 48 50 49 52 55 52 56 51 54 52 56 0
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
        if (value > INT_MAX / 10) {
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
