struct E {};
struct E a[] = {1}, b[1ul << 31] = {1, 2}, c[2][1ul << 31] = {1};
int main(void) { return 0; }
