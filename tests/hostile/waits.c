#include "pipe"
int main(void) { return 0; }
