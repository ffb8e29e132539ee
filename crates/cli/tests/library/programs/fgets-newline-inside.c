//~ verdict: UNKNOWN
#include <stdio.h>
extern void reach_error(void);
int main(void){ char b[10] = ""; if (fgets(b,10,stdin) && b[4]=='\n' && b[5]=='a' && b[6]=='c') reach_error(); return 0; }
