//~ verdict: FALSE
#include <stdio.h>
extern void reach_error(void);
int main(void){ char b[4] = "a"; if (fgets(b, 4, stdin) == 0 && b[0] != 'a') reach_error(); return 0; }
