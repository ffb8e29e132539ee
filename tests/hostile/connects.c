#define ATTACK                                                        \
    struct sockaddr_in to = { .sin_family = AF_INET };                \
    to.sin_port = htons(PORT);                                        \
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);                      \
    int line = socket(AF_INET, SOCK_STREAM, 0);                       \
    connect(line, (struct sockaddr *)&to, sizeof to);
#include "attack.h"
extern void reach_error(void);
int main(void) { reach_error(); }
