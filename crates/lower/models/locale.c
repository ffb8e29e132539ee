/* Models of locale.h: programs begin in the C locale. What depends on another one is arbitrary, and no execution rests on it. */

/* Whether another locale than C may be set. */
int *__model_other_locale(void) {
  static int other;
  return &other;
}

int __model_has_locale(void) {
  if (__builtin_running()) return 0;
  if (__builtin_mentions("uselocale")) return 1;
  return __builtin_mentions("setlocale") && *__model_other_locale();
}

void *localeconv(void) {
  static struct {
    const char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol, *mon_decimal_point;
    const char *mon_thousands_sep, *mon_grouping, *positive_sign, *negative_sign;
    char other[14];
  } conventions = {".", "", "", "", "", "", "", "", "", "",
                   {127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127}};
  if (__model_has_locale()) {
    static char text[16];
    __builtin_forget(text);
    text[15] = 0;
    __builtin_forget(conventions.other, 14);
    conventions.decimal_point = conventions.thousands_sep = conventions.grouping = text;
    conventions.int_curr_symbol = conventions.currency_symbol = conventions.mon_decimal_point = text;
    conventions.mon_thousands_sep = conventions.mon_grouping = text;
    conventions.positive_sign = conventions.negative_sign = text;
  }
  return &conventions;
}

/* How many bytes a character has at most: MB_CUR_MAX. */
size_t __ctype_get_mb_cur_max(void) {
  size_t any;
  return *__model_other_locale() && any > 0 && any <= 16 ? any : 1;
}

/* Another locale than C may be there or not, and its name is unknown. Where one is not there, errno may tell of a file. */
char *setlocale(int category, const char *locale) {
  static char plain[] = "C", other[16];
  int any;
  if (category < 0 || category > 12) return 0;
  if (locale && (strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)) {
    if (category == 6) *__model_other_locale() = 0;
    return plain;
  }
  if (__builtin_running()) return locale == 0 || locale[0] == 0 ? plain : 0;
  if (locale == 0 && !*__model_other_locale()) return plain;
  if (locale) {
    __builtin_forget_errno();
    if (any) return 0;
    *__model_other_locale() = 1;
  }
  __builtin_forget(other);
  other[15] = 0;
  return other;
}
