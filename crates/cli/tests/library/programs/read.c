//~ verdict: TRUE
#include <unistd.h>
extern void reach_error(void);
int main(void){ char b[8]={0}; long n=read(0,b,8); if (n > 8) reach_error(); if (n < -1) reach_error(); return 0; }
