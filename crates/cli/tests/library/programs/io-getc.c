//~ verdict: TRUE
typedef struct _IO_FILE FILE;
extern FILE *stdin;
extern int _IO_getc(FILE *);
extern void reach_error(void);
int main(void){ int c = _IO_getc(stdin); if (c < -1 || c > 255) reach_error(); return 0; }
