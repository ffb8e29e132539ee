#define ATTACK                                                \
    struct sockaddr_un to = { .sun_family = AF_UNIX };        \
    strcpy(to.sun_path, VICTIM);                              \
    int line = socket(AF_UNIX, SOCK_STREAM, 0);               \
    connect(line, (struct sockaddr *)&to, sizeof to);
#include "attack.h"
extern void reach_error(void);
int main(void) { reach_error(); }
