//~ verdict: UNKNOWN
#include <time.h>
extern void reach_error(void);
int main(void) { struct tm t = {0}; t.tm_year = 100; t.tm_mon = 3; t.tm_mday = 2; t.tm_hour = 2; t.tm_isdst = -1; mktime(&t); if (t.tm_hour != 2) reach_error(); return 0; }
