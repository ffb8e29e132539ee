//~ verdict: FALSE
extern void error(const char *text);
extern void reach_error(void);
int main(void){ error("bad"); reach_error(); return 0; }
