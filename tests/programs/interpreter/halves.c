// _Float16: which values have the precision of float, and where they are rounded.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME(e) _Generic((e), _Float16: "half", float: "float", double: "double", long double: "long double", int: "int")

static unsigned bits(_Float16 x) {
  unsigned short u;
  memcpy(&u, &x, 2);
  return u;
}

static _Float16 made(unsigned short u) {
  _Float16 x;
  memcpy(&x, &u, 2);
  return x;
}

static unsigned single(float x) {
  unsigned u;
  memcpy(&u, &x, 4);
  return u;
}

static void show(const char *name, double x) {
  printf("%s %.17g\n", name, x);
}

static _Float16 second(int n, ...) {
  va_list list;
  va_start(list, n);
  va_arg(list, _Float16);
  _Float16 x = va_arg(list, _Float16);
  va_end(list);
  return x;
}

static float wide(float x) {
  return x;
}

static int old(a, n)
_Float16 a;
int n;
{
  return bits(a) + n;
}

static _Float16 product(_Float16 x, _Float16 y) {
  return x * y;
}

volatile _Float16 va = 0.1f16, vb = 0.3f16, vc = 0.7f16;
static float global_single = 0.1f16 * 0.3f16;
static _Float16 global_half = 0.1f16 * 0.3f16;

static void expressions(void) {
  _Float16 a = va, b = vb, c = vc;
  int n = 3000;
  printf("%zu %zu %zu\n", sizeof(_Float16), sizeof(a + b), _Alignof(_Float16));
  printf("%s %s %s %s %s %s %s\n", NAME(a + b), NAME(-a), NAME(a + 1), NAME(a + 1.0f), NAME(a ? a : b), NAME(a + 1.0), NAME(!(a * b)));
  float f = a * b;
  show("product", f);
  show("rounded", (_Float16)(a * b));
  _Float16 once = (a + b) + c, first = a + b, twice = first + c;
  show("once", once);
  show("twice", twice);
  show("wide", wide(a * b));
  show("argument", second(2, a, a * b));
  show("result", product(a, b));
  show("chosen", c > 0 ? a * b : c);
  show("plain", c > 0 ? a : c);
  show("integer", c > 0 ? 70000 : c);
  show("comma", (n, a * b));
  show("minus", -(a * b));
  show("sum", a * b + c);
  show("statement", ({ a * b; }));
  show("typeof", ({ __typeof__(a * b) q = a * b; q; }));
  show("with int", a + n);
  show("with long", a + 67108864LL);
  show("with double", a + 0.1);
  show("global", global_single);
  show("global half", global_half);
  _Float16 m = a;
  show("times", m *= b);
  m = 65504;
  show("old", m++);
  show("new", ++m);
  m = 2048;
  m += 1.5;
  show("plus", m);
  n *= a;
  printf("%d %d %d\n", n, (int)(a * b * 1000), (int)((_Float16)60000 * (_Float16)2));
  printf("%d %d %d\n", a * b == (_Float16)(a * b), a == 0.1f16, old(a * b, 1));
  int truth = !(a * b);
  printf("%d %d\n", truth, !(a * b) == 0);
}

static void conversions(void) {
  double d = 1.0 + 0x1p-11 + 0x1p-40;
  _Float16 once = d, twice = (float)d, literal = 1.0004882813f16;
  printf("%x %x %x %x\n", bits(once), bits(twice), bits(literal), bits(1.0L + 0x1p-11L + 0x1p-60L));
  printf("%x %x %x %x\n", bits(65519), bits(65520), bits(-1e10), bits(65519.99));
  printf("%x %x %x %x\n", bits(0x1p-25), bits(0x1.0001p-25), bits(2049), bits(0xffffffffffffffffull));
  _Float16 table[] = { 0.1, 1e6, -1e-9, 0.1f16 };
  printf("%x %x %x %x\n", bits(table[0]), bits(table[1]), bits(table[2]), bits(table[3]));
  struct { unsigned f : 3; signed g : 3; _Float16 h; } s = { 0, 0, 4.5 };
  s.f = s.h;
  s.g = -s.h / 2;
  printf("%d %d %zu\n", s.f, s.g, sizeof s);
}

static void special(void) {
  _Float16 signals = made(0x7d01), big = 60000, two = 2, zero = 0, inf = __builtin_inff16();
  printf("%x %x %x %x\n", bits(signals), single(signals), single(made(0xfd55)), bits(__builtin_copysignf16(signals, -two)));
  printf("%x %x %x %x\n", bits(-signals), bits(__builtin_fabsf16(-two)), bits(signals + two), bits(inf - inf));
  printf("%x %x %x\n", bits(__builtin_nanf16("0x123")), bits(__builtin_huge_valf16()), bits(zero / zero));
  union { unsigned u; float f; } nans[] = { { 0x7f800001 }, { 0xff8abcde }, { 0x7fffffff } };
  printf("%x %x %x\n", bits(nans[0].f), bits(nans[1].f), bits(nans[2].f));
  printf("%d %d %d\n", !!__builtin_isinf(big * two), __builtin_isfinite(big * two), __builtin_isless(big * two, 100000.0));
  printf("%d %d %d\n", !!__builtin_isnan(signals), __builtin_isnormal(made(1)), !!__builtin_signbit(-zero));
  _Bool tiny = made(1), minus = made(0x8000), product = made(1) * made(1);
  printf("%d %d %d %d\n", tiny, minus, product, !made(0x7e00));
}

int main(void) {
  expressions();
  conversions();
  special();
  return 0;
}
