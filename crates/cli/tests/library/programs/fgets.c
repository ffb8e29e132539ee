//~ verdict: FALSE
#include <stdio.h>
extern void reach_error(void);
int main(void){ char b[8]="aaaaaaa"; if (fgets(b,8,stdin) && b[0]=='b') reach_error(); return 0; }
