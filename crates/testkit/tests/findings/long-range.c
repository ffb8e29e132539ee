int a[1 << 28][2] = {[0 ... 200000000] = {1, 2}};
int main(void) { return 0; }
