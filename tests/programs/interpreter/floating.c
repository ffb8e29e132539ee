// Floats of all types, conversions, comparisons, library functions.
#include <stdio.h>
#include <math.h>
#include <float.h>
int main(void) {
  float f = 0.1f; double d = 0.1; long double l = 0.1L; printf("%.20f %.20f %.20Lf\n", f, d, l); printf("%d %d %d\n", f == d, f == (float)d, 0.1 + 0.2 == 0.3); printf("%.10g %.10g %.10g\n", 1.0 / 3, 1.0f / 3, (double)(1.0L / 3));
  printf("%d %d %d %u\n", (int)3.99, (int)-3.99, (char)65.5, (unsigned)3e9); printf("%g %g %g\n", (double)-1, (double)4294967295u, (float)16777217); printf("%.0f %.0f\n", (double)18446744073709551615ull, (double)-9223372036854775807ll);
  d = INFINITY; printf("%g %g %d %d\n", d, -d, d > DBL_MAX, d == d + 1); d = d - d; printf("%d %d %d\n", d == d, d != d, isnan(d)); printf("%g %g %d\n", -0.0, 0.0 * -1, signbit(-0.0) != 0); printf("%g %g %g %g\n", DBL_MAX, DBL_MIN, FLT_MAX, (double)FLT_EPSILON); printf("%Lg %Lg\n", LDBL_MAX, LDBL_MIN); printf("%g %g\n", 5e-324, 5e-324 / 2);
  printf("%g %g %g %g %g %g\n", floor(-2.5), ceil(-2.5), round(-2.5), trunc(-2.5), rint(-2.5), fabs(-2.5)); printf("%g %g %g %g\n", sqrt(2), fmod(7.5, 2), fmin(1, NAN), fmax(-1, 2));
#if __LP64__ /* results on x87 are not modelled */
  printf("%g %g %g %g %g\n", sin(1), cos(1), exp(1), log(10), pow(2, 0.5));
#endif
  printf("%d %d %d\n", isinf(INFINITY) != 0, isfinite(1.0) != 0, isnormal(1e-310) != 0);
  f = 1e30f; f *= f; printf("%g\n", f); f = 16777216; f++; printf("%.1f\n", f); d = 1; int n = 0; while (d + 1 != d) { d *= 2; n++; } printf("%d\n", n); l = 1; n = 0; while (l + 1 != l) { l *= 2; n++; } printf("%d\n", n); __float128 q = 1; n = 0; while (q + 1 != q) { q *= 2; n++; } printf("%d\n", n);
  d = 10; d /= 4; d += 1; d -= .5; d *= 3; printf("%g\n", d); int i = 7; i *= 1.5; printf("%d\n", i); i += 0.9; printf("%d\n", i); printf("%d %d\n", !0.0, !0.5); printf("%s\n", 0.5 ? "true" : "false"); if (d && !0.0f) printf("and\n"); printf("%g\n", (1, 2.5)); printf("%g %g\n", 1 / 2 * 2.0, 1 / 2.0 * 2); printf("%g\n", (double)(float)1e-46); union { double d; unsigned long long u; } u = { 1.5 }; printf("%llx\n", u.u); u.u = 0x7ff0000000000001ull; printf("%d\n", u.d != u.d); printf("%g %g\n", 0x1.8p3, 1e3f); printf("%.3f\n", copysign(3.0, -0.0)); printf("%d\n", (int)(long double)12345678.9L);
  float sum = 0; for (int k = 0; k < 1000; k++) sum += 0.1f; printf("%.6f\n", sum); double h = 0; for (int k = 1; k < 1000; k++) h += 1.0 / k; printf("%.15f\n", h); printf("%.17g\n", 0.1f + 0.2); printf("%d %d\n", (_Bool)0.1, (_Bool)NAN);
  return (int)(d * 2);
}
