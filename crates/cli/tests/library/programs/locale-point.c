//~ verdict: UNKNOWN
#include <locale.h>
extern void reach_error(void);
int main(void) { setlocale(LC_ALL, ""); if (localeconv()->decimal_point[0] == ',') reach_error(); return 0; }
