//~ verdict: FALSE
extern int errno; long strtol(const char*, char**, int);
extern void reach_error(void);
int main(void){ errno=0; strtol("99999999999999999999",0,10); if (errno==34) reach_error(); return 0; }
