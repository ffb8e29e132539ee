/* Models of functions of math.h and complex.h that glibc computes from others, in the same way. */

double log(double x);
double log1p(double x);
double sin(double x);
double cos(double x);
double hypot(double x, double y);
double atan2(double y, double x);
float logf(float x);
float log1pf(float x);
float sinf(float x);
float cosf(float x);
float hypotf(float x, float y);
float atan2f(float y, float x);

double asinh(double x) {
  double size = fabs(x), t = size * size;
  if (size < 0x1p-28) return x;
  if (!(size <= 0x1p28)) return size == (1.0 / 0.0) || x != x ? x + x : copysign(log(size) + 6.93147180559945286227e-01, x);
  if (size > 2) return copysign(log(2 * size + 1 / (__builtin_sqrt(t + 1) + size)), x);
  return copysign(log1p(size + t / (1 + __builtin_sqrt(1 + t))), x);
}

double acosh(double x) {
  double t = x - 1;
  if (x < 1) {
    __builtin_set_errno(33);
    return (x - x) / (x - x);
  }
  if (x == 1) return 0;
  if (!(x < 0x1p28)) return x == (1.0 / 0.0) || x != x ? x + x : log(x) + 6.93147180559945286227e-01;
  if (x > 2) return log(2 * x - 1 / (x + __builtin_sqrt(x * x - 1)));
  return log1p(t + __builtin_sqrt(2 * t + t * t));
}

double atanh(double x) {
  double size = fabs(x), t = size + size;
  if (size < 0x1p-28) return x;
  if (size < 0.5) return copysign(0.5 * log1p(t + t * size / (1 - size)), x);
  if (size < 1) return copysign(0.5 * log1p(t / (1 - size)), x);
  if (size > 1) {
    __builtin_set_errno(33);
    return (x - x) / (x - x);
  }
  if (size == 1) __builtin_set_errno(34);
  return x != x ? x + x : x / 0.0;
}

float asinhf(float x) {
  float size = fabsf(x), t = size * size;
  if (size < 0x1p-15f) return x;
  if (!(size <= 0x1p15f)) return size == (1.0f / 0.0f) || x != x ? x + x : copysignf(logf(size) + 6.9314718246e-01f, x);
  if (size > 2) return copysignf(logf(2 * size + 1 / (__builtin_sqrtf(t + 1) + size)), x);
  return copysignf(log1pf(size + t / (1 + __builtin_sqrtf(1 + t))), x);
}

float acoshf(float x) {
  float t = x - 1;
  if (x < 1) {
    __builtin_set_errno(33);
    return (x - x) / (x - x);
  }
  if (x == 1) return 0;
  if (!(x < 0x1p28f)) return x == (1.0f / 0.0f) || x != x ? x + x : logf(x) + 6.9314718246e-01f;
  if (x > 2) return logf(2 * x - 1 / (x + __builtin_sqrtf(x * x - 1)));
  return log1pf(t + __builtin_sqrtf(2 * t + t * t));
}

float atanhf(float x) {
  float size = fabsf(x), t = size + size;
  if (size < 0x1p-28f) return x;
  if (size < 0.5f) return copysignf(0.5f * log1pf(t + t * size / (1 - size)), x);
  if (size < 1) return copysignf(0.5f * log1pf(t / (1 - size)), x);
  if (size > 1) {
    __builtin_set_errno(33);
    return (x - x) / (x - x);
  }
  if (size == 1) __builtin_set_errno(34);
  return x != x ? x + x : x / 0.0f;
}

void sincos(double x, double *sine, double *cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}

void sincosf(float x, float *sine, float *cosine) {
  *sine = sinf(x);
  *cosine = cosf(x);
}

double nextup(double x) {
  __model_bits u;
  u.number = x;
  if (x != x) return x + x;
  if (x == 1.0 / 0.0) return x;
  if (x == 0) u.bits = 1;
  else if (x > 0) u.bits++;
  else u.bits--;
  return u.number;
}

double nextdown(double x) { return -nextup(-x); }

float nextupf(float x) {
  __model_bitsf u;
  u.number = x;
  if (x != x) return x + x;
  if (x == 1.0f / 0.0f) return x;
  if (x == 0) u.bits = 1;
  else if (x > 0) u.bits++;
  else u.bits--;
  return u.number;
}

float nextdownf(float x) { return -nextupf(-x); }

double cabs(double _Complex z) { return hypot(__real__ z, __imag__ z); }
double carg(double _Complex z) { return atan2(__imag__ z, __real__ z); }
float cabsf(float _Complex z) { return hypotf(__real__ z, __imag__ z); }
float cargf(float _Complex z) { return atan2f(__imag__ z, __real__ z); }

double _Complex cproj(double _Complex z) {
  if (fabs(__real__ z) == 1.0 / 0.0 || fabs(__imag__ z) == 1.0 / 0.0) {
    double _Complex infinite;
    __real__ infinite = 1.0 / 0.0;
    __imag__ infinite = copysign(0.0, __imag__ z);
    return infinite;
  }
  return z;
}

float _Complex cprojf(float _Complex z) {
  if (fabsf(__real__ z) == 1.0f / 0.0f || fabsf(__imag__ z) == 1.0f / 0.0f) {
    float _Complex infinite;
    __real__ infinite = 1.0f / 0.0f;
    __imag__ infinite = copysignf(0.0f, __imag__ z);
    return infinite;
  }
  return z;
}
