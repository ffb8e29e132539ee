//~ verdict: FALSE
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern char **environ;
extern char *program_invocation_name;
extern char *tzname[2];
int main(void) { if (__VERIFIER_nondet_int() == 5) reach_error(); return 0; }
