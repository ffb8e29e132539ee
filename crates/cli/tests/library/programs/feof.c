//~ verdict: UNKNOWN
#include <stdio.h>
extern void reach_error(void);
int main(void){ if (getchar() == EOF && !feof(stdin) && !ferror(stdin)) reach_error(); return 0; }
