// Promotions, conversions, wrap-around, shifts, division, 128 bits.
#include <stdio.h>
#include <limits.h>
#include <stdbool.h>
static void show(long long x) { printf("%lld\n", x); }
int main(void) {
  signed char sc = -1; unsigned char uc = 255; short s = -32768; unsigned short us = 65535;
  int i = INT_MAX; unsigned u = UINT_MAX; long l = LONG_MIN; unsigned long long ull = ULLONG_MAX;
  show(sc == uc); show(sc + uc); show((unsigned)sc > 1000); show(us * us); show(s - 1);
  i++; show(i); i--; show(i); show(-INT_MIN == INT_MIN); show(u + 1); show(ull + 1); show(l - 1 > 0);
  show(-7 / 2); show(-7 % 2); show(7 / -2); show(7 % -2); show(7u / 2); show(-7 / 2u > 0);
  show(-8 >> 1); show((unsigned)-8 >> 28); show(1 << 31); show(1ll << 40); show((char)200); show((unsigned char)-3);
  show((short)70000); show((bool)256); show((bool)0.5); show(!5); show(~5); show(-(-5)); show(+sc);
  show(5 & 3 | 8 ^ 2); show(1 ? 2 : 3); show(0 ?: 7); show((1, 2, 3));
  sc = 127; sc++; show(sc); uc = 0; uc--; show(uc); sc += 300; show(sc); us <<= 4; show(us); i = 7; i %= 4; show(i);
  i = 5; show(i++); show(i--); show(++i); show(--i); i ^= 0xff; show(i); i |= 0x100; i &= ~1; show(i); i /= 3; show(i);
  u = 1u << 31; show(u >> 31); show((int)u >> 31); show(0x80000000 > 0); show(-1 < 0u); show(2147483648 > 0); show('\377' < 0);
  printf("%zu %zu %zu %zu\n", sizeof(char), sizeof(int), sizeof('a'), sizeof(1ll));
  printf("%d %d %d\n", 'A', '\n', '\x41'); printf("%u %lu %llx\n", u, 4000000000ul, ull);
  enum color { RED, GREEN = 5, BLUE }; enum color c = BLUE; show(c); show(RED < GREEN); show(sizeof(enum color));
  show(__builtin_popcount(0xF0F0)); show(__builtin_clz(1)); show(__builtin_ctz(8)); show(__builtin_bswap32(0x12345678));
  show(__builtin_expect(3, 1)); show(__builtin_parity(7)); show(__builtin_ffs(12));
  int r; show(__builtin_add_overflow(INT_MAX, 1, &r)); show(r); show(__builtin_mul_overflow(3, 4, &r)); show(r);
  show(_Generic(1.0f, float: 1, double: 2, default: 3)); show(_Generic(sc + 1, int: 1, default: 0));
  __typeof__(ull) t = 1; t <<= 63; show(t >> 62);
  return 300;
}
