//~ verdict: UNKNOWN
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>
#include <unistd.h>
extern void reach_error(void);
static int x;
static void f(union sigval v) { x = 1; }
int main(void) { struct sigevent e = {0}; e.sigev_notify = SIGEV_THREAD; e.sigev_notify_function = f; timer_t t; timer_create(CLOCK_REALTIME, &e, &t); struct itimerspec i = {{0, 0}, {0, 1}}; timer_settime(t, 0, &i, 0); sleep(1); if (x == 1) reach_error(); return 0; }
