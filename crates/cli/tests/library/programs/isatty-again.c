//~ verdict: UNKNOWN
#include <unistd.h>
extern void reach_error(void);
int main(void){ if (isatty(1) && !isatty(1)) reach_error(); return 0; }
