/* Models of the arithmetic of complex numbers that gcc leaves to its library. */

/* (a + bi) / (c + di) as libgcc computes it. */
void __model_divide(double a, double b, double c, double d, double *real, double *imaginary) {
  double x, y, ratio, denominator;
  double big = 0x1.fffffffffffffp1023 / 2, small = 0x1p-1022, scale = 1 / 0x1p-52, limit = 0x1.fffffffffffffp1023 / 2 * 0x1p-52;
  if (fabs(c) < fabs(d)) {
    if (fabs(d) >= big) {
      a = a / 2;
      b = b / 2;
      c = c / 2;
      d = d / 2;
    }
    if (fabs(d) < 0x1p-52
        || (fabs(a) < small && fabs(b) < limit && fabs(d) < limit)
        || (fabs(b) < small && fabs(a) < limit && fabs(d) < limit)) {
      a = a * scale;
      b = b * scale;
      c = c * scale;
      d = d * scale;
    }
    ratio = c / d;
    denominator = c * ratio + d;
    if (fabs(ratio) > small) {
      x = (a * ratio + b) / denominator;
      y = (b * ratio - a) / denominator;
    } else {
      x = (c * (a / d) + b) / denominator;
      y = (c * (b / d) - a) / denominator;
    }
  } else {
    if (fabs(c) >= big) {
      a = a / 2;
      b = b / 2;
      c = c / 2;
      d = d / 2;
    }
    if (fabs(c) < 0x1p-52
        || (fabs(a) < small && fabs(b) < limit && fabs(c) < limit)
        || (fabs(b) < small && fabs(a) < limit && fabs(c) < limit)) {
      a = a * scale;
      b = b * scale;
      c = c * scale;
      d = d * scale;
    }
    ratio = d / c;
    denominator = d * ratio + c;
    if (fabs(ratio) > small) {
      x = (b * ratio + a) / denominator;
      y = (b - a * ratio) / denominator;
    } else {
      x = (d * (b / c) + a) / denominator;
      y = (b - d * (a / c)) / denominator;
    }
  }
  /* Infinities and zeros are recovered from results that are not a number. */
  if (x != x && y != y) {
    if (c == 0 && d == 0 && (a == a || b == b)) {
      x = copysign(1.0 / 0.0, c) * a;
      y = copysign(1.0 / 0.0, c) * b;
    } else if ((fabs(a) == 1.0 / 0.0 || fabs(b) == 1.0 / 0.0)
               && fabs(c) < 1.0 / 0.0 && fabs(d) < 1.0 / 0.0) {
      a = copysign(fabs(a) == 1.0 / 0.0, a);
      b = copysign(fabs(b) == 1.0 / 0.0, b);
      x = 1.0 / 0.0 * (a * c + b * d);
      y = 1.0 / 0.0 * (b * c - a * d);
    } else if ((fabs(c) == 1.0 / 0.0 || fabs(d) == 1.0 / 0.0)
               && fabs(a) < 1.0 / 0.0 && fabs(b) < 1.0 / 0.0) {
      c = copysign(fabs(c) == 1.0 / 0.0, c);
      d = copysign(fabs(d) == 1.0 / 0.0, d);
      x = 0.0 * (a * c + b * d);
      y = 0.0 * (b * c - a * d);
    }
  }
  *real = x;
  *imaginary = y;
}

/* (a + bi) * (c + di) where both parts of the plain product are not a number. */
void __model_multiply(double a, double b, double c, double d, double *real, double *imaginary) {
  double ac = a * c, bd = b * d, ad = a * d, bc = b * c, infinity = 1.0 / 0.0;
  int again = 0;
  *real = ac - bd;
  *imaginary = ad + bc;
  if (fabs(a) == infinity || fabs(b) == infinity) {
    a = copysign(fabs(a) == infinity, a);
    b = copysign(fabs(b) == infinity, b);
    if (c != c) c = copysign(0.0, c);
    if (d != d) d = copysign(0.0, d);
    again = 1;
  }
  if (fabs(c) == infinity || fabs(d) == infinity) {
    c = copysign(fabs(c) == infinity, c);
    d = copysign(fabs(d) == infinity, d);
    if (a != a) a = copysign(0.0, a);
    if (b != b) b = copysign(0.0, b);
    again = 1;
  }
  if (!again && (fabs(ac) == infinity || fabs(bd) == infinity || fabs(ad) == infinity || fabs(bc) == infinity)) {
    if (a != a) a = copysign(0.0, a);
    if (b != b) b = copysign(0.0, b);
    if (c != c) c = copysign(0.0, c);
    if (d != d) d = copysign(0.0, d);
    again = 1;
  }
  if (again) {
    *real = infinity * (a * c - b * d);
    *imaginary = infinity * (a * d + b * c);
  }
}

/* (a + bi) / (c + di) as libgcc computes it. */
void __model_dividef(float a, float b, float c, float d, float *real, float *imaginary) {
  float x, y;
  double denominator = (double)c * c + (double)d * d;
  x = ((double)a * c + (double)b * d) / denominator;
  y = ((double)b * c - (double)a * d) / denominator;
  /* Infinities and zeros are recovered from results that are not a number. */
  if (x != x && y != y) {
    if (c == 0 && d == 0 && (a == a || b == b)) {
      x = copysignf(1.0f / 0.0f, c) * a;
      y = copysignf(1.0f / 0.0f, c) * b;
    } else if ((fabsf(a) == 1.0f / 0.0f || fabsf(b) == 1.0f / 0.0f)
               && fabsf(c) < 1.0f / 0.0f && fabsf(d) < 1.0f / 0.0f) {
      a = copysignf(fabsf(a) == 1.0f / 0.0f, a);
      b = copysignf(fabsf(b) == 1.0f / 0.0f, b);
      x = 1.0f / 0.0f * (a * c + b * d);
      y = 1.0f / 0.0f * (b * c - a * d);
    } else if ((fabsf(c) == 1.0f / 0.0f || fabsf(d) == 1.0f / 0.0f)
               && fabsf(a) < 1.0f / 0.0f && fabsf(b) < 1.0f / 0.0f) {
      c = copysignf(fabsf(c) == 1.0f / 0.0f, c);
      d = copysignf(fabsf(d) == 1.0f / 0.0f, d);
      x = 0.0f * (a * c + b * d);
      y = 0.0f * (b * c - a * d);
    }
  }
  *real = x;
  *imaginary = y;
}

/* (a + bi) * (c + di) where both parts of the plain product are not a number. */
void __model_multiplyf(float a, float b, float c, float d, float *real, float *imaginary) {
  float ac = a * c, bd = b * d, ad = a * d, bc = b * c, infinity = 1.0f / 0.0f;
  int again = 0;
  *real = ac - bd;
  *imaginary = ad + bc;
  if (fabsf(a) == infinity || fabsf(b) == infinity) {
    a = copysignf(fabsf(a) == infinity, a);
    b = copysignf(fabsf(b) == infinity, b);
    if (c != c) c = copysignf(0.0f, c);
    if (d != d) d = copysignf(0.0f, d);
    again = 1;
  }
  if (fabsf(c) == infinity || fabsf(d) == infinity) {
    c = copysignf(fabsf(c) == infinity, c);
    d = copysignf(fabsf(d) == infinity, d);
    if (a != a) a = copysignf(0.0f, a);
    if (b != b) b = copysignf(0.0f, b);
    again = 1;
  }
  if (!again && (fabsf(ac) == infinity || fabsf(bd) == infinity || fabsf(ad) == infinity || fabsf(bc) == infinity)) {
    if (a != a) a = copysignf(0.0f, a);
    if (b != b) b = copysignf(0.0f, b);
    if (c != c) c = copysignf(0.0f, c);
    if (d != d) d = copysignf(0.0f, d);
    again = 1;
  }
  if (again) {
    *real = infinity * (a * c - b * d);
    *imaginary = infinity * (a * d + b * c);
  }
}

/* (a + bi) / (c + di) as libgcc computes it. */
void __model_dividel(long double a, long double b, long double c, long double d, long double *real, long double *imaginary) {
  long double x, y, ratio, denominator;
  long double big = 0x1.fffffffffffffffep16383l / 2, small = 0x1p-16382l, scale = 1 / 0x1p-63l, limit = 0x1.fffffffffffffffep16383l / 2 * 0x1p-63l;
  if (fabsl(c) < fabsl(d)) {
    if (fabsl(d) >= big) {
      a = a / 2;
      b = b / 2;
      c = c / 2;
      d = d / 2;
    }
    if (fabsl(d) < 0x1p-63l
        || (fabsl(a) < small && fabsl(b) < limit && fabsl(d) < limit)
        || (fabsl(b) < small && fabsl(a) < limit && fabsl(d) < limit)) {
      a = a * scale;
      b = b * scale;
      c = c * scale;
      d = d * scale;
    }
    ratio = c / d;
    denominator = c * ratio + d;
    if (fabsl(ratio) > small) {
      x = (a * ratio + b) / denominator;
      y = (b * ratio - a) / denominator;
    } else {
      x = (c * (a / d) + b) / denominator;
      y = (c * (b / d) - a) / denominator;
    }
  } else {
    if (fabsl(c) >= big) {
      a = a / 2;
      b = b / 2;
      c = c / 2;
      d = d / 2;
    }
    if (fabsl(c) < 0x1p-63l
        || (fabsl(a) < small && fabsl(b) < limit && fabsl(c) < limit)
        || (fabsl(b) < small && fabsl(a) < limit && fabsl(c) < limit)) {
      a = a * scale;
      b = b * scale;
      c = c * scale;
      d = d * scale;
    }
    ratio = d / c;
    denominator = d * ratio + c;
    if (fabsl(ratio) > small) {
      x = (b * ratio + a) / denominator;
      y = (b - a * ratio) / denominator;
    } else {
      x = (d * (b / c) + a) / denominator;
      y = (b - d * (a / c)) / denominator;
    }
  }
  /* Infinities and zeros are recovered from results that are not a number. */
  if (x != x && y != y) {
    if (c == 0 && d == 0 && (a == a || b == b)) {
      x = copysignl(1.0l / 0.0l, c) * a;
      y = copysignl(1.0l / 0.0l, c) * b;
    } else if ((fabsl(a) == 1.0l / 0.0l || fabsl(b) == 1.0l / 0.0l)
               && fabsl(c) < 1.0l / 0.0l && fabsl(d) < 1.0l / 0.0l) {
      a = copysignl(fabsl(a) == 1.0l / 0.0l, a);
      b = copysignl(fabsl(b) == 1.0l / 0.0l, b);
      x = 1.0l / 0.0l * (a * c + b * d);
      y = 1.0l / 0.0l * (b * c - a * d);
    } else if ((fabsl(c) == 1.0l / 0.0l || fabsl(d) == 1.0l / 0.0l)
               && fabsl(a) < 1.0l / 0.0l && fabsl(b) < 1.0l / 0.0l) {
      c = copysignl(fabsl(c) == 1.0l / 0.0l, c);
      d = copysignl(fabsl(d) == 1.0l / 0.0l, d);
      x = 0.0l * (a * c + b * d);
      y = 0.0l * (b * c - a * d);
    }
  }
  *real = x;
  *imaginary = y;
}

/* (a + bi) * (c + di) where both parts of the plain product are not a number. */
void __model_multiplyl(long double a, long double b, long double c, long double d, long double *real, long double *imaginary) {
  long double ac = a * c, bd = b * d, ad = a * d, bc = b * c, infinity = 1.0l / 0.0l;
  int again = 0;
  *real = ac - bd;
  *imaginary = ad + bc;
  if (fabsl(a) == infinity || fabsl(b) == infinity) {
    a = copysignl(fabsl(a) == infinity, a);
    b = copysignl(fabsl(b) == infinity, b);
    if (c != c) c = copysignl(0.0l, c);
    if (d != d) d = copysignl(0.0l, d);
    again = 1;
  }
  if (fabsl(c) == infinity || fabsl(d) == infinity) {
    c = copysignl(fabsl(c) == infinity, c);
    d = copysignl(fabsl(d) == infinity, d);
    if (a != a) a = copysignl(0.0l, a);
    if (b != b) b = copysignl(0.0l, b);
    again = 1;
  }
  if (!again && (fabsl(ac) == infinity || fabsl(bd) == infinity || fabsl(ad) == infinity || fabsl(bc) == infinity)) {
    if (a != a) a = copysignl(0.0l, a);
    if (b != b) b = copysignl(0.0l, b);
    if (c != c) c = copysignl(0.0l, c);
    if (d != d) d = copysignl(0.0l, d);
    again = 1;
  }
  if (again) {
    *real = infinity * (a * c - b * d);
    *imaginary = infinity * (a * d + b * c);
  }
}
