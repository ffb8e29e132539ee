//~ verdict: FALSE
#include <errno.h>
#include <stdio.h>
extern void reach_error(void);
int main(void){ errno = 5; perror("x"); if (errno != 5) reach_error(); return 0; }
