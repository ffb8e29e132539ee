extern void reach_error(void);
int main(void) {
    int a[2000000000];
    a[5] = 3;
    if (a[5] != 3) reach_error();
    return 0;
}
