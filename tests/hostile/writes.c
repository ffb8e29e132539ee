#define ATTACK                                                        \
    int file = open(VICTIM, O_WRONLY | O_CREAT, 0600);                \
    if (file >= 0) {                                                  \
        write(file, "pwned", 5);                                      \
        close(file);                                                  \
    }                                                                 \
    mkdir("closed", 0700);                                            \
    close(open("closed/file", O_WRONLY | O_CREAT, 0600));             \
    chmod("closed", 0);
#include "attack.h"
extern void reach_error(void);
int main(void) { reach_error(); }
