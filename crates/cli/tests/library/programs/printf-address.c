//~ verdict: UNKNOWN
#include <errno.h>
#include <stdio.h>
extern void reach_error(void);
int main(void){ int x = 5; void *p; printf("%p", (void *)&x); if (scanf("%p", &p) == 1) *(int *)p = 7; if (x == 7) reach_error(); return 0; }
