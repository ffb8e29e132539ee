// A number as decimal digits, and back.
//~ verdict: true
#include <assert.h>

extern short __VERIFIER_nondet_short(void);

static int print(int value, char *out) {
    char digits[6];
    int count = 0, length = 0;
    unsigned rest = value < 0 ? -(unsigned)value : (unsigned)value;
    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest != 0);
    if (value < 0) out[length++] = '-';
    while (count > 0) out[length++] = digits[--count];
    out[length] = '\0';
    return length;
}

static int read(const char *text) {
    int negative = *text == '-', value = 0;
    for (text += negative; *text != '\0'; text++) value = 10 * value + (*text - '0');
    return negative ? -value : value;
}

int main(void) {
    char text[8];
    short value = __VERIFIER_nondet_short();
    int length = print(value, text);
    assert(1 <= length && length <= 6);
    assert(read(text) == value);
    return 0;
}
