/* Models of math.h where the result is exact but needs more than an expression: for double, float and long double.
   errno is what glibc makes of it. */

int fesetround(int mode) { return __builtin_set_rounding(mode); }
int fegetround(void) { return __builtin_rounding(); }

typedef union { double number; unsigned long long bits; } __model_bits;
typedef union { float number; unsigned bits; } __model_bitsf;
typedef union { long double number; struct { unsigned long long bits; unsigned short top; } parts; } __model_bitsl;

double trunc(double x);
double fabs(double x);
double fmod(double x, double y);
double copysign(double x, double y);

double modf(double x, double *whole) {
  double t = trunc(x);
  *whole = t;
  if (t == x || x != x) return x != x ? x + x : copysign(0.0, x);
  return copysign(x - t, x);
}

double frexp(double x, int *exponent) {
  __model_bits u;
  u.number = x;
  int e = (int)((u.bits >> 52) & 0x7ff);
  *exponent = 0;
  if (x == 0 || e == 0x7ff) return x + x;
  if (e == 0) {
    u.number = x * 0x1p64;
    e = (int)((u.bits >> 52) & 0x7ff) - 64;
  }
  *exponent = e - 1022;
  u.bits = (u.bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull;
  return u.number;
}

/* 2 to the power of n, which is that of a normal number. */
double __model_power(int n) {
  __model_bits u;
  u.bits = (unsigned long long)(0x3ff + n) << 52;
  return u.number;
}

double scalbn(double x, int n) {
  double y = x;
  if (n > 1023) {
    y *= 0x1p1023;
    n -= 1023;
    if (n > 1023) {
      y *= 0x1p1023;
      n -= 1023;
      if (n > 1023) n = 1023;
    }
  } else if (n < -1022) {
    /* Scaling in steps that stay clear of subnormal numbers avoids rounding twice. */
    y *= 0x1p-969;
    n += 969;
    if (n < -1022) {
      y *= 0x1p-969;
      n += 969;
      if (n < -1022) n = -1022;
    }
  }
  y *= __model_power(n);
  if (x != 0 && fabs(x) < (1.0 / 0.0) && (y == 0 || fabs(y) == (1.0 / 0.0))) __builtin_set_errno(34);
  return y;
}

double ldexp(double x, int n) { return scalbn(x, n); }
double scalbln(double x, long n) { return scalbn(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }

double logb(double x) {
  int e;
  if (x != x) return x + x;
  if (fabs(x) == (1.0 / 0.0)) return (1.0 / 0.0);
  if (x == 0) {
    return -(1.0 / 0.0);
  }
  frexp(x, &e);
  return e - 1;
}

int ilogb(double x) {
  int e;
  if (x != x || x == 0) {
    __builtin_set_errno(33);
    return -2147483647 - 1;
  }
  if (fabs(x) == (1.0 / 0.0)) {
    __builtin_set_errno(33);
    return 2147483647;
  }
  frexp(x, &e);
  return e - 1;
}

double nextafter(double x, double y) {
  __model_bits u;
  if (x != x || y != y) return (double)(x + y);
  if (x == y) return y;
  u.number = x;
  if (x == 0) u.bits = y < 0 ? 0x8000000000000000ull | 1 : 1;
  else if ((x < y) == (x > 0)) u.bits++;
  else u.bits--;
  if (fabs(u.number) < 0x1p-1022 || fabs(u.number) == (1.0 / 0.0)) __builtin_set_errno(34);
  return u.number;
}

double nexttoward(double x, long double y) {
  __model_bits u;
  if (x != x || y != y) return (double)(x + y);
  if (x == y) return (double)y;
  u.number = x;
  if (x == 0) u.bits = y < 0 ? 0x8000000000000000ull | 1 : 1;
  else if ((x < y) == (x > 0)) u.bits++;
  else u.bits--;
  if (fabs(u.number) < 0x1p-1022 || fabs(u.number) == (1.0 / 0.0)) __builtin_set_errno(34);
  return u.number;
}

double remainder(double x, double y) {
  if (x != x || y != y) return x + y;
  if (fabs(x) == (1.0 / 0.0) || y == 0) {
    __builtin_set_errno(33);
    return (x * y) / (x * y);
  }
  if (fabs(y) == (1.0 / 0.0)) return x;
  double r = fmod(x, y), size = fabs(y);
  /* fmod rounds the quotient towards zero; go to the nearest one, ties to even. */
  double magnitude = fabs(r), rest = size - magnitude;
  int odd = size < 0x1p1023 ? fmod(fabs(x), size + size) >= size : fabs(x) >= size;
  if (magnitude > rest || (magnitude == rest && odd)) r = copysign(rest, -x);
  if (r == 0) r = copysign(0.0, x);
  return r;
}

double drem(double x, double y) { return remainder(x, y); }

/* Of the quotient the last bits, with its sign, as glibc gives them: 8 where rounding carries. */
double remquo(double x, double y, int *quotient) {
  *quotient = 0;
  if (x != x || y != y) return x + y;
  if (fabs(x) == (1.0 / 0.0) || y == 0) return (x * y) / (x * y);
  if (fabs(y) == (1.0 / 0.0)) return x;
  double size = fabs(y), rest = fabs(x);
  int bits = 0;
  if (size < 0x1p1021) rest = fmod(rest, 8 * size);
  if (size < 0x1p1022 && rest >= 4 * size) {
    rest -= 4 * size;
    bits += 4;
  }
  if (size < 0x1p1023 && rest >= 2 * size) {
    rest -= 2 * size;
    bits += 2;
  }
  if (rest >= size) {
    rest -= size;
    bits += 1;
  }
  if (rest > size - rest || (rest == size - rest && bits % 2)) {
    rest -= size;
    bits += 1;
  }
  *quotient = (x < 0) != (y < 0) ? -bits : bits;
  if (rest == 0) rest = 0.0;
  return x < 0 || (x == 0 && 1 / x < 0) ? -rest : rest;
}

float truncf(float x);
float fabsf(float x);
float fmodf(float x, float y);
float copysignf(float x, float y);

float modff(float x, float *whole) {
  float t = truncf(x);
  *whole = t;
  if (t == x || x != x) return x != x ? x + x : copysignf(0.0f, x);
  return copysignf(x - t, x);
}

float frexpf(float x, int *exponent) {
  __model_bitsf u;
  u.number = x;
  int e = (int)((u.bits >> 23) & 0xff);
  *exponent = 0;
  if (x == 0 || e == 0xff) return x + x;
  if (e == 0) {
    u.number = x * 0x1p64f;
    e = (int)((u.bits >> 23) & 0xff) - 64;
  }
  *exponent = e - 126;
  u.bits = (u.bits & 0x807fffffu) | 0x3f000000u;
  return u.number;
}

/* 2 to the power of n, which is that of a normal number. */
float __model_powerf(int n) {
  __model_bitsf u;
  u.bits = (unsigned)(0x7f + n) << 23;
  return u.number;
}

float scalbnf(float x, int n) {
  float y = x;
  if (n > 127) {
    y *= 0x1p127f;
    n -= 127;
    if (n > 127) {
      y *= 0x1p127f;
      n -= 127;
      if (n > 127) n = 127;
    }
  } else if (n < -126) {
    /* Scaling in steps that stay clear of subnormal numbers avoids rounding twice. */
    y *= 0x1p-102f;
    n += 102;
    if (n < -126) {
      y *= 0x1p-102f;
      n += 102;
      if (n < -126) n = -126;
    }
  }
  y *= __model_powerf(n);
  if (x != 0 && fabsf(x) < (1.0f / 0.0f) && (y == 0 || fabsf(y) == (1.0f / 0.0f))) __builtin_set_errno(34);
  return y;
}

float ldexpf(float x, int n) { return scalbnf(x, n); }
float scalblnf(float x, long n) { return scalbnf(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }

float logbf(float x) {
  int e;
  if (x != x) return x + x;
  if (fabsf(x) == (1.0f / 0.0f)) return (1.0f / 0.0f);
  if (x == 0) {
    return -(1.0f / 0.0f);
  }
  frexpf(x, &e);
  return e - 1;
}

int ilogbf(float x) {
  int e;
  if (x != x || x == 0) {
    __builtin_set_errno(33);
    return -2147483647 - 1;
  }
  if (fabsf(x) == (1.0f / 0.0f)) {
    __builtin_set_errno(33);
    return 2147483647;
  }
  frexpf(x, &e);
  return e - 1;
}

float nextafterf(float x, float y) {
  __model_bitsf u;
  if (x != x || y != y) return (float)(x + y);
  if (x == y) return y;
  u.number = x;
  if (x == 0) u.bits = y < 0 ? 0x80000000u | 1 : 1;
  else if ((x < y) == (x > 0)) u.bits++;
  else u.bits--;
  if (fabsf(u.number) < 0x1p-126f || fabsf(u.number) == (1.0f / 0.0f)) __builtin_set_errno(34);
  return u.number;
}

float nexttowardf(float x, long double y) {
  __model_bitsf u;
  if (x != x || y != y) return (float)(x + y);
  if (x == y) return (float)y;
  u.number = x;
  if (x == 0) u.bits = y < 0 ? 0x80000000u | 1 : 1;
  else if ((x < y) == (x > 0)) u.bits++;
  else u.bits--;
  if (fabsf(u.number) < 0x1p-126f || fabsf(u.number) == (1.0f / 0.0f)) __builtin_set_errno(34);
  return u.number;
}

float remainderf(float x, float y) {
  if (x != x || y != y) return x + y;
  if (fabsf(x) == (1.0f / 0.0f) || y == 0) {
    __builtin_set_errno(33);
    return (x * y) / (x * y);
  }
  if (fabsf(y) == (1.0f / 0.0f)) return x;
  float r = fmodf(x, y), size = fabsf(y);
  /* fmod rounds the quotient towards zero; go to the nearest one, ties to even. */
  float magnitude = fabsf(r), rest = size - magnitude;
  int odd = size < 0x1p127f ? fmodf(fabsf(x), size + size) >= size : fabsf(x) >= size;
  if (magnitude > rest || (magnitude == rest && odd)) r = copysignf(rest, -x);
  if (r == 0) r = copysignf(0.0f, x);
  return r;
}

float dremf(float x, float y) { return remainderf(x, y); }

/* Of the quotient the last bits, with its sign, as glibc gives them: 8 where rounding carries. */
float remquof(float x, float y, int *quotient) {
  *quotient = 0;
  if (x != x || y != y) return x + y;
  if (fabsf(x) == (1.0f / 0.0f) || y == 0) return (x * y) / (x * y);
  if (fabsf(y) == (1.0f / 0.0f)) return x;
  float size = fabsf(y), rest = fabsf(x);
  int bits = 0;
  if (size < 0x1p125f) rest = fmodf(rest, 8 * size);
  if (size < 0x1p126f && rest >= 4 * size) {
    rest -= 4 * size;
    bits += 4;
  }
  if (size < 0x1p127f && rest >= 2 * size) {
    rest -= 2 * size;
    bits += 2;
  }
  if (rest >= size) {
    rest -= size;
    bits += 1;
  }
  if (rest > size - rest || (rest == size - rest && bits % 2)) {
    rest -= size;
    bits += 1;
  }
  *quotient = (x < 0) != (y < 0) ? -bits : bits;
  if (rest == 0) rest = 0.0f;
  return x < 0 || (x == 0 && 1 / x < 0) ? -rest : rest;
}

long double truncl(long double x);
long double fabsl(long double x);
long double fmodl(long double x, long double y);
long double copysignl(long double x, long double y);

long double modfl(long double x, long double *whole) {
  long double t = truncl(x);
  *whole = t;
  if (t == x || x != x) return x != x ? x + x : copysignl(0.0l, x);
  return copysignl(x - t, x);
}

long double frexpl(long double x, int *exponent) {
  __model_bitsl u;
  u.number = x;
  int e = u.parts.top & 0x7fff;
  *exponent = 0;
  if (x == 0 || e == 0x7fff) return x + x;
  if (e == 0) {
    u.number = x * 0x1p64l;
    e = (u.parts.top & 0x7fff) - 64;
  }
  *exponent = e - 16382;
  u.parts.top = (u.parts.top & 0x8000) | 0x3ffe;
  return u.number;
}

/* 2 to the power of n, which is that of a normal number. */
long double __model_powerl(int n) {
  __model_bitsl u;
  u.parts.bits = 0x8000000000000000ull;
  u.parts.top = 0x3fff + n;
  return u.number;
}

long double scalbnl(long double x, int n) {
  long double y = x;
  if (n > 16383) {
    y *= 0x1p16383l;
    n -= 16383;
    if (n > 16383) {
      y *= 0x1p16383l;
      n -= 16383;
      if (n > 16383) n = 16383;
    }
  } else if (n < -16382) {
    /* Scaling in steps that stay clear of subnormal numbers avoids rounding twice. */
    y *= 0x1p-16269l;
    n += 16269;
    if (n < -16382) {
      y *= 0x1p-16269l;
      n += 16269;
      if (n < -16382) n = -16382;
    }
  }
  y *= __model_powerl(n);
  if (x != 0 && fabsl(x) < (1.0l / 0.0l) && (y == 0 || fabsl(y) == (1.0l / 0.0l))) __builtin_set_errno(34);
  return y;
}

long double ldexpl(long double x, int n) { return scalbnl(x, n); }
long double scalblnl(long double x, long n) { return scalbnl(x, n > 100000 ? 100000 : n < -100000 ? -100000 : (int)n); }

long double logbl(long double x) {
  int e;
  if (x != x) return x + x;
  if (fabsl(x) == (1.0l / 0.0l)) return (1.0l / 0.0l);
  if (x == 0) {
    return -(1.0l / 0.0l);
  }
  frexpl(x, &e);
  return e - 1;
}

int ilogbl(long double x) {
  int e;
  if (x != x || x == 0) {
    __builtin_set_errno(33);
    return -2147483647 - 1;
  }
  if (fabsl(x) == (1.0l / 0.0l)) {
    __builtin_set_errno(33);
    return 2147483647;
  }
  frexpl(x, &e);
  return e - 1;
}

long double nextafterl(long double x, long double y) {
  __model_bitsl u;
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  u.number = x;
  if (x == 0) {
    u.parts.bits = 1;
    u.parts.top = y < 0 ? 0x8000 : 0;
    __builtin_set_errno(34);
    return u.number;
  }
  if ((x < y) == (x > 0)) {
    u.parts.bits++;
    if (u.parts.bits == 0 || ((u.parts.top & 0x7fff) == 0 && u.parts.bits == 0x8000000000000000ull)) {
      u.parts.bits |= 0x8000000000000000ull;
      u.parts.top++;
    }
  } else {
    if (u.parts.bits == 0x8000000000000000ull) {
      u.parts.top--;
      u.parts.bits = (u.parts.top & 0x7fff) == 0 ? 0x7fffffffffffffffull : 0xffffffffffffffffull;
    } else {
      u.parts.bits--;
    }
  }
  if (fabsl(u.number) < 0x1p-16382l || fabsl(u.number) == (1.0l / 0.0l)) __builtin_set_errno(34);
  return u.number;
}

long double nexttowardl(long double x, long double y) { return nextafterl(x, y); }

long double remainderl(long double x, long double y) {
  if (x != x || y != y) return x + y;
  if (fabsl(x) == (1.0l / 0.0l) || y == 0) {
    __builtin_set_errno(33);
    return (x * y) / (x * y);
  }
  if (fabsl(y) == (1.0l / 0.0l)) return x;
  long double r = fmodl(x, y), size = fabsl(y);
  /* fmod rounds the quotient towards zero; go to the nearest one, ties to even. */
  long double magnitude = fabsl(r), rest = size - magnitude;
  int odd = size < 0x1p16383l ? fmodl(fabsl(x), size + size) >= size : fabsl(x) >= size;
  if (magnitude > rest || (magnitude == rest && odd)) r = copysignl(rest, -x);
  if (r == 0) r = copysignl(0.0l, x);
  return r;
}

long double dreml(long double x, long double y) { return remainderl(x, y); }

/* Of the quotient the last bits, with its sign, as glibc gives them: 8 where rounding carries. */
long double remquol(long double x, long double y, int *quotient) {
  *quotient = 0;
  if (x != x || y != y) return x + y;
  if (fabsl(x) == (1.0l / 0.0l) || y == 0) return (x * y) / (x * y);
  if (fabsl(y) == (1.0l / 0.0l)) return x;
  long double size = fabsl(y), rest = fabsl(x);
  int bits = 0;
  if (size < 0x1p16381l) rest = fmodl(rest, 8 * size);
  if (size < 0x1p16382l && rest >= 4 * size) {
    rest -= 4 * size;
    bits += 4;
  }
  if (size < 0x1p16383l && rest >= 2 * size) {
    rest -= 2 * size;
    bits += 2;
  }
  if (rest >= size) {
    rest -= size;
    bits += 1;
  }
  if (rest > size - rest || (rest == size - rest && bits % 2)) {
    rest -= size;
    bits += 1;
  }
  *quotient = (x < 0) != (y < 0) ? -bits : bits;
  if (rest == 0) rest = 0.0l;
  return x < 0 || (x == 0 && 1 / x < 0) ? -rest : rest;
}
