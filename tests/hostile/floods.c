#define ATTACK                                                        \
    int file = open("large", O_WRONLY | O_CREAT, 0600);               \
    static char block[1 << 20];                                       \
    for (int i = 0; i < 400; i++) {                                   \
        write(file, block, sizeof block);                             \
        write(2, block, 4096);                                        \
    }
#include "attack.h"
extern void reach_error(void);
int main(void) { reach_error(); }
