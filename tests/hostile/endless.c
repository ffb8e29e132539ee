extern int printf(const char *, ...);
int main(void) {
    for (;;) printf("line\n");
}
