int printf(const char *, ...);
double fabs(double), floor(double), ceil(double), trunc(double), round(double), rint(double), nearbyint(double), sqrt(double);
double fmin(double, double), fmax(double, double), fmod(double, double), copysign(double, double), fdim(double, double), remainder(double, double);
double modf(double, double *), frexp(double, int *), ldexp(double, int);
float fabsf(float), floorf(float), ceilf(float), truncf(float), roundf(float), rintf(float), sqrtf(float), fminf(float, float), fmaxf(float, float), fmodf(float, float), copysignf(float, float), fdimf(float, float), remainderf(float, float);

static void show(double x) {
  union { double d; unsigned long long bits; } u = { x };
  if (x != x) printf(" nan");
  else printf(" %llx", u.bits);
}

static void showf(float x) {
  union { float f; unsigned bits; } u = { x };
  if (x != x) printf(" nan");
  else printf(" %x", u.bits);
}

static const double values[] = { 0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 1.5, 2.5, -2.5, 0.49999999999999994, 4503599627370495.5, 1e300, -1e300, 5e-324, 1e-310, 3.0, 7.0, -7.25, 1e400, -1e400 };
static const float floats[] = { 0.0f, -0.0f, 0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 0.49999997f, 8388607.5f, 1e30f, 1e-45f, 3.0f, -7.25f, 1e39f };

int main(void) {
  double nan = __builtin_nan("");
  for (unsigned i = 0; i <= sizeof values / sizeof *values; i++) {
    double x = i < sizeof values / sizeof *values ? values[i] : nan, whole = 0;
    int e = 0;
    show(fabs(x)), show(floor(x)), show(ceil(x)), show(trunc(x)), show(round(x)), show(rint(x)), show(nearbyint(x)), show(sqrt(x));
    show(modf(x, &whole)), show(whole), show(frexp(x, &e));
    printf(" %d", e);
    show(ldexp(x, 3)), show(ldexp(x, -1070)), show(ldexp(x, 2000));
    printf(" %d %d %d %d %d\n", __builtin_isnan(x) != 0, __builtin_isinf(x) != 0, __builtin_isfinite(x) != 0, __builtin_isnormal(x) != 0, __builtin_signbit(x) != 0);
    for (unsigned j = 0; j <= sizeof values / sizeof *values; j++) {
      double y = j < sizeof values / sizeof *values ? values[j] : nan;
      if (!(x == 0 && y == 0)) show(fmin(x, y)), show(fmax(x, y));
      show(fmod(x, y)), show(copysign(x, y)), show(fdim(x, y)), show(remainder(x, y));
      printf(" %d%d%d%d%d\n", __builtin_isless(x, y), __builtin_isgreaterequal(x, y), __builtin_islessgreater(x, y), __builtin_isunordered(x, y), x < y);
    }
  }
  for (unsigned i = 0; i < sizeof floats / sizeof *floats; i++) {
    float x = floats[i];
    showf(fabsf(x)), showf(floorf(x)), showf(ceilf(x)), showf(truncf(x)), showf(roundf(x)), showf(rintf(x)), showf(sqrtf(x));
    for (unsigned j = 0; j < sizeof floats / sizeof *floats; j++) {
      float y = floats[j];
      if (!(x == 0 && y == 0)) showf(fminf(x, y)), showf(fmaxf(x, y));
      showf(fmodf(x, y)), showf(copysignf(x, y)), showf(fdimf(x, y)), showf(remainderf(x, y)), showf(x * y), showf(x / y);
    }
    printf("\n");
  }
  return 0;
}
