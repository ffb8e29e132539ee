/* What sscanf reads, one function for each directive: lowering makes a sequence of calls of a literal format. In an
   execution the text may also come from standard input. A directive that fails makes all further ones do nothing. */

typedef struct {
  const char *text;
  void *stream;
  size_t at;
  int count;
  int failed;
  int ended;
  /* Whether a number was too large (1), and then the end of the text was met (2). */
  int large;
} __model_source;

int __model_next(void *stream);
int *__model_input(void);
int __model_digit(char c);

int __model_peek(__model_source *in) {
  if (in->text && in->text[in->at]) return (unsigned char)in->text[in->at];
  if (in->text) {
    if (in->large) in->large = 2;
    return -1;
  }
  int c = __model_next(in->stream);
  if (c >= 0) __model_input()[0] = c;
  return c;
}

void __model_advance(__model_source *in) {
  if (!in->text) __model_next(in->stream);
  in->at++;
}

void __model_scan_begin(__model_source *in, const char *text, void *stream) {
  in->text = text;
  in->stream = stream;
  in->at = 0;
  in->count = in->failed = in->ended = in->large = 0;
}

/* glibc sets errno back where it meets the end of the text again. */
int __model_scan_end(__model_source *in) {
  if (in->large == 1) __builtin_set_errno(34);
  if (in->large == 2) __builtin_forget_errno();
  return in->count == 0 && in->ended ? -1 : in->count;
}

int __model_is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

void __model_scan_blanks(__model_source *in) {
  if (in->failed) return;
  while (__model_is_space(__model_peek(in))) __model_advance(in);
}

void __model_scan_literal(__model_source *in, int c) {
  if (in->failed) return;
  int next = __model_peek(in);
  if (next == c) {
    __model_advance(in);
    return;
  }
  in->failed = 1;
  if (next < 0) in->ended = 1;
}

/* Nothing is left to read: no conversion. */
int __model_scan_ended(__model_source *in) {
  if (in->failed) return 1;
  if (__model_peek(in) >= 0) return 0;
  in->failed = in->ended = 1;
  return 1;
}

void __model_scan_store(void *to, unsigned long long value, int bytes) {
  if (bytes == 1) *(unsigned char *)to = value;
  else if (bytes == 2) *(unsigned short *)to = value;
  else if (bytes == 4) *(unsigned *)to = value;
  else *(unsigned long long *)to = value;
}

/* A null target means that nothing is stored or counted. The width is at least 1. */
void __model_scan_integer(__model_source *in, void *to, int bytes, int base, int is_signed, size_t width) {
  /* strtol does the work, or strtoll for the longest type. */
  int wide = bytes == 8 || sizeof(long) == 8;
  unsigned long long value = 0, top = wide ? 0x8000000000000000ull : 0x80000000ull, most = top - 1 + top;
  int negative = 0, any = 0, large = 0, c;
  __model_scan_blanks(in);
  if (__model_scan_ended(in)) return;
  c = __model_peek(in);
  if (c == '-' || c == '+') {
    negative = c == '-';
    __model_advance(in);
    width--;
  }
  if ((base == 0 || base == 16) && width > 0 && __model_peek(in) == '0') {
    any = 1;
    __model_advance(in);
    width--;
    c = __model_peek(in);
    if (width > 0 && (c == 'x' || c == 'X')) {
      base = 16;
      __model_advance(in);
      width--;
    } else if (base == 0) {
      base = 8;
    }
  } else if (base == 0) {
    base = 10;
  }
  while (width > 0) {
    c = __model_peek(in);
    if (c < 0 || __model_digit((char)c) >= base) break;
    unsigned digit = __model_digit((char)c);
    if (large || value > (most - digit) / base) large = 1;
    else value = value * base + digit;
    any = 1;
    __model_advance(in);
    width--;
  }
  if (!any) {
    in->failed = 1;
    return;
  }
  if (is_signed && (large || value > (negative ? top : top - 1))) {
    value = negative ? top : top - 1;
    large = 1;
  } else if (large) {
    value = most;
  } else if (negative) {
    value = -value;
  }
  if (large) in->large = 1;
  if (to == 0) return;
  __model_scan_store(to, value, bytes);
  in->count++;
}

void __model_scan_chars(__model_source *in, char *to, size_t width) {
  size_t i = 0;
  if (__model_scan_ended(in)) return;
  while (i < width) {
    int c = __model_peek(in);
    if (c < 0) break;
    if (to) to[i] = (char)c;
    __model_advance(in);
    i++;
  }
  if (to) in->count++;
}

void __model_scan_word(__model_source *in, char *to, size_t width) {
  size_t i = 0;
  __model_scan_blanks(in);
  if (__model_scan_ended(in)) return;
  while (i < width) {
    int c = __model_peek(in);
    if (c < 0 || __model_is_space(c)) break;
    if (to) to[i] = (char)c;
    __model_advance(in);
    i++;
  }
  if (to) {
    to[i] = 0;
    in->count++;
  }
}

/* The set is the text between the brackets, perhaps with ^ before. */
int __model_in_set(const char *set, int c) {
  size_t i = 0;
  int without = set[0] == '^', found = 0;
  if (without) i = 1;
  if (set[i] == ']') {
    found = c == ']';
    i++;
  }
  while (set[i]) {
    if (set[i] == '-' && i > (size_t)without && set[i + 1]) {
      if (c >= (unsigned char)set[i - 1] && c <= (unsigned char)set[i + 1]) found = 1;
    } else if (c == (unsigned char)set[i]) {
      found = 1;
    }
    i++;
  }
  return found != without;
}

void __model_scan_set(__model_source *in, char *to, const char *set, size_t width) {
  size_t i = 0;
  if (__model_scan_ended(in)) return;
  while (i < width) {
    int c = __model_peek(in);
    if (c < 0 || !__model_in_set(set, c)) break;
    if (to) to[i] = (char)c;
    __model_advance(in);
    i++;
  }
  if (i == 0) {
    in->failed = 1;
    return;
  }
  if (to) {
    to[i] = 0;
    in->count++;
  }
}

int __model_float(const char *s, size_t *start, size_t *end);
double strtod(const char *s, char **end);
float strtof(const char *s, char **end);
long double strtold(const char *s, char **end);
double __builtin_read_double(const char *s, size_t n);
float __builtin_read_float(const char *s, size_t n);
long double __builtin_read_long_double(const char *s, size_t n);
int __builtin_read_status(const char *s, size_t n, int bytes);

/* A number is as long as it can be: characters of which none is left over. */
void __model_scan_float(__model_source *in, void *to, int bytes, size_t width) {
  char text[128];
  size_t i = 0, start, end;
  int point = 0, exponent = 0, hexadecimal = 0, digits = 0, c;
  __model_scan_blanks(in);
  if (__model_scan_ended(in)) return;
  while (i < width && i < 127) {
    c = __model_peek(in);
    if (c < 0) break;
    int lower = c >= 'A' && c <= 'Z' ? c + 32 : c;
    int goes_on = 0;
    if (c == '-' || c == '+') goes_on = i == 0 || (exponent == 1 && text[i - 1] != '.' && (text[i - 1] | 32) == (hexadecimal ? 'p' : 'e'));
    else if (__model_digit((char)c) < 10) goes_on = 1;
    else if (c == '.') goes_on = !point && !exponent;
    else if (digits > 0 && !exponent && lower == (hexadecimal ? 'p' : 'e')) goes_on = exponent = 1;
    else if (hexadecimal && !exponent && __model_digit((char)c) < 16) goes_on = 1;
    else if (lower == 'x' && digits == 1 && text[i - 1] == '0' && !point && !hexadecimal) goes_on = hexadecimal = 1;
    else if (digits == 0 && lower >= 'a' && lower <= 'z') goes_on = 1;
    if (!goes_on) break;
    if (c == '.') point = 1;
    if (__model_digit((char)c) < (hexadecimal ? 16 : 10) && !exponent) digits++;
    text[i] = (char)c;
    __model_advance(in);
    i++;
  }
  text[i] = 0;
  int kind = __model_float(text, &start, &end);
  /* glibc takes 1e for 1, but 0x for 0 only where that is all that may be read: as some versions have it. */
  if (kind == 0 || (kind != 1 && end != i) || ((text[end] | 32) == 'x' && __model_unknown_state())) {
    in->failed = 1;
    return;
  }
  size_t length = end - start;
  if (kind == 1 && __builtin_read_status(text + start, length, bytes)) in->large = 1;
  if (to == 0) return;
  if (bytes == 4) *(float *)to = kind == 1 ? __builtin_read_float(text + start, length) : strtof(text, 0);
  else if (bytes == 8) *(double *)to = kind == 1 ? __builtin_read_double(text + start, length) : strtod(text, 0);
  else *(long double *)to = kind == 1 ? __builtin_read_long_double(text + start, length) : strtold(text, 0);
  in->count++;
}

void __model_scan_count(__model_source *in, void *to, int bytes) {
  if (!in->failed && to) __model_scan_store(to, in->at, bytes);
}
