//~ verdict: UNKNOWN
extern char *__strcpy_chk(char *, const char *, unsigned long);
extern void reach_error(void);
int main(void){ char b[4] = "x"; __strcpy_chk(b, "ab", sizeof b); if (b[1] == 'b') reach_error(); return 0; }
