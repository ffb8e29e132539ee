int printf(const char *, ...);
struct S { int x, y, z, v, w; };
static int order, g, a[16];
static unsigned char b[16];
static long l = 40;
static struct S s, pair[2];
static int f(int k) { order = order * 10 + k; return k; }
static double real(int k) { f(k); return k; }
static short narrow(int k) { return (short)f(k); }
static int *at(int k) { f(k); return &a[k]; }
static struct S make(int k) { struct S r = { k, 0, 0, 0, 0 }; f(k); return r; }
static int three(int x, int y, int z) { return x + 10 * y + 100 * z; }
static int both(struct S x, struct S y, int z) { return x.x + y.x + z; }
static int any(int n, ...) { return n; }
static int (*pick(int k))(int, int, int) { f(k); return three; }
static int add(int k) { g += k; l += k; return k; }
static int change(int k) { s.x = k; return k; }
static int by_value(struct S x, int k) { return 10 * x.x + k; }
static void elements(void) { for (int i = 0; i < 10; i++) printf(" %d.%d", a[i], b[i]); printf("\n"); }
static void start(void) {
  order = 0;
  g = 5;
  l = 40;
  s.x = 1;
  for (int i = 0; i < 16; i++) a[i] = b[i] = i;
}

int main(void) {
  start(); three(f(1), f(2), f(3)); printf("three(f(1), f(2), f(3)): %d\n", order);
  start(); both(make(1), make(2), f(3)); printf("both(make(1), make(2), f(3)): %d\n", order);
  start(); any(1, f(1), f(2), real(3), f(4)); printf("any(1, f(1), f(2), real(3), f(4)): %d\n", order);
  start(); pick(1)(f(2), f(3), f(4)); printf("pick(1)(f(2), f(3), f(4)): %d\n", order);
  start(); f(1) + f(2); printf("f(1) + f(2): %d\n", order);
  start(); f(1) - f(2); printf("f(1) - f(2): %d\n", order);
  start(); f(1) < f(2); printf("f(1) < f(2): %d\n", order);
  start(); f(1) << f(2); printf("f(1) << f(2): %d\n", order);
  start(); real(1) + real(2); printf("real(1) + real(2): %d\n", order);
  start(); f(1) + (f(2) - f(3) * f(4)); printf("f(1) + (f(2) - f(3) * f(4)): %d\n", order);
  start(); a[f(1)] = f(2); printf("a[f(1)] = f(2): %d\n", order);
  start(); a[f(1)] = f(f(2)); printf("a[f(1)] = f(f(2)): %d\n", order);
  start(); b[f(1)] = f(2); printf("b[f(1)] = f(2): %d\n", order);
  start(); *at(1) = f(2); printf("*at(1) = f(2): %d\n", order);
  start(); *at(1) = narrow(2); printf("*at(1) = narrow(2): %d\n", order);
  start(); *at(1) = *at(2); printf("*at(1) = *at(2): %d\n", order);
  start(); *at(1) = -f(2); printf("*at(1) = -f(2): %d\n", order);
  start(); a[f(1)] += f(2); printf("a[f(1)] += f(2): %d\n", order);
  start(); *at(1) -= f(2); printf("*at(1) -= f(2): %d\n", order);
  start(); at(1)[f(2)] = f(3); printf("at(1)[f(2)] = f(3): %d\n", order);
  start(); at(1)[f(2)]; printf("at(1)[f(2)]: %d\n", order);
  start(); at(3) - at(1); printf("at(3) - at(1): %d\n", order);
  start(); f(1) + (f(2) && f(3)); printf("f(1) + (f(2) && f(3)): %d\n", order);
  start(); (f(1) ? f(2) : 0) + f(3); printf("(f(1) ? f(2) : 0) + f(3): %d\n", order);
  start(); three((f(1), f(2)), f(3), f(4)); printf("three((f(1), f(2)), f(3), f(4)): %d\n", order);
  start(); pair[f(1) - 1] = make(2); printf("pair[f(1) - 1] = make(2): %d\n", order);
  start(); { int q[3] = { f(1), f(2), f(3) }; printf("array %d %d\n", order, q[2]); }
  start(); { struct S q = { f(1), .z = f(2), .y = f(3) }; printf("struct %d %d\n", order, q.z); }
  start(); printf("g + add(3): %ld", (long)(g + add(3))); elements();
  start(); printf("add(3) + g: %ld", (long)(add(3) + g)); elements();
  start(); printf("g - add(3): %ld", (long)(g - add(3))); elements();
  start(); printf("g * add(3): %ld", (long)(g * add(3))); elements();
  start(); printf("g < add(7): %ld", (long)(g < add(7))); elements();
  start(); printf("g + g + add(3): %ld", (long)(g + g + add(3))); elements();
  start(); printf("(g & 7) | add(16): %ld", (long)((g & 7) | add(16))); elements();
  start(); printf("(char)g + add(3): %ld", (long)((char)g + add(3))); elements();
  start(); printf("g += add(3): %ld", (long)(g += add(3))); elements();
  start(); printf("g = g + add(3): %ld", (long)(g = g + add(3))); elements();
  start(); printf("(g == 5) + add(3): %ld", (long)((g == 5) + add(3))); elements();
  start(); printf("three(g, add(3), g): %ld", (long)(three(g, add(3), g))); elements();
  start(); printf("three(add(1), g, add(2)): %ld", (long)(three(add(1), g, add(2)))); elements();
  start(); printf("a[g] = add(1): %ld", (long)(a[g] = add(1))); elements();
  start(); printf("b[g] = add(1): %ld", (long)(b[g] = add(1))); elements();
  start(); printf("a[g] += add(1): %ld", (long)(a[g] += add(1))); elements();
  start(); printf("a[add(1)] = g: %ld", (long)(a[add(1)] = g)); elements();
  start(); printf("l + add(2): %ld", (long)(l + add(2))); elements();
  start(); printf("by_value(s, change(9)): %ld", (long)(by_value(s, change(9)))); elements();
  start(); printf("by_value(s, s.x) + change(4): %ld", (long)(by_value(s, s.x) + change(4))); elements();
  return 0;
}
