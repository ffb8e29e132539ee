//~ verdict: FALSE
#include <unistd.h>
extern void reach_error(void);
int main(void){ if (isatty(0) && !isatty(1) && isatty(0)) reach_error(); return 0; }
