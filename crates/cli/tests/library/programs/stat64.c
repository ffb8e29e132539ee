//~ verdict: UNKNOWN
#define _GNU_SOURCE
#include <sys/stat.h>
extern void reach_error(void);
int main(void){ struct stat64 s; s.st_size = 0; if (stat64("x", &s) == 0 && s.st_size > 5) reach_error(); return 0; }
