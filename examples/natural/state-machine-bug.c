// The same machine leaves a comment at a slash that does not follow its star: "/*/" ends a comment.
//~ verdict: false
#include <assert.h>
#include <stdbool.h>

extern char __VERIFIER_nondet_char(void);

#define LENGTH 6

enum state { CODE, SLASH, COMMENT, STAR };

static enum state next(enum state state, char c) {
    switch (state) {
    case CODE: return c == '/' ? SLASH : CODE;
    case SLASH: return c == '*' ? STAR : c == '/' ? SLASH : CODE;
    case COMMENT: return c == '*' ? STAR : COMMENT;
    case STAR: return c == '/' ? CODE : c == '*' ? STAR : COMMENT;
    }
    return CODE;
}

static bool is_open(const char *text, int length) {
    int at = 0;
    while (at + 1 < length) {
        if (text[at] == '/' && text[at + 1] == '*') {
            at += 2;
            while (at + 1 < length && !(text[at] == '*' && text[at + 1] == '/')) at++;
            if (at + 1 >= length) return true;
            at += 2;
        } else {
            at++;
        }
    }
    return false;
}

int main(void) {
    char text[LENGTH];
    enum state state = CODE;
    for (int i = 0; i < LENGTH; i++) {
        text[i] = __VERIFIER_nondet_char();
        state = next(state, text[i]);
    }
    assert((state == COMMENT || state == STAR) == is_open(text, LENGTH));
    return 0;
}
