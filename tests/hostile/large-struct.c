extern void reach_error(void);
struct large { char a[1L << 46]; char b[1L << 46]; } large;
int main(void) {
    large.b[5] = 3;
    if (large.b[5] != 3) reach_error();
    return 0;
}
