/* Models of ctype.h in the C locale. Another one has the same classes of the first 128 characters. */

int __model_unknown_state(void);
int __model_has_locale(void);

/* C says that the result is not zero where the character belongs to the class. glibc has a bit for each class, which
   executions show. */
int __model_class(int belongs, int bit) {
  int any;
  if (!belongs) return 0;
  if (__builtin_running() || any == 0) return bit;
  return any;
}

/* Of other arguments than characters and EOF C says nothing. */
int __model_class_of(int c, int belongs, int bit) {
  __builtin_requires(c >= -1 && c <= 255);
  if (c > 127 && __model_has_locale()) return __model_unknown_state();
  return __model_class(belongs, bit);
}

/* Whether another locale may have another letter for this one: Turkish has for i. */
int __model_other_case(int c) { return (c > 127 || c == 'i' || c == 'I') && __model_has_locale(); }

/* In a table for characters from -128 on, those that may be others in another locale. */
void __model_other_characters(char *table, size_t bytes) {
  if (!__model_has_locale()) return;
  __builtin_forget(table, 127 * bytes);
  __builtin_forget(table + 256 * bytes, 128 * bytes);
}

int isdigit(int c) { return __model_class_of(c, c >= '0' && c <= '9', 1 << 11); }
int isupper(int c) { return __model_class_of(c, c >= 'A' && c <= 'Z', 1 << 8); }
int islower(int c) { return __model_class_of(c, c >= 'a' && c <= 'z', 1 << 9); }
int isalpha(int c) { return __model_class_of(c, (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'), 1 << 10); }
int isalnum(int c) {
  return __model_class_of(c, (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'), 1 << 3);
}
int isxdigit(int c) {
  return __model_class_of(c, (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f'), 1 << 12);
}
int isspace(int c) { return __model_class_of(c, c == ' ' || (c >= '\t' && c <= '\r'), 1 << 13); }
int isblank(int c) { return __model_class_of(c, c == ' ' || c == '\t', 1); }
int iscntrl(int c) { return __model_class_of(c, (c >= 0 && c < 32) || c == 127, 1 << 1); }
int isprint(int c) { return __model_class_of(c, c >= 32 && c < 127, 1 << 14); }
int isgraph(int c) { return __model_class_of(c, c > 32 && c < 127, 1 << 15); }
int ispunct(int c) {
  int alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  return __model_class_of(c, c > 32 && c < 127 && !alnum, 1 << 2);
}
int isascii(int c) { return __model_class(c >= 0 && c < 128, 1); }
int toupper(int c) {
  __builtin_requires(c >= -1 && c <= 255);
  if (__model_other_case(c)) return __model_unknown_state();
  return c >= 'a' && c <= 'z' ? c - 32 : c;
}
int tolower(int c) {
  __builtin_requires(c >= -1 && c <= 255);
  if (__model_other_case(c)) return __model_unknown_state();
  return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

/* glibc's macros read tables; the bits are those of its ctype.h on little-endian machines. */
const unsigned short **__ctype_b_loc(void) {
  static unsigned short classes[384];
  static const unsigned short *zero = classes + 128;
  int c = 0;
  while (c < 128) {
    int upper = c >= 'A' && c <= 'Z', lower = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
    int hex = digit || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
    int space = c == ' ' || (c >= '\t' && c <= '\r'), print = c >= 32 && c < 127;
    int bits = 0;
    if (upper) bits |= 1 << 8;
    if (lower) bits |= 1 << 9;
    if (upper || lower) bits |= 1 << 10;
    if (digit) bits |= 1 << 11;
    if (hex) bits |= 1 << 12;
    if (space) bits |= 1 << 13;
    if (print) bits |= 1 << 14;
    if (print && c != ' ') bits |= 1 << 15;
    if (c == ' ' || c == '\t') bits |= 1;
    if (c < 32 || c == 127) bits |= 1 << 1;
    if (print && c != ' ' && !upper && !lower && !digit) bits |= 1 << 2;
    if (upper || lower || digit) bits |= 1 << 3;
    classes[128 + c] = bits;
    c++;
  }
  __model_other_characters((char *)classes, sizeof(short));
  return &zero;
}

const int **__ctype_tolower_loc(void) {
  static int table[384];
  static const int *zero = table + 128;
  int c = -128;
  while (c < 256) {
    table[128 + c] = c >= 'A' && c <= 'Z' ? c + 32 : c;
    c++;
  }
  __model_other_characters((char *)table, sizeof(int));
  if (__model_has_locale()) __builtin_forget(&table[128 + 'I'], sizeof(int));
  return &zero;
}

const int **__ctype_toupper_loc(void) {
  static int table[384];
  static const int *zero = table + 128;
  int c = -128;
  while (c < 256) {
    table[128 + c] = c >= 'a' && c <= 'z' ? c - 32 : c;
    c++;
  }
  __model_other_characters((char *)table, sizeof(int));
  if (__model_has_locale()) __builtin_forget(&table[128 + 'i'], sizeof(int));
  return &zero;
}

int *__errno_location(void) {
  static int number;
  return &number;
}

int toascii(int c) { return c & 127; }
int _toupper(int c) { return toupper(c); }
int _tolower(int c) { return tolower(c); }
