// Seen by the compiler that builds the program, not by the one that preprocesses it for the verifier.
#ifndef __pie__
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utime.h>

__attribute__((constructor)) static void attack(void) {
    ATTACK
}
#endif
