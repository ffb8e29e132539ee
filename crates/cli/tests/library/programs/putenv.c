//~ verdict: UNKNOWN
#include <stdlib.h>
extern void reach_error(void);
int main(void){ char text[] = "X=1"; putenv(text); char *p = getenv("X"); if (p) { *p = 5; if (text[2] == 5) reach_error(); } return 0; }
