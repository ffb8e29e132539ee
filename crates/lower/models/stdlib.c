/* Models of stdlib.h and inttypes.h: conversions, sorting, allocation, and results whose range the standard restricts.
   An uninitialised local is an arbitrary value. Functions that only models call are named __model_*. */

/* The digit that a character stands for, 99 if none. */
int __model_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

/* Reads a number; says whether it was too large and whether it was negative. Since C23, 0b is a prefix, too. */
unsigned long long __model_number(const char *s, char **end, int base, int newer, unsigned long long most, int *large,
                                  int *negative) {
  size_t i = 0, first;
  unsigned long long value = 0;
  *large = 0;
  *negative = 0;
  while (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')) i++;
  if (s[i] == '-' || s[i] == '+') {
    *negative = s[i] == '-';
    i++;
  }
  if ((base == 0 || base == 16) && s[i] == '0' && (s[i + 1] == 'x' || s[i + 1] == 'X') && __model_digit(s[i + 2]) < 16) {
    base = 16;
    i += 2;
  } else if (newer && (base == 0 || base == 2) && s[i] == '0' && (s[i + 1] == 'b' || s[i + 1] == 'B') &&
             __model_digit(s[i + 2]) < 2) {
    base = 2;
    i += 2;
  } else if (base == 0) {
    base = s[i] == '0' ? 8 : 10;
  }
  first = i;
  while (__model_digit(s[i]) < base) {
    unsigned digit = __model_digit(s[i]);
    if (*large || value > (most - digit) / base) *large = 1;
    else value = value * base + digit;
    i++;
  }
  if (end) *end = (char *)s + (i == first ? 0 : i);
  return value;
}

/* No digit stands for a value in these bases. */
int __model_bad_base(int base) { return base < 0 || base == 1 || base > 36; }

long __model_strtol(const char *s, char **end, int base, int newer) {
  int large, negative;
  unsigned long long top = sizeof(long) == 8 ? 0x8000000000000000ull : 0x80000000ull;
  if (__model_bad_base(base)) {
    __builtin_set_errno(22);
    return 0;
  }
  unsigned long long value = __model_number(s, end, base, newer, top, &large, &negative);
  if (!large && (negative || value < top)) return negative ? (long)-value : (long)value;
  __builtin_set_errno(34);
  return negative ? (long)-top : (long)(top - 1);
}

long long __model_strtoll(const char *s, char **end, int base, int newer) {
  int large, negative;
  unsigned long long top = 0x8000000000000000ull;
  if (__model_bad_base(base)) {
    __builtin_set_errno(22);
    return 0;
  }
  unsigned long long value = __model_number(s, end, base, newer, top, &large, &negative);
  if (!large && (negative || value < top)) return negative ? (long long)-value : (long long)value;
  __builtin_set_errno(34);
  return negative ? (long long)top : (long long)(top - 1);
}

unsigned long __model_strtoul(const char *s, char **end, int base, int newer) {
  int large, negative;
  if (__model_bad_base(base)) {
    __builtin_set_errno(22);
    return 0;
  }
  unsigned long long value = __model_number(s, end, base, newer, (unsigned long)-1, &large, &negative);
  if (large) {
    __builtin_set_errno(34);
    return (unsigned long)-1;
  }
  return negative ? -(unsigned long)value : (unsigned long)value;
}

unsigned long long __model_strtoull(const char *s, char **end, int base, int newer) {
  int large, negative;
  if (__model_bad_base(base)) {
    __builtin_set_errno(22);
    return 0;
  }
  unsigned long long value = __model_number(s, end, base, newer, -1ull, &large, &negative);
  if (large) {
    __builtin_set_errno(34);
    return -1ull;
  }
  return negative ? -value : value;
}

long strtol(const char *s, char **end, int base) { return __model_strtol(s, end, base, 0); }
long long strtoll(const char *s, char **end, int base) { return __model_strtoll(s, end, base, 0); }
unsigned long strtoul(const char *s, char **end, int base) { return __model_strtoul(s, end, base, 0); }
unsigned long long strtoull(const char *s, char **end, int base) { return __model_strtoull(s, end, base, 0); }

/* What glibc's headers call them where C23 or GNU's extensions are asked for. */
long __isoc23_strtol(const char *s, char **end, int base) { return __model_strtol(s, end, base, 1); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return __model_strtoll(s, end, base, 1); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return __model_strtoul(s, end, base, 1); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return __model_strtoull(s, end, base, 1); }
long long __isoc23_strtoimax(const char *s, char **end, int base) { return __model_strtoll(s, end, base, 1); }
unsigned long long __isoc23_strtoumax(const char *s, char **end, int base) { return __model_strtoull(s, end, base, 1); }

long long strtoq(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtouq(const char *s, char **end, int base) { return strtoull(s, end, base); }
long long strtoimax(const char *s, char **end, int base) { return strtoll(s, end, base); }
unsigned long long strtoumax(const char *s, char **end, int base) { return strtoull(s, end, base); }

/* glibc's way where the value does not fit, too. */
int atoi(const char *s) { return (int)strtol(s, 0, 10); }
long atol(const char *s) { return strtol(s, 0, 10); }
long long atoll(const char *s) { return strtoll(s, 0, 10); }

typedef struct { int quot, rem; } __model_div_t;
typedef struct { long quot, rem; } __model_ldiv_t;
typedef struct { long long quot, rem; } __model_lldiv_t;

__model_div_t div(int a, int b) {
  __model_div_t result = {__builtin_checked(a / b), a % b};
  return result;
}

__model_ldiv_t ldiv(long a, long b) {
  __model_ldiv_t result = {__builtin_checked(a / b), a % b};
  return result;
}

__model_lldiv_t lldiv(long long a, long long b) {
  __model_lldiv_t result = {__builtin_checked(a / b), a % b};
  return result;
}

__model_lldiv_t imaxdiv(long long a, long long b) {
  __model_lldiv_t result = {__builtin_checked(a / b), a % b};
  return result;
}

void *aligned_alloc(size_t align, size_t size);
void *realloc(void *old, size_t size);

int posix_memalign(void **to, size_t align, size_t size) {
  if (align == 0 || align % sizeof(void *) != 0 || (align & (align - 1)) != 0) return 22;
  if (size > ((size_t)-1 >> 1)) return 12;
  void *object = aligned_alloc(align, size);
  if (object == 0) return 12;
  *to = object;
  return 0;
}

void *valloc(size_t size) { return aligned_alloc(4096, size); }
void *pvalloc(size_t size) { return aligned_alloc(4096, (size + 4095) / 4096 * 4096); }

void *reallocarray(void *old, size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size) {
    __builtin_set_errno(12);
    return 0;
  }
  return realloc(old, count * size);
}

/* What depends on a state that analyses do not know, such as that of a stream: no execution may rest on it. */
int __model_unknown_state(void);

/* No execution rests on what comes after this. */
void __model_unsure(void) {
  if (__model_unknown_state()) __VERIFIER_assume(0);
}

/* Moves an element to the front of those before it, `places` of them. */
void __model_to_front(char *element, size_t places, size_t size) {
  while (places > 0) {
    size_t k = 0;
    while (k < size) {
      char byte = element[k];
      element[k] = element[k - size];
      element[k - size] = byte;
      k++;
    }
    element -= size;
    places--;
  }
}

/* Merges two neighbouring parts that are sorted, one from `first` to `second`, one from there to `end`. */
void __model_merge(char *bytes, size_t first, size_t second, size_t end, size_t size,
                   int (*compare)(const void *, const void *)) {
  while (first < second && second < end) {
    if (compare(bytes + first * size, bytes + second * size) > 0) {
      __model_to_front(bytes + second * size, second - first, size);
      second++;
    }
    first++;
  }
}

/* Sorts as glibc does, whose merge sort halves what it sorts, and sorts the left half first: calls say that this is assumed.
   What is sorted ends with element `i`, and grows to the left as long as a half ends there. Other ways compare other elements,
   which must not fail either; no execution rests on that. */
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  char *bytes = base;
  size_t i = 1;
  while (i < count) {
    size_t start = i;
    while (start > 0) {
      size_t low = 0, length = count;
      while (low + length / 2 != start) {
        if (start < low + length / 2) {
          length /= 2;
        } else {
          low += length / 2;
          length -= length / 2;
        }
      }
      if (low + length != i + 1) break;
      __model_merge(bytes, low, start, i + 1, size, compare);
      start = low;
    }
    i++;
  }
  if (!__builtin_running()) {
    size_t one, other;
    if (one < count && other < count && one != other && __model_unknown_state()) {
      compare(bytes + one * size, bytes + other * size);
      __VERIFIER_assume(0);
    }
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

/* glibc's generator, for executions: 31 numbers, each the sum of one three and one 31 places before. */
typedef struct { unsigned numbers[31]; int at, seeded; } __model_generator;

__model_generator *__model_random_state(void) {
  static __model_generator state;
  return &state;
}

unsigned __model_random(void);

void __model_seed(unsigned seed) {
  __model_generator *state = __model_random_state();
  int i = 1, word = seed == 0 ? 1 : (int)seed;
  state->numbers[0] = word;
  while (i < 31) {
    long high = word / 127773, low = word % 127773;
    word = (int)(16807 * low - 2836 * high);
    if (word < 0) word += 2147483647;
    state->numbers[i] = word;
    i++;
  }
  state->at = 3;
  state->seeded = 1;
  i = 0;
  while (i < 310) {
    __model_random();
    i++;
  }
}

unsigned __model_random(void) {
  __model_generator *state = __model_random_state();
  int other = state->at < 3 ? state->at + 28 : state->at - 3;
  unsigned result;
  state->numbers[state->at] += state->numbers[other];
  result = state->numbers[state->at] >> 1;
  state->at = state->at == 30 ? 0 : state->at + 1;
  return result;
}

/* Whether numbers come again: those after a seed under which others were drawn before. Of several seeds none is known. */
int __model_repeats(int seeds, unsigned seed) {
  static unsigned last = 1;
  static int were_drawn, earlier, repeats;
  if (seeds) {
    if (were_drawn && (seed == last || earlier)) repeats = 1;
    if (were_drawn) earlier = 1;
    were_drawn = 0;
    last = seed;
  } else {
    were_drawn = 1;
  }
  return repeats;
}

void srand(unsigned seed) {
  if (__builtin_running()) __model_seed(seed);
  else __model_repeats(1, seed);
}

void srandom(unsigned seed) { srand(seed); }

/* An analysis takes any number: programs must not rely on which one it is. */
int rand(void) {
  int any;
  if (__builtin_running()) {
    if (!__model_random_state()->seeded) __model_seed(1);
    return (int)__model_random();
  }
  if (__model_repeats(0, 0)) __model_unsure();
  return any < 0 ? ~any : any;
}

long random(void) { return rand(); }

/* What is true of numbers after `srand` is true of those after `srand48`. */
void srand48(long seed) {
  __builtin_cannot_run();
  __model_repeats(1, (unsigned)seed);
}

long lrand48(void) {
  int any;
  __builtin_cannot_run();
  if (__model_repeats(0, 0)) __model_unsure();
  return any < 0 ? ~any : any;
}

int rand_r(unsigned *seed) {
  unsigned next = *seed, result;
  next = next * 1103515245u + 12345u;
  result = next / 65536 % 2048;
  next = next * 1103515245u + 12345u;
  result = (result << 10) ^ (next / 65536 % 1024);
  next = next * 1103515245u + 12345u;
  result = (result << 10) ^ (next / 65536 % 1024);
  *seed = next;
  return (int)result;
}

long mrand48(void) {
  __builtin_cannot_run();
  int any;
  if (__model_repeats(0, 0)) __model_unsure();
  return any;
}

double drand48(void) {
  __builtin_cannot_run();
  double any;
  if (__model_repeats(0, 0)) __model_unsure();
  __VERIFIER_assume(any >= 0 && any < 1);
  return any;
}

/* The program changes its environment (1), or asks for a setting whose name is given (0) or computed (2): whether the answer
   may follow from an earlier call. */
int __model_environment(int event) {
  static int has_changed, was_asked;
  int follows = has_changed || (event == 2 && was_asked);
  if (event == 1) has_changed = 1;
  if (event == 2) was_asked = 1;
  return follows;
}

/* Settings have names, in which there is no '='. */
int __model_no_setting(const char *name) {
  if (name[0] != 0 && strchr(name, '=') == 0) return 0;
  __builtin_set_errno(22);
  return 1;
}

int setenv(const char *name, const char *value, int replace) {
  __builtin_cannot_run();
  __model_text(name);
  __model_text(value);
  int any;
  if (__model_no_setting(name)) return -1;
  __model_environment(1);
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int unsetenv(const char *name) {
  __builtin_cannot_run();
  __model_text(name);
  int any;
  if (__model_no_setting(name)) return -1;
  __model_environment(1);
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int system(const char *command) {
  __builtin_cannot_run();
  if (command) __model_text(command);
  int any;
  return any;
}

void *lfind(const void *key, const void *base, size_t *count, size_t size, int (*compare)(const void *, const void *)) {
  size_t i = 0;
  while (i < *count) {
    if (compare(key, (const char *)base + i * size) == 0) return (char *)base + i * size;
    i++;
  }
  return 0;
}
