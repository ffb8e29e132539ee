//~ verdict: UNKNOWN
#include <sys/ioctl.h>
extern void reach_error(void);
struct request { int size; char *to; };
int main(void){ char b[4] = {0}; struct request r = {4, b}; ioctl(0, 35090, &r); if (b[0]) reach_error(); return 0; }
