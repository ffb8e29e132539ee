//~ verdict: TRUE
#include <stdio.h>
extern void reach_error(void);
int main(void){ if (stdout == stderr || stdin == stdout || stdin == stderr) reach_error(); return 0; }
