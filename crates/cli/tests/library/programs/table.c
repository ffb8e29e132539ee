//~ verdict: TRUE
#include <stdlib.h>
#include <string.h>
extern void reach_error(void);
struct ops { void *(*alloc)(size_t); void (*release)(void *); void *(*copy)(void *, const void *, size_t); } ops = { malloc, free, memcpy };
int main(void){ int x=5; int *p=ops.alloc(4); ops.copy(p,&x,4); if (*p != 5) reach_error(); ops.release(p); return 0; }
