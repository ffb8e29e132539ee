//~ verdict: FALSE
#include <stdlib.h>
extern void reach_error(void); extern unsigned long __VERIFIER_nondet_ulong(void);
int main(void){ char *p=malloc(4); unsigned long n=__VERIFIER_nondet_ulong(); if(n>4) return 0; p=realloc(p,n); if (p==0) reach_error(); return 0; }
