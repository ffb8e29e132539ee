//~ verdict: TRUE
#include <math.h>
#include <errno.h>
extern void reach_error(void); extern double __VERIFIER_nondet_double(void);
int main(void){ double x=__VERIFIER_nondet_double(); errno=0; double y=sqrt(x); if (errno==EDOM) { if (!(x<0)) reach_error(); } else if (x<0) reach_error(); return 0; }
