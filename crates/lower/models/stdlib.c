/* Models of stdlib.h and stdio.h: conversions, sorting, and results whose range the standard restricts. A local that
   nobody initialised is an arbitrary value. Functions that only models call are named model_*. */

/* The digit that a character stands for, 99 if none. */
int model_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/* Reads a number; says whether it was too large and whether it was negative. */
unsigned long long model_number(const char *s, char **end, int base, unsigned long long most, int *large, int *negative) {
  size_t i = 0, first;
  unsigned long long value = 0;
  *large = 0;
  *negative = 0;
  while (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')) i++;
  if (s[i] == '-' || s[i] == '+') {
    *negative = s[i] == '-';
    i++;
  }
  if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') && model_digit(s[i + 2]) < 16) {
    base = 16;
    i += 2;
  } else if (base == 0) {
    base = s[i] == '0' ? 8 : 10;
  }
  first = i;
  while (model_digit(s[i]) < base) {
    unsigned digit = model_digit(s[i]);
    if (*large || value > (most - digit) / base) *large = 1;
    else value = value * base + digit;
    i++;
  }
  if (end) *end = (char *)s + (i == first ? 0 : i);
  return value;
}

long strtol(const char *s, char **end, int base) {
  int large, negative;
  unsigned long long top = sizeof(long) == 8 ? 0x8000000000000000ull : 0x80000000ull;
  unsigned long long value = model_number(s, end, base, top, &large, &negative);
  if (negative) return large ? (long)-top : (long)-value;
  return large || value == top ? (long)(top - 1) : (long)value;
}

long long strtoll(const char *s, char **end, int base) {
  int large, negative;
  unsigned long long value = model_number(s, end, base, 0x8000000000000000ull, &large, &negative);
  if (negative) return large ? (long long)0x8000000000000000ull : (long long)-value;
  return large || value == 0x8000000000000000ull ? 0x7fffffffffffffffll : (long long)value;
}

unsigned long strtoul(const char *s, char **end, int base) {
  int large, negative;
  unsigned long long value = model_number(s, end, base, (unsigned long)-1, &large, &negative);
  return large ? (unsigned long)-1 : negative ? -(unsigned long)value : (unsigned long)value;
}

unsigned long long strtoull(const char *s, char **end, int base) {
  int large, negative;
  unsigned long long value = model_number(s, end, base, -1ull, &large, &negative);
  return large ? -1ull : negative ? -value : value;
}

/* Sorts by insertion: stable, which qsort may be. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *bytes = base;
  size_t i = 1;
  while (i < count) {
    size_t j = i;
    while (j > 0 && compare(bytes + (j - 1) * size, bytes + j * size) > 0) {
      size_t k = 0;
      while (k < size) {
        char byte = bytes[(j - 1) * size + k];
        bytes[(j - 1) * size + k] = bytes[j * size + k];
        bytes[j * size + k] = byte;
        k++;
      }
      j--;
    }
    i++;
  }
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare(key, (const char *)base + middle * size);
    if (order == 0) return (void *)((const char *)base + middle * size);
    if (order < 0) high = middle;
    else low = middle + 1;
  }
  return 0;
}

int rand(void) {
  int any;
  return any < 0 ? ~any : any;
}

long random(void) {
  int any;
  return any < 0 ? ~any : any;
}

long lrand48(void) {
  int any;
  return any < 0 ? ~any : any;
}

/* A character from outside, or EOF. */
int getchar(void) {
  short any;
  return any < 0 ? -1 : any & 255;
}

int getc(void *stream) {
  short any;
  return any < 0 ? -1 : any & 255;
}

int fgetc(void *stream) {
  short any;
  return any < 0 ? -1 : any & 255;
}

char *strtok(char *s, const char *set) {
  static char *rest;
  size_t i = 0;
  if (s == 0) s = rest;
  if (s == 0) return 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] == 0) break;
    i++;
  }
  if (s[i] == 0) {
    rest = 0;
    return 0;
  }
  char *token = s + i;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] != 0) {
      s[i] = 0;
      rest = s + i + 1;
      return token;
    }
    i++;
  }
  rest = 0;
  return token;
}
