//~ verdict: UNKNOWN
extern void reach_error(void);
extern char *program_invocation_name;
int main(void) { if (program_invocation_name == 0) reach_error(); return 0; }
