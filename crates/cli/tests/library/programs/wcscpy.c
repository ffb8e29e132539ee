//~ verdict: FALSE
#include <wchar.h>
extern void reach_error(void);
int main(void){ wchar_t b[8]=L"a"; wcscpy(b,L"b"); if (b[0]=='b') reach_error(); return 0; }
