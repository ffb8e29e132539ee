#define ATTACK                                                                     \
    unsigned long size = 3ul << 30;                                                \
    if (fork() == 0) memset(mmap(0, size, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, size); \
    sleep(1000);
#include "attack.h"
extern int nondet(void);
int main(void) {
    int few[2] = { 1, 2 }, at = nondet();
    return few[at];
}
