/* Models of strtod and its like: where the number ends and what errno becomes is said here, its value is an operation. */

double __builtin_read_double(const char *s, size_t n);
float __builtin_read_float(const char *s, size_t n);
long double __builtin_read_long_double(const char *s, size_t n);
/* Whether the number is too small to be exact (1) or too large (2) for a format of so many bytes. */
int __builtin_read_status(const char *s, size_t n, int bytes);

int __model_digit(char c);
int __model_has_locale(void);

int __model_starts(const char *s, const char *lower) {
  size_t i = 0;
  while (lower[i]) {
    char c = s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 32 : s[i];
    if (c != lower[i]) return 0;
    i++;
  }
  return 1;
}

/* What stands at the start of s after blanks: nothing (0), a number (1), infinity (2), a NaN (3). */
int __model_float(const char *s, size_t *start, size_t *end) {
  size_t i = 0, digits = 0;
  int base = 10;
  *end = 0;
  while (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')) i++;
  *start = i;
  if (s[i] == '-' || s[i] == '+') i++;
  if (__model_starts(s + i, "inf")) {
    *end = i + (__model_starts(s + i, "infinity") ? 8 : 3);
    return 2;
  }
  if (__model_starts(s + i, "nan")) {
    size_t j = i + 3;
    if (s[j] == '(') {
      j++;
      while (__model_digit(s[j]) < 36 || s[j] == '_') j++;
    }
    /* Which NaN the text in parentheses names is not modelled. */
    if (j > i + 4 && s[j] == ')') __builtin_not_modelled();
    *end = j > i + 3 && s[j] == ')' ? j + 1 : i + 3;
    return 3;
  }
  if (s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X')
      && (__model_digit(s[i + 2]) < 16 || (s[i + 2] == '.' && __model_digit(s[i + 3]) < 16))) {
    base = 16;
    i += 2;
  }
  while (__model_digit(s[i]) < base) {
    i++;
    digits++;
  }
  if ((s[i] == '.' || s[i] == ',') && __model_has_locale()) __builtin_not_modelled();
  if (s[i] == '.' && (digits > 0 || __model_digit(s[i + 1]) < base)) {
    i++;
    while (__model_digit(s[i]) < base) {
      i++;
      digits++;
    }
  }
  if (digits == 0) return 0;
  if (base == 10 ? s[i] == 'e' || s[i] == 'E' : s[i] == 'p' || s[i] == 'P') {
    size_t j = i + 1;
    if (s[j] == '-' || s[j] == '+') j++;
    if (__model_digit(s[j]) < 10) {
      while (__model_digit(s[j]) < 10) j++;
      i = j;
    }
  }
  *end = i;
  return 1;
}

double strtod(const char *s, char **rest) {
  size_t start, end;
  int kind = __model_float(s, &start, &end);
  if (rest) *rest = (char *)s + end;
  if (kind == 0) return 0;
  if (kind == 2) return s[start] == '-' ? -(1.0 / 0.0) : 1.0 / 0.0;
  if (kind == 3) return s[start] == '-' ? -__builtin_nan("") : __builtin_nan("");
  if (__builtin_read_status(s + start, end - start, 8)) __builtin_set_errno(34);
  return __builtin_read_double(s + start, end - start);
}

float strtof(const char *s, char **rest) {
  size_t start, end;
  int kind = __model_float(s, &start, &end);
  if (rest) *rest = (char *)s + end;
  if (kind == 0) return 0;
  if (kind == 2) return s[start] == '-' ? -(1.0f / 0.0f) : 1.0f / 0.0f;
  if (kind == 3) return s[start] == '-' ? -__builtin_nanf("") : __builtin_nanf("");
  if (__builtin_read_status(s + start, end - start, 4)) __builtin_set_errno(34);
  return __builtin_read_float(s + start, end - start);
}

long double strtold(const char *s, char **rest) {
  size_t start, end;
  int kind = __model_float(s, &start, &end);
  if (rest) *rest = (char *)s + end;
  if (kind == 0) return 0;
  if (kind == 2) return s[start] == '-' ? -(1.0l / 0.0l) : 1.0l / 0.0l;
  if (kind == 3) return s[start] == '-' ? -__builtin_nanl("") : __builtin_nanl("");
  if (__builtin_read_status(s + start, end - start, 10)) __builtin_set_errno(34);
  return __builtin_read_long_double(s + start, end - start);
}

double atof(const char *s) { return strtod(s, 0); }
