//~ verdict: UNKNOWN
#include <errno.h>
#include <stdio.h>
extern void reach_error(void);
int main(void){ errno = 0; if (putchar(65) < 0 && errno != 0) reach_error(); return 0; }
