// 128-bit arithmetic.
#include <stdio.h>
typedef unsigned __int128 u128; typedef __int128 i128;
static void show(u128 x) { printf("%016llx%016llx\n", (unsigned long long)(x >> 64), (unsigned long long)x); }
int main(void) {
  u128 a = ((u128)0x0123456789abcdefull << 64) | 0xfedcba9876543210ull; i128 b = -1; i128 c = (i128)1 << 126;
  show(a); show(b); show(c); show(a + b); show(a * a); show(a / 12345); show(a % 12345); show(b / 3); show(c << 1); show(b >> 100);
  show(a >> 100); show(~a); show(-a); show(a ^ c); show((u128)-5 / 3); show(b < 0); show((u128)b > a); show((int)a); show((i128)(int)a);
  show((u128)1e30); show((i128)-1e20); printf("%g %g\n", (double)a, (double)(b * 1000)); printf("%d\n", (int)sizeof(a));
  struct { char x; i128 y; } s = { 1, -2 }; show(s.y); s.y -= 7; show(s.y); i128 arr[3] = { 1, 2, 3 }; show(arr[2] + arr[1]);
  return a > c;
}
