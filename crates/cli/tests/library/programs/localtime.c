//~ verdict: FALSE (unreach-call)
#include <time.h>
extern void reach_error(void);
int main(void){ time_t a=0,b=100000; struct tm *p=localtime(&a); int d=p->tm_mday; struct tm *q=localtime(&b); if (p->tm_mday!=d) reach_error(); return 0; }
