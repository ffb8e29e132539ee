//~ verdict: FALSE (unreach-call)
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
extern void reach_error(void);
int main(void) { char *l = malloc(1); size_t n = 1; if (!l) return 0; long r = getline(&l, &n, stdin); if (r == 2 && n == 3) reach_error(); return 0; }
