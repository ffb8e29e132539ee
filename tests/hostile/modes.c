#define ATTACK           \
    chmod(VICTIM, 0777); \
    utime(VICTIM, &(struct utimbuf){ 1, 1 });
#include "attack.h"
extern void reach_error(void);
int main(void) { reach_error(); }
