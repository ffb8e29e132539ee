//~ verdict: FALSE
#include <unistd.h>
extern void reach_error(void);
int main(void){ if (getuid() == 0 && getuid() == 0) reach_error(); return 0; }
