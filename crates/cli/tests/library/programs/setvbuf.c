//~ verdict: UNKNOWN
#include <stdio.h>
extern void reach_error(void);
static char buffer[100];
int main(void) { setvbuf(stdout, buffer, _IOFBF, 100); buffer[0] = 0; printf("x"); if (buffer[0] == 'x') reach_error(); return 0; }
