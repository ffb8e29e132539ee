//~ verdict: UNKNOWN
#include <unistd.h>
extern void reach_error(void);
int main(void){ if (getuid() != getuid()) reach_error(); return 0; }
