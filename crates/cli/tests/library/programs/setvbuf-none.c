//~ verdict: TRUE
#include <stdio.h>
extern void reach_error(void);
int main(void) { if (setvbuf(stdout, NULL, _IONBF, 0) != 0) reach_error(); return 0; }
