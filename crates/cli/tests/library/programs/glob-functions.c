//~ verdict: UNKNOWN
#define _GNU_SOURCE
#include <dirent.h>
#include <glob.h>
extern void reach_error(void);
static int x;
static struct dirent *next(void *d) { x = 1; return 0; }
int main(void) { glob_t g = {0}; g.gl_readdir = next; glob("/*", GLOB_ALTDIRFUNC, 0, &g); if (x == 1) reach_error(); return 0; }
