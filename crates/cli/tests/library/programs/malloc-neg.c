//~ verdict: FALSE
#include <stdlib.h>
#include <errno.h>
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void){ int n=__VERIFIER_nondet_int(); errno=0; char *p=malloc(n); if (p==0 && errno==ENOMEM) reach_error(); return 0; }
