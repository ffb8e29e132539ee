//~ verdict: UNKNOWN
#include <time.h>
extern void reach_error(void);
int main(void) { time_t x = time(0); struct tm *t = localtime(&x); if (t && t->tm_sec == 60) reach_error(); return 0; }
