/* Models of gcc's builtins that count bits. */

int __builtin_popcountll(unsigned long long x) {
  x = x - ((x >> 1) & 0x5555555555555555ull);
  x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return (x * 0x0101010101010101ull) >> 56;
}

int __builtin_popcount(unsigned x) {
  x = x - ((x >> 1) & 0x55555555u);
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0fu;
  return (x * 0x01010101u) >> 24;
}

int __builtin_popcountl(unsigned long x) {
  unsigned long long y = x;
  y = y - ((y >> 1) & 0x5555555555555555ull);
  y = (y & 0x3333333333333333ull) + ((y >> 2) & 0x3333333333333333ull);
  y = (y + (y >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return (y * 0x0101010101010101ull) >> 56;
}

int __builtin_parity(unsigned x) {
  x ^= x >> 16;
  x ^= x >> 8;
  x ^= x >> 4;
  x ^= x >> 2;
  x ^= x >> 1;
  return x & 1;
}

int __builtin_parityll(unsigned long long x) {
  x ^= x >> 32;
  x ^= x >> 16;
  x ^= x >> 8;
  x ^= x >> 4;
  x ^= x >> 2;
  x ^= x >> 1;
  return x & 1;
}

int __builtin_parityl(unsigned long x) {
  unsigned long long y = x;
  y ^= y >> 32;
  y ^= y >> 16;
  y ^= y >> 8;
  y ^= y >> 4;
  y ^= y >> 2;
  y ^= y >> 1;
  return y & 1;
}

int __builtin_clz(unsigned x) {
  int n = 0, undefined;
  __builtin_requires(x != 0);
  if (x == 0) return undefined;
  if (!(x & 0xffff0000u)) { n += 16; x <<= 16; }
  if (!(x & 0xff000000u)) { n += 8; x <<= 8; }
  if (!(x & 0xf0000000u)) { n += 4; x <<= 4; }
  if (!(x & 0xc0000000u)) { n += 2; x <<= 2; }
  if (!(x & 0x80000000u)) n += 1;
  return n;
}

int __builtin_clzll(unsigned long long x) {
  int n = 0, undefined;
  __builtin_requires(x != 0);
  if (x == 0) return undefined;
  if (!(x & 0xffffffff00000000ull)) { n += 32; x <<= 32; }
  if (!(x & 0xffff000000000000ull)) { n += 16; x <<= 16; }
  if (!(x & 0xff00000000000000ull)) { n += 8; x <<= 8; }
  if (!(x & 0xf000000000000000ull)) { n += 4; x <<= 4; }
  if (!(x & 0xc000000000000000ull)) { n += 2; x <<= 2; }
  if (!(x & 0x8000000000000000ull)) n += 1;
  return n;
}

int __builtin_clzl(unsigned long x) {
  return sizeof(long) == 8 ? __builtin_clzll(x) : __builtin_clz(x);
}

int __builtin_ctz(unsigned x) {
  int n = 0, undefined;
  __builtin_requires(x != 0);
  if (x == 0) return undefined;
  if (!(x & 0xffffu)) { n += 16; x >>= 16; }
  if (!(x & 0xffu)) { n += 8; x >>= 8; }
  if (!(x & 0xfu)) { n += 4; x >>= 4; }
  if (!(x & 3u)) { n += 2; x >>= 2; }
  if (!(x & 1u)) n += 1;
  return n;
}

int __builtin_ctzll(unsigned long long x) {
  int n = 0, undefined;
  __builtin_requires(x != 0);
  if (x == 0) return undefined;
  if (!(x & 0xffffffffull)) { n += 32; x >>= 32; }
  if (!(x & 0xffffull)) { n += 16; x >>= 16; }
  if (!(x & 0xffull)) { n += 8; x >>= 8; }
  if (!(x & 0xfull)) { n += 4; x >>= 4; }
  if (!(x & 3ull)) { n += 2; x >>= 2; }
  if (!(x & 1ull)) n += 1;
  return n;
}

int __builtin_ctzl(unsigned long x) {
  return sizeof(long) == 8 ? __builtin_ctzll(x) : __builtin_ctz(x);
}

int __builtin_ffs(int x) { return x == 0 ? 0 : __builtin_ctz(x) + 1; }
int __builtin_ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
int __builtin_ffsl(long x) { return x == 0 ? 0 : __builtin_ctzl(x) + 1; }
int ffs(int x) { return x == 0 ? 0 : __builtin_ctz(x) + 1; }
int ffsll(long long x) { return x == 0 ? 0 : __builtin_ctzll(x) + 1; }
int ffsl(long x) { return x == 0 ? 0 : __builtin_ctzl(x) + 1; }

int __builtin_clrsb(int x) {
  unsigned y = x < 0 ? ~x : x;
  return y == 0 ? 31 : __builtin_clz(y) - 1;
}

int __builtin_clrsbll(long long x) {
  unsigned long long y = x < 0 ? ~x : x;
  return y == 0 ? 63 : __builtin_clzll(y) - 1;
}

int __builtin_clrsbl(long x) {
  return sizeof(long) == 8 ? __builtin_clrsbll(x) : __builtin_clrsb(x);
}
