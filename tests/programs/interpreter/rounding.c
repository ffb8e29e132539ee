// The rounding mode decides what rint, nearbyint, lrint and llrint do; the mode stays where there is no such one.
#include <fenv.h>
#include <math.h>
#include <stdio.h>

volatile double values[] = { 2.3, 2.5, 3.5, -2.3, -2.5, -3.5, 0.0, -0.0, -0.25, 1e300, INFINITY, NAN };

int main(void) {
  int modes[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, 0x123 };
  for (int m = 0; m < 5; m++) {
    double rounded[12], nearby[12];
    float small[12];
    long whole[6];
    long long wide[6];
    int refused = fesetround(modes[m]), mode = fegetround();
    for (int i = 0; i < 12; i++) {
      rounded[i] = rint(values[i]);
      nearby[i] = nearbyint(values[i]);
    }
    for (int i = 0; i < 6; i++) {
      whole[i] = lrint(values[i]);
      wide[i] = llrint(values[i]);
    }
    fesetround(FE_TONEAREST);
    for (int i = 0; i < 12; i++) small[i] = rintf((float)values[i]);
    printf("%x %d %x\n", modes[m], refused != 0, mode);
    for (int i = 0; i < 12; i++) printf("%g %g %g\n", rounded[i], nearby[i], small[i]);
    for (int i = 0; i < 6; i++) printf("%ld %lld\n", whole[i], wide[i]);
  }
  return 0;
}
