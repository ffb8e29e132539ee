//~ verdict: FALSE
#include <stdio.h>
extern void reach_error(void);
int main(void){ char *line=0; size_t room=0; if (getdelim(&line,&room,0,stdin) >= 0) reach_error(); return 0; }
