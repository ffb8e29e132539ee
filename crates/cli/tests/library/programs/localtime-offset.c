//~ verdict: FALSE (unreach-call)
#include <time.h>
extern void reach_error(void);
int main(void) { time_t x = 0; struct tm *t = localtime(&x); if (t && t->tm_mday == 2 && t->tm_hour == 0) reach_error(); return 0; }
