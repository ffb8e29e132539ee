/* Models of math.h where the result is exact but needs more than an expression. */

double trunc(double x);
float truncf(float x);
double fabs(double x);
float fabsf(float x);
double fmod(double x, double y);
float fmodf(float x, float y);
double copysign(double x, double y);
float copysignf(float x, float y);

double modf(double x, double *whole) {
  double t = trunc(x);
  *whole = t;
  if (t == x || x != x) return x != x ? x : copysign(0.0, x);
  return copysign(x - t, x);
}

float modff(float x, float *whole) {
  float t = truncf(x);
  *whole = t;
  if (t == x || x != x) return x != x ? x : copysignf(0.0f, x);
  return copysignf(x - t, x);
}

double frexp(double x, int *exponent) {
  union { double number; unsigned long long bits; } u;
  u.number = x;
  int e = (int)((u.bits >> 52) & 0x7ff);
  *exponent = 0;
  if (x == 0 || e == 0x7ff) return x;
  if (e == 0) {
    u.number = x * 0x1p64;
    e = (int)((u.bits >> 52) & 0x7ff) - 64;
  }
  *exponent = e - 1022;
  u.bits = (u.bits & 0x800fffffffffffffull) | 0x3fe0000000000000ull;
  return u.number;
}

double scalbn(double x, int n) {
  union { double number; unsigned long long bits; } u;
  if (n > 1023) {
    x *= 0x1p1023;
    n -= 1023;
    if (n > 1023) {
      x *= 0x1p1023;
      n -= 1023;
      if (n > 1023) n = 1023;
    }
  } else if (n < -1022) {
    /* Scaling in steps that stay clear of subnormal numbers avoids rounding twice. */
    x *= 0x1p-969;
    n += 969;
    if (n < -1022) {
      x *= 0x1p-969;
      n += 969;
      if (n < -1022) n = -1022;
    }
  }
  u.bits = (unsigned long long)(0x3ff + n) << 52;
  return x * u.number;
}

double ldexp(double x, int n) { return scalbn(x, n); }

double remainder(double x, double y) {
  double infinity = 1e400;
  if (x != x || y != y || fabs(x) == infinity || y == 0) return (x * y) / (x * y);
  if (fabs(y) == infinity) return x;
  double r = fmod(x, y), size = fabs(y);
  /* fmod rounds the quotient towards zero; go to the nearest one, ties to even. */
  double magnitude = fabs(r), rest = size - magnitude;
  int odd = 0;
  if (size < 0x1p1022) odd = fmod(fabs(x), size + size) >= size;
  if (magnitude > rest || (magnitude == rest && odd)) r = copysign(rest, -x);
  if (r == 0) r = copysign(0.0, x);
  return r;
}

float remainderf(float x, float y) {
  float infinity = (float)1e400;
  if (x != x || y != y || fabsf(x) == infinity || y == 0) return (x * y) / (x * y);
  if (fabsf(y) == infinity) return x;
  float r = fmodf(x, y), size = fabsf(y);
  float magnitude = fabsf(r), rest = size - magnitude;
  int odd = 0;
  if (size < 0x1p126f) odd = fmodf(fabsf(x), size + size) >= size;
  if (magnitude > rest || (magnitude == rest && odd)) r = copysignf(rest, -x);
  if (r == 0) r = copysignf(0.0f, x);
  return r;
}

int fesetround(int mode) { return __builtin_set_rounding(mode); }
int fegetround(void) { return __builtin_rounding(); }
