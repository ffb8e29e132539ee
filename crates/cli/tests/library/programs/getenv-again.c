//~ verdict: TRUE
#include <stdlib.h>
extern void reach_error(void);
int main(void){ if (getenv("HOME") && !getenv("HOME")) reach_error(); return 0; }
