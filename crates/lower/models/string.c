/* Models of string.h, strings.h and stdlib.h: each function does what its manual says, byte by byte. */

typedef __typeof__(sizeof(0)) size_t;
void *malloc(size_t size);
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

int strcmp(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return (unsigned char)a[i] - (unsigned char)b[i];
}

int strcoll(const char *a, const char *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return (unsigned char)a[i] - (unsigned char)b[i];
}

int strncmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    if (a[i] == 0 || a[i] != b[i]) return (unsigned char)a[i] - (unsigned char)b[i];
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
    if (x != y || x == 0) return x - y;
    i++;
  }
}

int strncasecmp(const char *a, const char *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    int x = (unsigned char)a[i], y = (unsigned char)b[i];
    if (x >= 'A' && x <= 'Z') x += 32;
    if (y >= 'A' && y <= 'Z') y += 32;
    if (x != y || x == 0) return x - y;
    i++;
  }
  return 0;
}

char *strcpy(char *to, const char *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to;
}

char *stpcpy(char *to, const char *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to + i;
}

char *strncpy(char *to, const char *from, size_t n) {
  size_t i = 0;
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
  while ((to[end + i] = from[i]) != 0) i++;
  return to;
}

char *strncat(char *to, const char *from, size_t n) {
  size_t end = 0, i = 0;
  while (to[end] != 0) end++;
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
  while (i < n) {
    if (x[i] != y[i]) return x[i] - y[i];
    i++;
  }
  return 0;
}

int bcmp(const void *a, const void *b, size_t n) {
  const unsigned char *x = a, *y = b;
  size_t i = 0;
  while (i < n) {
    if (x[i] != y[i]) return 1;
    i++;
  }
  return 0;
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

long long atoll(const char *s) {
  size_t i = 0;
  int negative = 0;
  long long value = 0;
  while (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')) i++;
  if (s[i] == '-' || s[i] == '+') {
    negative = s[i] == '-';
    i++;
  }
  while (s[i] >= '0' && s[i] <= '9') {
    value = 10 * value + (s[i] - '0');
    i++;
  }
  return negative ? -value : value;
}

int atoi(const char *s) {
  size_t i = 0;
  int negative = 0;
  int value = 0;
  while (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')) i++;
  if (s[i] == '-' || s[i] == '+') {
    negative = s[i] == '-';
    i++;
  }
  while (s[i] >= '0' && s[i] <= '9') {
    value = 10 * value + (s[i] - '0');
    i++;
  }
  return negative ? -value : value;
}

long atol(const char *s) {
  size_t i = 0;
  int negative = 0;
  long value = 0;
  while (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')) i++;
  if (s[i] == '-' || s[i] == '+') {
    negative = s[i] == '-';
    i++;
  }
  while (s[i] >= '0' && s[i] <= '9') {
    value = 10 * value + (s[i] - '0');
    i++;
  }
  return negative ? -value : value;
}
