/* Models of wchar.h and wctype.h in the C locale. */

typedef __typeof__(L'x') __model_wchar;
typedef unsigned __model_wint;

size_t wcslen(const __model_wchar *s) {
  size_t n = 0;
  while (s[n] != 0) n++;
  return n;
}

size_t wcsnlen(const __model_wchar *s, size_t most) {
  size_t n = 0;
  while (n < most && s[n] != 0) n++;
  return n;
}

__model_wchar *wcscpy(__model_wchar *to, const __model_wchar *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to;
}

__model_wchar *wcpcpy(__model_wchar *to, const __model_wchar *from) {
  size_t i = 0;
  while ((to[i] = from[i]) != 0) i++;
  return to + i;
}

__model_wchar *wcpncpy(__model_wchar *to, const __model_wchar *from, size_t n) {
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

__model_wchar *wcsncpy(__model_wchar *to, const __model_wchar *from, size_t n) {
  wcpncpy(to, from, n);
  return to;
}

__model_wchar *wcscat(__model_wchar *to, const __model_wchar *from) {
  size_t end = 0;
  while (to[end] != 0) end++;
  wcscpy(to + end, from);
  return to;
}

__model_wchar *wcsncat(__model_wchar *to, const __model_wchar *from, size_t n) {
  size_t end = 0, i = 0;
  while (to[end] != 0) end++;
  while (i < n && from[i] != 0) {
    to[end + i] = from[i];
    i++;
  }
  to[end + i] = 0;
  return to;
}

int wcscmp(const __model_wchar *a, const __model_wchar *b) {
  size_t i = 0;
  while (a[i] != 0 && a[i] == b[i]) i++;
  return __model_order(a[i] < b[i] ? -1 : a[i] > b[i]);
}

int wcscoll(const __model_wchar *a, const __model_wchar *b) {
  return __model_has_locale() ? __model_unknown_state() : wcscmp(a, b);
}

int wcsncmp(const __model_wchar *a, const __model_wchar *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    if (a[i] == 0 || a[i] != b[i]) return __model_order(a[i] < b[i] ? -1 : a[i] > b[i]);
    i++;
  }
  return 0;
}

__model_wchar *wcschr(const __model_wchar *s, __model_wchar c) {
  size_t i = 0;
  while (1) {
    if (s[i] == c) return (__model_wchar *)s + i;
    if (s[i] == 0) return 0;
    i++;
  }
}

__model_wchar *wcsrchr(const __model_wchar *s, __model_wchar c) {
  __model_wchar *found = 0;
  size_t i = 0;
  while (1) {
    if (s[i] == c) found = (__model_wchar *)s + i;
    if (s[i] == 0) return found;
    i++;
  }
}

__model_wchar *wcsstr(const __model_wchar *s, const __model_wchar *part) {
  size_t i = 0;
  while (1) {
    size_t j = 0;
    while (part[j] != 0 && s[i + j] == part[j]) j++;
    if (part[j] == 0) return (__model_wchar *)s + i;
    if (s[i] == 0) return 0;
    i++;
  }
}

size_t wcsspn(const __model_wchar *s, const __model_wchar *set) {
  size_t i = 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] == 0) return i;
    i++;
  }
  return i;
}

size_t wcscspn(const __model_wchar *s, const __model_wchar *set) {
  size_t i = 0;
  while (s[i] != 0) {
    size_t j = 0;
    while (set[j] != 0 && set[j] != s[i]) j++;
    if (set[j] != 0) return i;
    i++;
  }
  return i;
}

__model_wchar *wcspbrk(const __model_wchar *s, const __model_wchar *set) {
  size_t i = wcscspn(s, set);
  return s[i] != 0 ? (__model_wchar *)s + i : 0;
}

__model_wchar *wcstok(__model_wchar *s, const __model_wchar *set, __model_wchar **rest) {
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

__model_wchar *wcsdup(const __model_wchar *s) {
  size_t bytes = (wcslen(s) + 1) * sizeof(__model_wchar);
  __model_wchar *copy = malloc(bytes);
  if (copy) memcpy(copy, s, bytes);
  return copy;
}

__model_wchar *wmemcpy(__model_wchar *to, const __model_wchar *from, size_t n) {
  return memcpy(to, from, n * sizeof(__model_wchar));
}

__model_wchar *wmemmove(__model_wchar *to, const __model_wchar *from, size_t n) {
  return memcpy(to, from, n * sizeof(__model_wchar));
}

__model_wchar *wmempcpy(__model_wchar *to, const __model_wchar *from, size_t n) {
  memcpy(to, from, n * sizeof(__model_wchar));
  return to + n;
}

__model_wchar *wmemset(__model_wchar *to, __model_wchar c, size_t n) {
  size_t i = 0;
  while (i < n) {
    to[i] = c;
    i++;
  }
  return to;
}

int wmemcmp(const __model_wchar *a, const __model_wchar *b, size_t n) {
  size_t i = 0;
  int last;
  if (n == 0) return 0;
  last = a[n - 1] < b[n - 1] ? -1 : a[n - 1] > b[n - 1];
  while (i + 1 < n) {
    if (a[i] != b[i]) return __model_order(a[i] < b[i] ? -1 : 1);
    i++;
  }
  return __model_order(last);
}

__model_wchar *wmemchr(const __model_wchar *s, __model_wchar c, size_t n) {
  size_t i = 0;
  while (i < n) {
    if (s[i] == c) return (__model_wchar *)s + i;
    i++;
  }
  return 0;
}

/* What a function says of a character beyond the first 128, which another locale decides. */
__model_wint __model_wide_other(__model_wint plain) {
  return __model_has_locale() ? (__model_wint)__model_unknown_state() : plain;
}

int iswdigit(__model_wint c) { return c < 128 && isdigit(c); }
int iswupper(__model_wint c) { return c < 128 ? isupper(c) : __model_wide_other(0); }
int iswlower(__model_wint c) { return c < 128 ? islower(c) : __model_wide_other(0); }
int iswalpha(__model_wint c) { return c < 128 ? isalpha(c) : __model_wide_other(0); }
int iswalnum(__model_wint c) { return c < 128 ? isalnum(c) : __model_wide_other(0); }
int iswxdigit(__model_wint c) { return c < 128 && isxdigit(c); }
int iswspace(__model_wint c) { return c < 128 ? isspace(c) : __model_wide_other(0); }
int iswblank(__model_wint c) { return c < 128 ? isblank(c) : __model_wide_other(0); }
int iswcntrl(__model_wint c) { return c < 128 ? iscntrl(c) : __model_wide_other(0); }
int iswprint(__model_wint c) { return c < 128 ? isprint(c) : __model_wide_other(0); }
int iswgraph(__model_wint c) { return c < 128 ? isgraph(c) : __model_wide_other(0); }
int iswpunct(__model_wint c) { return c < 128 ? ispunct(c) : __model_wide_other(0); }
__model_wint towupper(__model_wint c) { return c < 128 ? (__model_wint)toupper(c) : __model_wide_other(c); }
__model_wint towlower(__model_wint c) { return c < 128 ? (__model_wint)tolower(c) : __model_wide_other(c); }
__model_wint btowc(int c) { return c >= 0 && c < 128 ? (__model_wint)c : c < 0 ? (__model_wint)-1 : __model_wide_other(-1); }
int wctob(__model_wint c) { return c < 128 ? (int)c : (int)__model_wide_other(-1); }

/* The text as bytes that stand for the same number. No execution has one that is longer. */
void __model_narrow(const __model_wchar *s, char *to, size_t room) {
  size_t i = 0;
  while (s[i] > 0 && s[i] < 128) {
    if (i + 1 == room) __builtin_not_modelled();
    to[i] = (char)s[i];
    i++;
  }
  to[i] = 0;
}

long wcstol(const __model_wchar *s, __model_wchar **end, int base) {
  char text[128], *rest;
  __model_narrow(s, text, 128);
  long value = strtol(text, &rest, base);
  if (end) *end = (__model_wchar *)s + (rest - text);
  return value;
}

long long wcstoll(const __model_wchar *s, __model_wchar **end, int base) {
  char text[128], *rest;
  __model_narrow(s, text, 128);
  long long value = strtoll(text, &rest, base);
  if (end) *end = (__model_wchar *)s + (rest - text);
  return value;
}

unsigned long wcstoul(const __model_wchar *s, __model_wchar **end, int base) {
  char text[128], *rest;
  __model_narrow(s, text, 128);
  unsigned long value = strtoul(text, &rest, base);
  if (end) *end = (__model_wchar *)s + (rest - text);
  return value;
}

unsigned long long wcstoull(const __model_wchar *s, __model_wchar **end, int base) {
  char text[128], *rest;
  __model_narrow(s, text, 128);
  unsigned long long value = strtoull(text, &rest, base);
  if (end) *end = (__model_wchar *)s + (rest - text);
  return value;
}

int wcsncasecmp(const __model_wchar *a, const __model_wchar *b, size_t n) {
  size_t i = 0;
  while (i < n) {
    __model_wint x = towlower(a[i]), y = towlower(b[i]);
    if (x != y) return __model_order(x < y ? -1 : 1);
    if (x == 0) return 0;
    i++;
  }
  return 0;
}

int wcscasecmp(const __model_wchar *a, const __model_wchar *b) { return wcsncasecmp(a, b, (size_t)-1); }

/* Bytes below 128 stand for themselves in every locale. */
size_t mbstowcs(__model_wchar *to, const char *from, size_t n) {
  size_t i = 0;
  while (to == 0 || i < n) {
    if (from[i] < 0) __builtin_not_modelled();
    if (to) to[i] = from[i];
    if (from[i] == 0) return i;
    i++;
  }
  return n;
}

size_t wcstombs(char *to, const __model_wchar *from, size_t n) {
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

size_t __model_put_wide(__model_wchar *to, size_t limit, size_t n, const __model_wchar *s, size_t length) {
  size_t i = 0;
  if (n + length < limit) {
    __builtin_memcpy(to + n, s, length * sizeof(__model_wchar));
    return n + length;
  }
  while (i < length && n + i + 1 < limit) {
    to[n + i] = s[i];
    i++;
  }
  return n + length;
}

/* Bytes that are characters of their own. */
size_t __model_put_widened(__model_wchar *to, size_t limit, size_t n, const char *s, size_t length) {
  size_t i = 0;
  while (i < length && n + i + 1 < limit) {
    if (s[i] < 0) __builtin_not_modelled();
    to[n + i] = s[i];
    i++;
  }
  return n + length;
}

size_t __model_put_wide_blanks(__model_wchar *to, size_t limit, size_t n, size_t count) {
  size_t i = 0;
  while (i < count && n + i + 1 < limit) {
    to[n + i] = L' ';
    i++;
  }
  return n + count;
}

size_t __model_put_wide_string(__model_wchar *to, size_t limit, size_t n, const __model_wchar *s, int flags, int width,
                             int precision) {
  size_t length = 0, room = width < 0 ? -(unsigned)width : width;
  if (s == 0) s = precision < 0 || precision >= 6 ? L"(null)" : L"";
  while ((precision < 0 || length < (size_t)precision) && s[length]) length++;
  if (!(flags & 1) && width > 0 && room > length) n = __model_put_wide_blanks(to, limit, n, room - length);
  n = __model_put_wide(to, limit, n, s, length);
  if (((flags & 1) || width < 0) && room > length) n = __model_put_wide_blanks(to, limit, n, room - length);
  return n;
}

size_t __model_put_wide_narrow(__model_wchar *to, size_t limit, size_t n, const char *s, int flags, int width, int precision) {
  size_t length = 0, room = width < 0 ? -(unsigned)width : width;
  if (s == 0) s = precision < 0 || precision >= 6 ? "(null)" : "";
  while ((precision < 0 || length < (size_t)precision) && s[length]) length++;
  if (!(flags & 1) && width > 0 && room > length) n = __model_put_wide_blanks(to, limit, n, room - length);
  n = __model_put_widened(to, limit, n, s, length);
  if (((flags & 1) || width < 0) && room > length) n = __model_put_wide_blanks(to, limit, n, room - length);
  return n;
}

/* The final zero, and the result. A text that does not fit is an error, after which versions of glibc differ about the zero. */
int __model_put_wide_end(__model_wchar *to, size_t limit, size_t n) {
  if (n < limit) {
    to[n] = 0;
    return (int)n;
  }
  if (limit > 0) to[limit - 1] = __model_unknown_state();
  return -1;
}
