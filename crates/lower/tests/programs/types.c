int printf(const char *, ...);
#pragma pack(push, 2)
struct packed2 { char a; int b; long long c; };
#pragma pack(pop)
struct __attribute__((packed)) tight { char a; short b; int c : 5; long long d : 40; };
struct fields { unsigned a : 3; int b : 5; unsigned : 0; signed char c : 4; _Bool d : 1; unsigned long long e : 35; int f; };
struct flexible { int n; char data[]; };
struct outer { char c; struct { short s; union { int i; char bytes[8]; }; }; long double ld; } __attribute__((aligned(32)));
typedef int aligned_int __attribute__((aligned(16)));
struct with_aligned { char c; aligned_int i; char d; };
enum small { A = -1, B = 200 } __attribute__((packed));
enum wide { W = 1ULL << 35 };
enum unsigned_one { U = 0xffffffffu };
typedef enum { F, G = 7, H } plain;
union mixed { char c; double d; struct { int x, y, z; } s; };
typedef int word __attribute__((mode(DI)));

struct fields zero = { 1, -2, -3, 1, 0x7ffffffffull, 9 }, copy;
static struct flexible flex = { 3, { 'x', 'y', 0 } };

int main(void) {
  printf("%zu %zu %zu\n", sizeof(struct packed2), sizeof(struct tight), sizeof(struct fields));
  printf("%zu %zu %zu\n", sizeof(struct outer), _Alignof(struct outer), __builtin_offsetof(struct outer, bytes[3]));
  printf("%zu %zu %zu %zu\n", sizeof(struct with_aligned), sizeof(enum small), sizeof(enum wide), sizeof(union mixed));
  printf("%zu %zu %d %d\n", sizeof(word), sizeof(plain), (enum small)B < 0, U > 0);
  copy = zero;
  copy.a += 9;
  copy.b <<= 3;
  copy.c++;
  copy.d = 6;
  copy.e *= 3;
  printf("%d %d %d %d %llx %d\n", copy.a, copy.b, copy.c, copy.d, (unsigned long long)copy.e, copy.f);
  printf("%d %d %d\n", zero.a - 2 < 0, zero.b, -zero.d);
  printf("%s %d\n", flex.data, flex.n);
  struct tight t = { 'a', -1, 13, -5 };
  t.c--;
  t.d += 1LL << 38;
  printf("%d %d %d %lld\n", t.a, t.b, t.c, (long long)t.d);
  struct packed2 p = { 1, 2, 3 }, *q = &p;
  q->c = q->b++ + q->a;
  printf("%d %lld %d\n", p.b, p.c, (int)((char *)&q->c - (char *)q));
  unsigned __int128 big = (unsigned __int128)1 << 100;
  big = big * 5 / 3 + 7;
  printf("%llx %llx\n", (unsigned long long)(big >> 64), (unsigned long long)big);
  __int128 negative = -3;
  printf("%d %d\n", negative < 0, (int)(negative * 7 / 2));
  float f = 16777216.0f;
  double d = 0.1;
  printf("%d %d %.17g\n", f + 1 == f, (float)d == d, d + 0.2);
  printf("%d %u %ld\n", (int)-1.9, (unsigned)3.99f, (long)1e15);
  printf("%d %d\n", (_Bool)0.5, (_Bool)"x");
  char c = 'a' + 1;
  c += 300;
  printf("%d %d %d\n", c, (char)300, 'ab');
  printf("%d %d\n", 1 << 4 | 3 & 2 ^ 1, -5 >> 1);
  printf("%lu %d %d\n", 4294967295 + 1ul, 0x80000000 > 0, 2147483648 > 0);
  return 0;
}
