extern int f(const char *text) __attribute__((constructor));
int main(void) { return 0; }
