//~ verdict: UNKNOWN
#include <errno.h>
#include <stdio.h>
extern void reach_error(void);
int main(void){ printf("x\n"); errno = 0; if (fflush(stdout) != 0 && errno != 0) reach_error(); return 0; }
