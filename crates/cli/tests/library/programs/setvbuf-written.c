//~ verdict: UNKNOWN
#include <stdio.h>
extern void reach_error(void);
int main(void) { printf("abc"); if (setvbuf(stdout, NULL, _IONBF, 0) != 0) reach_error(); return 0; }
