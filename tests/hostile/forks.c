#define ATTACK                                                        \
    if (fork() == 0) {                                                \
        setsid();                                                     \
        if (fork() == 0)                                              \
            for (;;) sleep(1000);                                     \
        for (;;) sleep(1000);                                         \
    }
#include "attack.h"
extern void reach_error(void);
int main(void) { reach_error(); }
