int main(void) {
    int x = 1;
    char format[4] = "abc";
    return snprintf(x, 1) + snprintf(x, 5, format) + fputs(x, x);
}
