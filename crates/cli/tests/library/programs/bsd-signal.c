//~ verdict: UNKNOWN
#include <signal.h>
extern void reach_error(void);
extern void (*bsd_signal(int number, void (*handler)(int)))(int);
static void handler(int number) { reach_error(); }
int main(void) { bsd_signal(SIGUSR1, handler); raise(SIGUSR1); return 0; }
