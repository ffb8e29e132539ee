//~ verdict: UNKNOWN
#include <stdlib.h>
extern void reach_error(void);
int main(void){ char *p = getenv("HOME"); setenv("HOME", "x", 1); if (p != getenv("HOME")) reach_error(); return 0; }
