//~ verdict: TRUE
#include <stdio.h>
extern void reach_error(void);
int main(void){ char b[10]; if (fgets(b,10,stdin) && b[0]=='\n' && b[1]) reach_error(); return 0; }
