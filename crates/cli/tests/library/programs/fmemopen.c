//~ verdict: UNKNOWN
#include <stdio.h>
extern void reach_error(void);
int main(void){ char b[4]; FILE *f = fmemopen(b, 4, "w"); if (!f) return 0; b[0] = 0; fputc('x', f); fclose(f); if (b[0]) reach_error(); return 0; }
