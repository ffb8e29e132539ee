/* What sprintf and snprintf write, one function for each kind of conversion: lowering makes a sequence of calls of a
   literal format. They put text at to[n], as far as it lies before to[limit - 1], and return how long all of it is. */

size_t __model_put_text(char *to, size_t limit, size_t n, const char *s, size_t length) {
  size_t i = 0;
  if (n + length < limit) {
    __builtin_memcpy(to + n, s, length);
    return n + length;
  }
  while (i < length && n + i + 1 < limit) {
    to[n + i] = s[i];
    i++;
  }
  return n + length;
}

size_t __model_put_many(char *to, size_t limit, size_t n, char c, size_t count) {
  size_t i = 0;
  while (i < count && n + i + 1 < limit) {
    to[n + i] = c;
    i++;
  }
  return n + count;
}

/* Flags: 1 left, 2 plus, 4 space, 8 alternate, 16 zeros, 32 capitals. A negative width means left. */
size_t __model_put_string(char *to, size_t limit, size_t n, const char *s, int flags, int width, int precision) {
  size_t length = 0, room = width < 0 ? -(unsigned)width : width;
  if (s == 0) s = precision < 0 || precision >= 6 ? "(null)" : "";
  while ((precision < 0 || length < (size_t)precision) && s[length]) length++;
  if (!(flags & 1) && width > 0 && room > length) n = __model_put_many(to, limit, n, ' ', room - length);
  n = __model_put_text(to, limit, n, s, length);
  if (((flags & 1) || width < 0) && room > length) n = __model_put_many(to, limit, n, ' ', room - length);
  return n;
}

size_t __model_put_char(char *to, size_t limit, size_t n, int c, int flags, int width) {
  size_t room = width < 0 ? -(unsigned)width : width;
  if (!(flags & 1) && width > 1) n = __model_put_many(to, limit, n, ' ', room - 1);
  n = __model_put_many(to, limit, n, (char)c, 1);
  if (((flags & 1) || width < 0) && room > 1) n = __model_put_many(to, limit, n, ' ', room - 1);
  return n;
}

size_t __model_put_number(char *to, size_t limit, size_t n, unsigned long long value, int negative, unsigned base, int flags,
                        int width, int precision) {
  char digits[24];
  size_t length = 0, zeros = 0, before = 0, total, room = width < 0 ? -(unsigned)width : width;
  int is_zero = value == 0;
  char sign = negative ? '-' : flags & 2 ? '+' : flags & 4 ? ' ' : 0;
  int left = (flags & 1) || width < 0;
  if (value == 0 && precision != 0) {
    digits[23] = '0';
    length = 1;
  }
  while (value != 0) {
    unsigned digit = value % base;
    value /= base;
    digits[23 - length] = digit < 10 ? '0' + digit : flags & 32 ? 'A' + digit - 10 : 'a' + digit - 10;
    length++;
  }
  if (precision > 0 && (size_t)precision > length) zeros = precision - length;
  if (base == 8 && (flags & 8) && zeros == 0 && (length == 0 || !is_zero)) zeros = 1;
  if (sign) before = 1;
  if (base == 16 && (flags & 8) && !is_zero) before = 2;
  total = before + zeros + length;
  if ((flags & 16) && !left && precision < 0 && room > total) {
    zeros += room - total;
    total = room;
  }
  if (!left && room > total) n = __model_put_many(to, limit, n, ' ', room - total);
  if (sign) n = __model_put_many(to, limit, n, sign, 1);
  if (base == 16 && (flags & 8) && !is_zero) n = __model_put_text(to, limit, n, flags & 32 ? "0X" : "0x", 2);
  n = __model_put_many(to, limit, n, '0', zeros);
  n = __model_put_text(to, limit, n, digits + 24 - length, length);
  if (left && room > total) n = __model_put_many(to, limit, n, ' ', room - total);
  return n;
}

size_t __model_put_signed(char *to, size_t limit, size_t n, long long value, int flags, int width, int precision) {
  unsigned long long size = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
  return __model_put_number(to, limit, n, size, value < 0, 10, flags, width, precision);
}

size_t __model_put_unsigned(char *to, size_t limit, size_t n, unsigned long long value, unsigned base, int flags, int width,
                          int precision) {
  return __model_put_number(to, limit, n, value, 0, base, flags & ~6, width, precision);
}

/* The final zero, and the result. */
int __model_put_end(char *to, size_t limit, size_t n) {
  if (limit > 0) to[n < limit ? n : limit - 1] = 0;
  return (int)n;
}

/* Where the next argument of a list lies: each takes a slot of the pointer's size, or its own rounded up to that. */
const char *__model_after(const char *slot, size_t bytes) {
  return slot + (bytes + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
}

/* Walks the texts that vprintf and its like read, by their format and the first slot of their list of arguments. */
void __model_listed_texts(const char *format, const char *slot) {
  while (*format != 0) {
    size_t most = -1;
    int longs = 0, words = 0, extended = 0;
    if (*format++ != '%') continue;
    while (*format == '-' || *format == '+' || *format == ' ' || *format == '#' || *format == '0' || *format == '\'') format++;
    while (*format >= '0' && *format <= '9') format++;
    if (*format == '*') {
      slot = __model_after(slot, sizeof(int));
      format++;
    }
    if (*format == '.') {
      most = 0;
      format++;
      while (*format >= '0' && *format <= '9') most = 10 * most + (*format++ - '0');
      if (*format == '*') {
        most = *(const int *)slot < 0 ? (size_t)-1 : (size_t)*(const int *)slot;
        slot = __model_after(slot, sizeof(int));
        format++;
      }
    }
    while (*format == 'h' || *format == 'l' || *format == 'z' || *format == 't' || *format == 'j' || *format == 'q' || *format == 'L') {
      if (*format == 'l') longs++;
      if (*format == 'z' || *format == 't') words++;
      if (*format == 'j' || *format == 'q') longs = 2;
      if (*format == 'L') extended++;
      format++;
    }
    switch (*format++) {
      case '%':
        break;
      case 's':
        if (longs) wcsnlen(*(const __model_wchar *const *)slot, most);
        else __text_length(*(const char *const *)slot, most);
        slot = __model_after(slot, sizeof(void *));
        break;
      case 'n': case 'p':
        slot = __model_after(slot, sizeof(void *));
        break;
      case 'd': case 'i': case 'u': case 'o': case 'x': case 'X': case 'c':
        slot = __model_after(slot, longs > 1 || extended ? sizeof(long long) : longs || words ? sizeof(long) : sizeof(int));
        break;
      case 'e': case 'f': case 'g': case 'a': case 'E': case 'F': case 'G': case 'A':
        slot = __model_after(slot, extended ? sizeof(long double) : sizeof(double));
        break;
      default:
        __builtin_not_modelled();
        return;
    }
  }
}
