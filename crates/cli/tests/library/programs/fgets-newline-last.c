//~ verdict: FALSE
#include <stdio.h>
extern void reach_error(void);
int main(void){ char b[10]; if (fgets(b,10,stdin) && b[0]=='a' && b[1]=='\n' && b[2]==0) reach_error(); return 0; }
