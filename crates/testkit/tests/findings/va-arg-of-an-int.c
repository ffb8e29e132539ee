int f(int ap, ...) { return __builtin_va_arg(ap, int); }
int main(void) { return f(1, 2); }
