//~ verdict: UNKNOWN
#include <obstack.h>
#include <stdlib.h>
extern void reach_error(void);
static void *chunk(size_t n) { reach_error(); return malloc(n); }
#define obstack_chunk_alloc chunk
#define obstack_chunk_free free
int main(void) { struct obstack all; obstack_init(&all); return 0; }
