//~ verdict: UNKNOWN
#include <ctype.h>
#include <locale.h>
extern void reach_error(void);
int main(void) { setlocale(LC_ALL, ""); if (isalpha(0xe9)) reach_error(); return 0; }
