//~ verdict: TRUE
extern void reach_error(void);
unsigned long strlen(const char *s) { return 77; }
char *strchr(const char *s, int c) { return (char *)s + 9; }
char *index(const char *, int);
int main(void){ if (strlen("a") != 77) reach_error(); const char *s = "abcdefghijkl"; if (index(s, 'b') != s + 9) reach_error(); return 0; }
