//~ verdict: FALSE
#include <stdio.h>
extern void reach_error(void);
int main(void){ int x=0; scanf("%d",&x); if (x==5) reach_error(); return 0; }
