//~ verdict: UNKNOWN
#include <time.h>
extern void reach_error(void);
int main(void) { struct tm t = {0}; t.tm_year = 100; t.tm_mday = 1; t.tm_hour = 12; t.tm_isdst = 1; mktime(&t); if (t.tm_hour == 11) reach_error(); return 0; }
