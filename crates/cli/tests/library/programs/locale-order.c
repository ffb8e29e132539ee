//~ verdict: UNKNOWN
#include <locale.h>
#include <string.h>
extern void reach_error(void);
int main(void) { setlocale(LC_ALL, ""); if (strcoll("a", "B") < 0) reach_error(); return 0; }
