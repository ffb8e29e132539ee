//~ verdict: UNKNOWN
#define _GNU_SOURCE
#include <stdlib.h>
extern void reach_error(void);
int main(void){ char text[] = "a,b", *at = text, *value; char *const names[] = {"a", "b", 0}; getsubopt(&at, names, &value); if (text[1] == 0) reach_error(); return 0; }
