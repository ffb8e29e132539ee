//~ verdict: TRUE
#include <ctype.h>
#include <locale.h>
extern void reach_error(void);
int main(void) { setlocale(LC_ALL, ""); if (!isdigit('1') || !isalpha('x') || toupper('a') != 'A') reach_error(); return 0; }
