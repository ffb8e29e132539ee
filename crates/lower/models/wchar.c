/* Models of wchar.h and wctype.h in the C locale. */

typedef __typeof__(L'x') model_wchar;
typedef unsigned model_wint;

size_t wcslen(const model_wchar *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}

size_t wcsnlen(const model_wchar *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n] != 0) n++;
  return n;
}

model_wchar *wcscpy(model_wchar *to, const model_wchar *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to;
}

model_wchar *wcpcpy(model_wchar *to, const model_wchar *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to + i;
}

model_wchar *wcpncpy(model_wchar *to, const model_wchar *from, size_t n) {
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

model_wchar *wcsncpy(model_wchar *to, const model_wchar *from, size_t n) {
  wcpncpy(to, from, n);
  return to;
}

model_wchar *wcscat(model_wchar *to, const model_wchar *from) {
  size_t end = 0;
  while (to[end] != 0) end++;
  wcscpy(to + end, from);
  return to;
}

model_wchar *wcsncat(model_wchar *to, const model_wchar *from, size_t n) {
  size_t end = 0, i = 0;
  while (to[end] != 0) end++;
  while (i < n && from[i] != 0) {
    to[end + i] = from[i];
    i++;
  }
  to[end + i] = 0;
  return to;
}

int wcscmp(const model_wchar *a, const model_wchar *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return model_order(a[i] < b[i] ? -1 : a[i] > b[i]);
}

int wcscoll(const model_wchar *a, const model_wchar *b) { return wcscmp(a, b); }

int wcsncmp(const model_wchar *a, const model_wchar *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    if (a[i] == 0 || a[i] != b[i]) return model_order(a[i] < b[i] ? -1 : a[i] > b[i]);
    i++;
  }
  return 0;
}

model_wchar *wcschr(const model_wchar *s, model_wchar c) {
  size_t i = 0;
  while (1) {
    if (s[i] == c) return (model_wchar *)s + i;
    if (s[i] == 0) return 0;
    i++;
  }
}

model_wchar *wcsrchr(const model_wchar *s, model_wchar c) {
  model_wchar *found = 0;
  size_t i = 0;
  while (1) {
    if (s[i] == c) found = (model_wchar *)s + i;
    if (s[i] == 0) return found;
    i++;
  }
}

model_wchar *wcsstr(const model_wchar *s, const model_wchar *part) {
  size_t i = 0;
  while (1) {
    size_t j = 0;
    while (part[j] != 0 && s[i + j] == part[j]) j++;
    if (part[j] == 0) return (model_wchar *)s + i;
    if (s[i] == 0) return 0;
    i++;
  }
}

size_t wcsspn(const model_wchar *s, const model_wchar *set) {
  size_t i = 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] == 0) return i;
    i++;
  }
  return i;
}

size_t wcscspn(const model_wchar *s, const model_wchar *set) {
  size_t i = 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] != 0) return i;
    i++;
  }
  return i;
}

model_wchar *wcspbrk(const model_wchar *s, const model_wchar *set) {
  size_t i = wcscspn(s, set);
  return s[i] != 0 ? (model_wchar *)s + i : 0;
}

model_wchar *wcstok(model_wchar *s, const model_wchar *set, model_wchar **rest) {
  if (s == 0) s = *rest;
  if (s == 0) return 0;
  s += wcsspn(s, set);
  if (*s == 0) {
    *rest = 0;
    return 0;
  }
  size_t end = wcscspn(s, set);
  if (s[end] == 0) {
    *rest = 0;
    return s;
  }
  s[end] = 0;
  *rest = s + end + 1;
  return s;
}

model_wchar *wcsdup(const model_wchar *s) {
  size_t bytes = (wcslen(s) + 1) * sizeof(model_wchar);
  model_wchar *copy = malloc(bytes);
  if (copy) memcpy(copy, s, bytes);
  return copy;
}

model_wchar *wmemcpy(model_wchar *to, const model_wchar *from, size_t n) {
  return memcpy(to, from, n * sizeof(model_wchar));
}

model_wchar *wmemmove(model_wchar *to, const model_wchar *from, size_t n) {
  return memcpy(to, from, n * sizeof(model_wchar));
}

model_wchar *wmempcpy(model_wchar *to, const model_wchar *from, size_t n) {
  memcpy(to, from, n * sizeof(model_wchar));
  return to + n;
}

model_wchar *wmemset(model_wchar *to, model_wchar c, size_t n) {
  size_t i = 0;
  while (i < n) {
    to[i] = c;
    i++;
  }
  return to;
}

int wmemcmp(const model_wchar *a, const model_wchar *b, size_t n) {
  size_t i = 0;
  int last;
  if (n == 0) return 0;
  last = a[n - 1] < b[n - 1] ? -1 : a[n - 1] > b[n - 1];
  while (i + 1 < n) {
    if (a[i] != b[i]) return model_order(a[i] < b[i] ? -1 : 1);
    i++;
  }
  return model_order(last);
}

model_wchar *wmemchr(const model_wchar *s, model_wchar c, size_t n) {
  size_t i = 0;
  while (i < n) {
    if (s[i] == c) return (model_wchar *)s + i;
    i++;
  }
  return 0;
}

int iswdigit(model_wint c) { return c < 128 && isdigit(c); }
int iswupper(model_wint c) { return c < 128 && isupper(c); }
int iswlower(model_wint c) { return c < 128 && islower(c); }
int iswalpha(model_wint c) { return c < 128 && isalpha(c); }
int iswalnum(model_wint c) { return c < 128 && isalnum(c); }
int iswxdigit(model_wint c) { return c < 128 && isxdigit(c); }
int iswspace(model_wint c) { return c < 128 && isspace(c); }
int iswblank(model_wint c) { return c < 128 && isblank(c); }
int iswcntrl(model_wint c) { return c < 128 && iscntrl(c); }
int iswprint(model_wint c) { return c < 128 && isprint(c); }
int iswgraph(model_wint c) { return c < 128 && isgraph(c); }
int iswpunct(model_wint c) { return c < 128 && ispunct(c); }
model_wint towupper(model_wint c) { return c < 128 ? (model_wint)toupper(c) : c; }
model_wint towlower(model_wint c) { return c < 128 ? (model_wint)tolower(c) : c; }
model_wint btowc(int c) { return c >= 0 && c < 128 ? (model_wint)c : (model_wint)-1; }
int wctob(model_wint c) { return c < 128 ? (int)c : -1; }

/* The text as bytes that stand for the same number. No execution has one that is longer. */
void model_narrow(const model_wchar *s, char *to, size_t room) {
  size_t i = 0;
  while (s[i] > 0 && s[i] < 128) {
    if (i + 1 == room) __builtin_not_modelled();
    to[i] = (char)s[i];
    i++;
  }
  to[i] = 0;
}

long wcstol(const model_wchar *s, model_wchar **end, int base) {
  char text[128], *rest;
  model_narrow(s, text, 128);
  long value = strtol(text, &rest, base);
  if (end) *end = (model_wchar *)s + (rest - text);
  return value;
}

long long wcstoll(const model_wchar *s, model_wchar **end, int base) {
  char text[128], *rest;
  model_narrow(s, text, 128);
  long long value = strtoll(text, &rest, base);
  if (end) *end = (model_wchar *)s + (rest - text);
  return value;
}

unsigned long wcstoul(const model_wchar *s, model_wchar **end, int base) {
  char text[128], *rest;
  model_narrow(s, text, 128);
  unsigned long value = strtoul(text, &rest, base);
  if (end) *end = (model_wchar *)s + (rest - text);
  return value;
}

unsigned long long wcstoull(const model_wchar *s, model_wchar **end, int base) {
  char text[128], *rest;
  model_narrow(s, text, 128);
  unsigned long long value = strtoull(text, &rest, base);
  if (end) *end = (model_wchar *)s + (rest - text);
  return value;
}

int wcsncasecmp(const model_wchar *a, const model_wchar *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    model_wint x = towlower(a[i]), y = towlower(b[i]);
    if (x != y) return model_order(x < y ? -1 : 1);
    if (x == 0) return 0;
    i++;
  }
  return 0;
}

int wcscasecmp(const model_wchar *a, const model_wchar *b) { return wcsncasecmp(a, b, (size_t)-1); }

/* Bytes below 128 stand for themselves in every locale. */
size_t mbstowcs(model_wchar *to, const char *from, size_t n) {
  size_t i = 0;
  while (to == 0 || i < n) {
    if (from[i] < 0) __builtin_not_modelled();
    if (to) to[i] = from[i];
    if (from[i] == 0) return i;
    i++;
  }
  return n;
}

size_t wcstombs(char *to, const model_wchar *from, size_t n) {
  size_t i = 0;
  while (to == 0 || i < n) {
    if (from[i] < 0 || from[i] >= 128) __builtin_not_modelled();
    if (to) to[i] = (char)from[i];
    if (from[i] == 0) return i;
    i++;
  }
  return n;
}

/* What swprintf writes, as print.c has it of snprintf: they put text at to[n], as far as it lies before to[limit - 1], and
   return how long all of it is. */

size_t model_put_wide(model_wchar *to, size_t limit, size_t n, const model_wchar *s, size_t length) {
  size_t i = 0;
  if (n + length < limit) {
    __builtin_memcpy(to + n, s, length * sizeof(model_wchar));
    return n + length;
  }
  while (i < length && n + i + 1 < limit) {
    to[n + i] = s[i];
    i++;
  }
  return n + length;
}

/* Bytes that are characters of their own. */
size_t model_put_widened(model_wchar *to, size_t limit, size_t n, const char *s, size_t length) {
  size_t i = 0;
  while (i < length && n + i + 1 < limit) {
    if (s[i] < 0) __builtin_not_modelled();
    to[n + i] = s[i];
    i++;
  }
  return n + length;
}

size_t model_put_wide_blanks(model_wchar *to, size_t limit, size_t n, size_t count) {
  size_t i = 0;
  while (i < count && n + i + 1 < limit) {
    to[n + i] = L' ';
    i++;
  }
  return n + count;
}

size_t model_put_wide_string(model_wchar *to, size_t limit, size_t n, const model_wchar *s, int flags, int width,
                             int precision) {
  size_t length = 0, room = width < 0 ? -(unsigned)width : width;
  if (s == 0) s = precision < 0 || precision >= 6 ? L"(null)" : L"";
  while ((precision < 0 || length < (size_t)precision) && s[length]) length++;
  if (!(flags & 1) && width > 0 && room > length) n = model_put_wide_blanks(to, limit, n, room - length);
  n = model_put_wide(to, limit, n, s, length);
  if (((flags & 1) || width < 0) && room > length) n = model_put_wide_blanks(to, limit, n, room - length);
  return n;
}

size_t model_put_wide_narrow(model_wchar *to, size_t limit, size_t n, const char *s, int flags, int width, int precision) {
  size_t length = 0, room = width < 0 ? -(unsigned)width : width;
  if (s == 0) s = precision < 0 || precision >= 6 ? "(null)" : "";
  while ((precision < 0 || length < (size_t)precision) && s[length]) length++;
  if (!(flags & 1) && width > 0 && room > length) n = model_put_wide_blanks(to, limit, n, room - length);
  n = model_put_widened(to, limit, n, s, length);
  if (((flags & 1) || width < 0) && room > length) n = model_put_wide_blanks(to, limit, n, room - length);
  return n;
}

/* The final zero, and the result. A text that does not fit is an error, after which versions of glibc differ about the zero. */
int model_put_wide_end(model_wchar *to, size_t limit, size_t n) {
  if (n < limit) {
    to[n] = 0;
    return (int)n;
  }
  if (limit > 0) to[limit - 1] = model_unknown_state();
  return -1;
}
