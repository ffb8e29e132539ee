/* Models of string.h and strings.h: each function does what its manual says, byte by byte. */

typedef __typeof__(sizeof(0)) size_t;
void *malloc(size_t size);
int __model_has_locale(void);
int __model_unknown_state(void);
void *memcpy(void *to, const void *from, size_t n);

size_t strlen(const char *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}

size_t strnlen(const char *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n] != 0) n++;
  return n;
}

// What an output function reads of a text that it is given.
size_t __text_length(const char *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n] != 0) n++;
  return n;
}

/* What a comparison returns: C says its sign alone. The difference is what glibc returns, where gcc has not decided
   the comparison already. */
int __model_order(int difference) {
  int any;
  if (__builtin_running()) return difference;
  if (difference < 0 && any < 0) return any;
  if (difference > 0 && any > 0) return any;
  return difference;
}

/* Accesses n bytes, as functions do that read or write all of them. */
void __model_access(const void *at, size_t n) {
  const char *bytes = at;
  char end;
  if (n == 0) return;
  end = bytes[0];
  end = bytes[n - 1];
}

/* A text that a function reads from whose results come from outside. */
void __model_text(const char *s) {
  if (__builtin_checks_memory()) __text_length(s, -1);
}

/* A stream must not be null; what else it is nobody can tell. */
void __model_stream(const char *stream) {
  char byte;
  if (__builtin_checks_memory() && stream == 0) byte = *stream;
}

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return __model_order((unsigned char)a[i] - (unsigned char)b[i]);
}

int strcoll(const char *a, const char *b) {
  if (__model_has_locale()) return __model_unknown_state();
  return strcmp(a, b);
}

int strncmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    if (a[i] == 0 || a[i] != b[i]) return __model_order((unsigned char)a[i] - (unsigned char)b[i]);
    i++;
  }
  return 0;
}

int strcasecmp(const char *a, const char *b) {
  size_t i = 0;
  while (1) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if ((x > 127 || y > 127) && __model_has_locale()) return __model_unknown_state();
    if (x != y || x == 0) return __model_order(x - y);
    i++;
  }
}

int strncasecmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || x == 0) return __model_order(x - y);
    i++;
  }
  return 0;
}

/* Whether no byte belongs to both ranges. */
int __model_apart(const char *a, size_t n, const char *b, size_t m) {
  return (size_t)a + n <= (size_t)b || (size_t)b + m <= (size_t)a;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  __builtin_requires(__model_apart(to, strlen(from) + 1, from, strlen(from) + 1));
  while ((to[i] = from[i]) != 0) i++;
  return to;
}

char *stpcpy(char *to, const char *from) {
  size_t i = 0;
  __builtin_requires(__model_apart(to, strlen(from) + 1, from, strlen(from) + 1));
  while ((to[i] = from[i]) != 0) i++;
  return to + i;
}

char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
  __builtin_requires(__model_apart(to, n, from, strnlen(from, n)));
  while (i < n && from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return to;
}

size_t strlcpy(char *to, const char *from, size_t n) {
  size_t length = 0;
  while (from[length] != 0) {
    if (length + 1 < n) to[length] = from[length];
    length++;
  }
  if (n > 0) to[length < n ? length : n - 1] = 0;
  return length;
}

char *strcat(char *to, const char *from) {
  size_t end = 0, i = 0;
  while (to[end] != 0) end++;
  __builtin_requires(__model_apart(to, end + strlen(from) + 1, from, strlen(from) + 1));
  while ((to[end + i] = from[i]) != 0) i++;
  return to;
}

char *strncat(char *to, const char *from, size_t n) {
  size_t end = 0, i = 0;
  while (to[end] != 0) end++;
  __builtin_requires(__model_apart(to, end + strnlen(from, n) + 1, from, strnlen(from, n)));
  while (i < n && from[i] != 0) {
    to[end + i] = from[i];
    i++;
  }
  to[end + i] = 0;
  return to;
}

char *strchr(const char *s, int c) {
  size_t i = 0;
  while (1) {
    if (s[i] == (char)c) return (char *)s + i;
    if (s[i] == 0) return 0;
    i++;
  }
}

char *strchrnul(const char *s, int c) {
  size_t i = 0;
  while (s[i] != 0 && s[i] != (char)c) i++;
  return (char *)s + i;
}

char *strrchr(const char *s, int c) {
  char *found = 0;
  size_t i = 0;
  while (1) {
    if (s[i] == (char)c) found = (char *)s + i;
    if (s[i] == 0) return found;
    i++;
  }
}

char *strstr(const char *s, const char *part) {
  size_t i = 0;
  while (1) {
    size_t j = 0;
    while (part[j] != 0 && s[i + j] == part[j]) j++;
    if (part[j] == 0) return (char *)s + i;
    if (s[i] == 0) return 0;
    i++;
  }
}

size_t strspn(const char *s, const char *set) {
  size_t i = 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] == 0) return i;
    i++;
  }
  return i;
}

size_t strcspn(const char *s, const char *set) {
  size_t i = 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] != 0) return i;
    i++;
  }
  return i;
}

char *strpbrk(const char *s, const char *set) {
  size_t i = 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] != 0) return (char *)s + i;
    i++;
  }
  return 0;
}

char *strdup(const char *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  char *copy = malloc(n + 1);
  if (copy) memcpy(copy, s, n + 1);
  return copy;
}

char *strndup(const char *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n] != 0) n++;
  char *copy = malloc(n + 1);
  if (copy) {
    memcpy(copy, s, n);
    copy[n] = 0;
  }
  return copy;
}

int memcmp(const void *a, const void *b, size_t n) {
  const unsigned char *x = a, *y = b;
  size_t i = 0;
  int last;
  if (n == 0) return 0;
  /* All bytes are accessed, also those behind the first difference. */
  last = x[n - 1] - y[n - 1];
  while (i + 1 < n) {
    if (x[i] != y[i]) return __model_order(x[i] - y[i]);
    i++;
  }
  return __model_order(last);
}

/* Says whether the bytes differ, by any number but zero. */
int bcmp(const void *a, const void *b, size_t n) {
  int any, order = memcmp(a, b, n);
  return order == 0 || __builtin_running() || any == 0 ? order : any;
}

void *memchr(const void *s, int c, size_t n) {
  const unsigned char *bytes = s;
  size_t i = 0;
  while (i < n) {
    if (bytes[i] == (unsigned char)c) return (void *)(bytes + i);
    i++;
  }
  return 0;
}

void *memrchr(const void *s, int c, size_t n) {
  const unsigned char *bytes = s;
  while (n > 0) {
    n--;
    if (bytes[n] == (unsigned char)c) return (void *)(bytes + n);
  }
  return 0;
}

char *strtok_r(char *s, const char *set, char **rest) {
  size_t i = 0;
  if (s == 0) s = *rest;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] == 0) break;
    i++;
  }
  if (s[i] == 0) {
    *rest = s + i;
    return 0;
  }
  char *token = s + i;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] != 0) {
      s[i] = 0;
      *rest = s + i + 1;
      return token;
    }
    i++;
  }
  *rest = s + i;
  return token;
}

char *__strtok_r(char *s, const char *set, char **rest) { return strtok_r(s, set, rest); }

char *strtok(char *s, const char *set) {
  static char *rest;
  return strtok_r(s, set, &rest);
}

char *strsep(char **from, const char *set) {
  char *token = *from;
  size_t i = 0;
  if (token == 0) return 0;
  while (token[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != token[i]) j++;
    if (set[j] != 0) {
      token[i] = 0;
      *from = token + i + 1;
      return token;
    }
    i++;
  }
  *from = 0;
  return token;
}

char *index(const char *s, int c) { return strchr(s, c); }
char *rindex(const char *s, int c) { return strrchr(s, c); }

void *rawmemchr(const void *s, int c) {
  const unsigned char *bytes = s;
  size_t i = 0;
  while (bytes[i] != (unsigned char)c) i++;
  return (void *)(bytes + i);
}

void *memccpy(void *to, const void *from, int c, size_t n) {
  unsigned char *x = to;
  const unsigned char *y = from;
  size_t i = 0;
  while (i < n) {
    x[i] = y[i];
    i++;
    if (x[i - 1] == (unsigned char)c) return x + i;
  }
  return 0;
}

void *memmem(const void *in, size_t n, const void *part, size_t m) {
  const unsigned char *x = in, *y = part;
  size_t i = 0;
  while (i + m <= n) {
    size_t j = 0;
    while (j < m && x[i + j] == y[j]) j++;
    if (j == m) return (void *)(x + i);
    i++;
  }
  return 0;
}

char *strcasestr(const char *s, const char *part) {
  size_t i = 0;
  while (1) {
    size_t j = 0;
    while (part[j] != 0) {
      int x = s[i + j], y = part[j];
      if (x >= 'A' && x <= 'Z') x += 32;
      if (y >= 'A' && y <= 'Z') y += 32;
      if (x != y) break;
      j++;
    }
    if (part[j] == 0) return (char *)s + i;
    if (s[i] == 0) return 0;
    i++;
  }
}

char *stpncpy(char *to, const char *from, size_t n) {
  size_t i = 0, end;
  while (i < n && from[i] != 0) {
    to[i] = from[i];
    i++;
  }
  end = i;
  while (i < n) {
    to[i] = 0;
    i++;
  }
  return to + end;
}

size_t strlcat(char *to, const char *from, size_t n) {
  size_t end = 0, i = 0;
  while (end < n && to[end] != 0) end++;
  while (from[i] != 0) {
    if (end + i + 1 < n) to[end + i] = from[i];
    i++;
  }
  if (end < n) to[end + i < n ? end + i : n - 1] = 0;
  return end + i;
}

/* In the C locale a string is its own key. */
size_t strxfrm(char *to, const char *from, size_t n) {
  size_t i = 0;
  if (__model_has_locale()) {
    if (n > 0) __builtin_forget(to, n);
    return __model_unknown_state();
  }
  while (from[i] != 0) {
    if (i < n) to[i] = from[i];
    i++;
  }
  if (i < n) to[i] = 0;
  return i;
}

void swab(const void *from, void *to, long n) {
  const char *x = from;
  char *y = to;
  long i = 0;
  while (i + 1 < n) {
    char first = x[i];
    y[i] = x[i + 1];
    y[i + 1] = first;
    i += 2;
  }
}
