/* Models of locale.h: programs run in the C locale. */

void *localeconv(void) {
  static struct {
    const char *decimal_point, *thousands_sep, *grouping, *int_curr_symbol, *currency_symbol, *mon_decimal_point;
    const char *mon_thousands_sep, *mon_grouping, *positive_sign, *negative_sign;
    char other[14];
  } conventions = {".", "", "", "", "", "", "", "", "", "",
                   {127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127}};
  return &conventions;
}

/* Whether another locale than C may be set. */
int *__model_other_locale(void) {
  static int other;
  return &other;
}

/* How many bytes a character has at most: MB_CUR_MAX. */
size_t __ctype_get_mb_cur_max(void) {
  size_t any;
  return *__model_other_locale() && any > 0 && any <= 16 ? any : 1;
}

/* Another locale than C may be there or not; nothing of it is modelled but its name. */
char *setlocale(int category, const char *locale) {
  static char name[16] = "C";
  int any;
  if (category < 0 || category > 12) return 0;
  if (locale == 0 || strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0) return name;
  if (__builtin_running()) return locale[0] == 0 ? name : 0;
  if (any) return 0;
  *__model_other_locale() = 1;
  __builtin_havoc(name, 15);
  return name;
}
