//~ verdict: UNKNOWN
#define _GNU_SOURCE
#include <stdio.h>
extern void reach_error(void);
static ssize_t refill(void *cookie, char *to, size_t n) { reach_error(); return 0; }
int main(void) {
  cookie_io_functions_t functions = {.read = refill};
  FILE *f = fopencookie(0, "r", functions);
  if (f) fgetc(f);
  return 0;
}
