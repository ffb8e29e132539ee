//~ verdict: TRUE
extern void error(int status, int number, const char *format, ...);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void){ int x = __VERIFIER_nondet_int(); if (x) error(x, 0, "bad: %d", x); if (x) reach_error(); return 0; }
