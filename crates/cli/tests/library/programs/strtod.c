//~ verdict: UNKNOWN
double strtod(const char *, char **); 
extern void reach_error(void);
int main(void){ double d = strtod("1.5", 0); if (d == 7) reach_error(); return 0; }
