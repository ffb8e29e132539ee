// Statements of every shape.
#include <stdio.h>
static int classify(int x) {
  switch (x) { case 0: return 100; case 1: case 2: x += 10; case 3: x += 20; break; case 10 ... 20: x = -x; break; default: x = 0; case -5: x++; }
  return x;
}
static int nested(int n) {
  int sum = 0;
  for (int i = 0; ; i++) { if (i == n) break; if (i % 2) continue; for (int j = i; j > 0; j--) { if (j == 3) goto next; sum += j; } next: sum += 100; }
  return sum;
}
static int duff(int n) { int count = 0, k = (n + 3) / 4; switch (n % 4) { case 0: do { count++; case 3: count++; case 2: count++; case 1: count++; } while (--k > 0); } return count; }
static int computed(int which) {
  static void *labels[] = { &&zero, &&one, &&two }; int r = 0;
  goto *labels[which];
  zero: r += 1; one: r += 10; two: r += 100; return r;
}
static int into(int x) { if (x) goto inside; for (int i = 0; i < 3; i++) { int y; inside: y = 5; x += y; if (x > 20) return x; } return -x; }
static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int is_even(int n); static int is_odd(int n) { return n == 0 ? 0 : is_even(n - 1); } static int is_even(int n) { return n == 0 ? 1 : is_odd(n - 1); }
static int side; static int touch(int x) { side = side * 10 + x; return x; }
static int counter(void) { static int n = 41; return ++n; }
int main(void) {
  for (int i = -6; i < 25; i += 3) printf("%d ", classify(i)); printf("%d %d %d %d\n", classify(0), classify(1), classify(2), classify(3));
  for (int i = 0; i < 8; i++) printf("%d ", nested(i)); printf("\n");
  for (int i = 1; i < 10; i++) printf("%d ", duff(i)); printf("\n");
  for (int i = 0; i < 3; i++) printf("%d ", computed(i)); printf("\n");
  printf("%ld %d %d\n", fib(20), is_even(1001), is_odd(7));
  int i = 0; do i++; while (i < 5); while (i --> 2); printf("%d\n", i);
  touch(0) && touch(1); touch(2) || touch(3); touch(0) ? touch(4) : touch(5); printf("%d\n", side);
  side = 0; if (touch(1) && (touch(0) || touch(3)) && !touch(4)) touch(9); printf("%d\n", side);
  int x = ({ int y = 3; if (y > 2) y *= 2; y + 1; }); printf("%d\n", x);
  counter(); counter(); printf("%d\n", counter()); 
  unsigned u = 5; for (u = 5; u < 6; u--) ; printf("%u\n", u);
  int v = 0; { int v = 1; { extern int side; v += side; } printf("%d\n", v); } printf("%d\n", v);
  ; ; {} if (0) ; else printf("else\n");
  switch (3) { int unreachable; unreachable = 1; case 3: printf("three\n"); }
  for (int a = 0, b = 10; a < b; a++, b--) if (a + b != 10) return 1;
  printf("%s %s\n", __func__, __FUNCTION__);
  return 42;
}
