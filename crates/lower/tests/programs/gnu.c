int printf(const char *, ...);
typedef __builtin_va_list va_list;

/* Computed goto as an interpreter of a tiny machine. */
static int machine(const char *code) {
  static void *const table[] = { &&push, &&add, &&mul, &&stop };
  int stack[8], top = 0, at = 0;
next:
  goto *table[code[at++] - 'a'];
push:
  stack[top++] = code[at++] - '0';
  goto next;
add:
  top--;
  stack[top - 1] += stack[top];
  goto next;
mul:
  top--;
  stack[top - 1] *= stack[top];
  goto next;
stop:
  return stack[0];
}

/* Duff's device. */
static int copy(char *to, const char *from, int count) {
  int n = (count + 3) / 4;
  switch (count % 4) {
  case 0: do { *to++ = *from++;
  case 3:      *to++ = *from++;
  case 2:      *to++ = *from++;
  case 1:      *to++ = *from++;
          } while (--n > 0);
  }
  return n;
}

static int ranges(int c) {
  switch (c) {
  case '0' ... '9': return 1;
  case 'a' ... 'f':
  case 'A' ... 'F': return 2;
  case -5 ... -1: return 3;
  default: return 0;
  }
}

struct point { short x, y; };
struct big { char name[10]; struct point at; double weight; };

static struct big make(int n) {
  struct big b = { .name = "n", .at.y = n, .weight = n / 2.0 };
  b.name[1] = '0' + n;
  return b;
}

static struct point swap(struct point p) { return (struct point){ p.y, p.x }; }

static double sum(int n, ...) {
  va_list ap, again;
  double s = 0;
  __builtin_va_start(ap, n);
  __builtin_va_copy(again, ap);
  for (int i = 0; i < n; i++) {
    switch (__builtin_va_arg(ap, int)) {
    case 0: s += __builtin_va_arg(ap, int); break;
    case 1: s += __builtin_va_arg(ap, double); break;
    case 2: s += __builtin_va_arg(ap, struct big).weight; break;
    case 3: { struct point p = __builtin_va_arg(ap, struct point); s += p.x * 10 + p.y; break; }
    case 4: s += __builtin_va_arg(ap, long long); break;
    case 5: s += *__builtin_va_arg(ap, char *); break;
    }
  }
  s += 1000 * __builtin_va_arg(again, int);
  __builtin_va_end(ap);
  return s;
}

static int matrix(int n, int m, int a[n][m]) {
  int s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) s = 3 * s + a[i][j];
  return s + sizeof(a[0]);
}

static int old(a, b, c) int a; char b; float c; { return a + b + (int)c; }

union pun { float f; unsigned u; unsigned char b[4]; struct { unsigned lo : 12, mid : 8, hi : 12; }; };

int counter(void) { static int n = 5; return n++; }


struct pair { int a; const int b; int c[2]; } pair;
const struct pair pairs[2];

void qualified(const int *p, const int n, int *const q, const struct pair *r) {
  const int c = 1, a[3] = { 0 }, m[2][2] = { { 0 } };
  int i = n;
  static const int s = 2;
  printf("%d\n", _Generic(p, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&n, int *: 1, const int *: 2));
  printf("%d\n", _Generic(q, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&q, int **: 1, int *const *: 2));
  printf("%d\n", _Generic(&c, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&s, int *: 1, const int *: 2));
  printf("%d\n", _Generic(a, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&a[1], int *: 1, const int *: 2));
  printf("%d\n", _Generic(m[1], int *: 1, const int *: 2));
  printf("%d\n", _Generic(&i, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&pairs[0].a, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&pair.b, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&pair.a, int *: 1, const int *: 2));
  printf("%d\n", _Generic(pairs->c, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&r->a, int *: 1, const int *: 2));
  printf("%d\n", _Generic(r->c, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&r->c[1], int *: 1, const int *: 2));
  printf("%d\n", _Generic(i ? &i : &c, int *: 1, const int *: 2));
  printf("%d\n", _Generic(i ? &c : &i, int *: 1, const int *: 2));
  printf("%d\n", _Generic(i ? &c : 0, int *: 1, const int *: 2));
  printf("%d\n", _Generic(i ? (void *)0 : &c, int *: 1, const int *: 2, void *: 3, const void *: 4));
  printf("%d\n", _Generic(i ? (void *)&i : &c, int *: 1, const int *: 2, void *: 3, const void *: 4));
  printf("%d\n", _Generic(i ? &i : (void *)0, int *: 1, const int *: 2, void *: 3, const void *: 4));
  __typeof__(c) t = 3;
  const __auto_type u = i;
  __auto_type v = c;
  printf("%d\n", _Generic(&t, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&u, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&v, int *: 1, const int *: 2));
  printf("%d\n", _Generic((__typeof__(pair.b) *)0, int *: 1, const int *: 2));
  printf("%d\n", _Generic(&(const int){ 1 }, int *: 1, const int *: 2));
  printf("%d\n", _Generic(((const int[]){ 1, 2 }), int *: 1, const int *: 2));
  printf("%d\n", __builtin_types_compatible_p(__typeof__(&c), int *));
}

int main(void) {
  __label__ out;
  printf("%d\n", machine("a3a4ba5cd"));
  char buf[12] = { 0 };
  copy(buf, "hello, you", 10);
  printf("%s\n", buf);
  printf("%d %d %d %d %d\n", ranges('7'), ranges('b'), ranges('E'), ranges(-3), ranges('z'));
  struct big b = make(7), c = b;
  c.at = swap(c.at);
  printf("%s %d %d %g %d %d\n", b.name, b.at.x, b.at.y, b.weight, c.at.x, make(3).at.y);
  printf("%g\n", sum(6, 0, 1, 1, 2.5f, 2, b, 3, swap(b.at), 4, 1LL << 33, 5, "A"));
  int n = 3, m = 4;
  int a[n][m];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = i * m + j;
  printf("%d %zu\n", matrix(n, m, a), sizeof a);
  printf("%zu\n", sizeof a[n++]);
  printf("%d %d\n", n, old(1, 'a', 2.5));
  union pun p = { .f = 1.5f };
  printf("%x %d %x %x %x\n", p.u, p.b[3], p.lo, p.mid, p.hi);
  p.mid = 0x1ff;
  printf("%x\n", p.u);
  int first = counter(), second = counter();
  printf("%d %d %d\n", first, second, ({ int _a = counter(); __typeof__(3) _b = 3; _a > _b ? _a : _b; }));
  printf("%d\n", _Generic(1.0f, double: 1, float: 2, default: 3));
  qualified(0, 1, 0, &pair);
  int x = 5, y = x++ ?: 7;
  printf("%d %d %d\n", x, y, (x, y) ? x ?: 1 : 2);
  int arr[] = { [5] = 1, 2, [2 ... 3] = 9, [0] = 4 };
  for (unsigned i = 0; i < sizeof arr / sizeof *arr; i++) printf("%d,", arr[i]);
  printf("%zu\n", sizeof arr);
  char *names[] = { "zero", "one", [3] = "three" };
  printf("%s %s %d\n", names[1], names[3], names[2] == 0);
  for (int i = 0;; i++)
    for (int j = 0;; j++)
      if (i * j > 20) { printf("%d %d\n", i, j); goto out; } else if (j > 5) break;
out:;
  unsigned char uc = 200;
  signed char sc = uc;
  short sh = 70000;
  printf("%d %d %d %u %d\n", uc + uc, sc, sh, -1 > 0u, (uc << 24) >> 31);
  printf("%ld %lu %d\n", -7L / 2, (unsigned long)-7 % 5, -7 % 3);
  long double ld = 1.0L / 3;
  printf("%d %.3f\n", (int)(ld * 3000), (double)ld);
  int (*f)(void) = counter, (**ff)(void) = &f;
  int called = (*f)();
  printf("%d %d\n", called, (**ff)());
  const char *s = __func__;
  printf("%s %c\n", s, 1["abc"]);
  char *dyn = __builtin_alloca(4);
  dyn[0] = 'q'; dyn[1] = 0;
  printf("%s\n", dyn);
  return 0;
}
