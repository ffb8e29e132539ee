//~ verdict: UNKNOWN
extern void reach_error(void);
extern char **environ;
int main(void) { if (environ == 0) reach_error(); return 0; }
