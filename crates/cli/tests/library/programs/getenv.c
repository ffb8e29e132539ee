//~ verdict: FALSE
#include <stdlib.h>
extern void reach_error(void);
int main(void){ char *p=getenv("HOME"); if (p && *p=='x') reach_error(); return 0; }
