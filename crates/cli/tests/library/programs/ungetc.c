//~ verdict: UNKNOWN
#include <stdio.h>
extern void reach_error(void);
int main(void){ int c = getchar(); if (c != EOF && ungetc(c, stdin) != EOF && getchar() != c) reach_error(); return 0; }
