//~ verdict: FALSE
#include <time.h>
#include <locale.h>
extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void){ setlocale(LC_ALL,""); char b[10]; struct tm t={0}; strftime(b,10,"%H",&t); if (__VERIFIER_nondet_int()==7) reach_error(); return 0; }
