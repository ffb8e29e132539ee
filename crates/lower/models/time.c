/* Models of time.h and sys/time.h. What the clocks say and which time zone is set comes from outside; dates are computed
   as in the proleptic Gregorian calendar, texts are those of the C locale. */

long __builtin_outside(int what);
size_t __model_put_text(char *to, size_t limit, size_t n, const char *s, size_t length);
size_t __model_put_many(char *to, size_t limit, size_t n, char c, size_t count);
size_t __model_put_string(char *to, size_t limit, size_t n, const char *s, int flags, int width, int precision);

typedef struct {
  int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
  long tm_gmtoff;
  const char *tm_zone;
} __model_tm;

long time(long *to) {
  long any;
  if (__builtin_running()) any = __builtin_outside(1);
  __VERIFIER_assume(any >= -1);
  if (to) *to = any;
  return any;
}

long clock(void) {
  long any;
  if (__builtin_running()) any = __builtin_outside(3);
  /* It goes on, until a narrow number is exceeded. Where it works once, it works again. */
  static long last = -1;
  __VERIFIER_assume(any >= -1 && (any >= last || sizeof(long) < 8));
  if (any > last) last = any;
  return any;
}

double difftime(long end, long start) { return (double)end - (double)start; }

int gettimeofday(void *to, void *zone) {
  long *time = to, seconds, micro;
  if (__builtin_running()) {
    seconds = __builtin_outside(1);
    micro = __builtin_outside(2) / 1000;
  }
  __VERIFIER_assume(seconds >= 0 && micro >= 0 && micro < 1000000);
  if (time) {
    time[0] = seconds;
    time[1] = micro;
  }
  return 0;
}

/* Clocks that nobody sets go on. */
void __model_goes_on(int clock, long seconds, long nano) {
  static long last[8][2];
  if (clock < 1 || clock > 7 || clock == 5) return;
  __VERIFIER_assume(seconds > last[clock][0] || (seconds == last[clock][0] && nano >= last[clock][1]));
  last[clock][0] = seconds;
  last[clock][1] = nano;
}

int clock_gettime(int clock, void *to) {
  long *time = to, seconds, nano;
  int fails = 0;
  if (__builtin_running()) {
    if (clock != 0) __builtin_cannot_run();
    seconds = __builtin_outside(1);
    nano = __builtin_outside(2);
  } else {
    /* The usual clocks are always there, and Linux has no more than 16. */
    int any;
    fails = clock > 15 || (clock != 0 && clock != 1 && any);
  }
  if (fails) {
    __builtin_set_errno(22);
    return -1;
  }
  __VERIFIER_assume(seconds >= 0 && nano >= 0 && nano < 1000000000);
  __model_goes_on(clock, seconds, nano);
  time[0] = seconds;
  time[1] = nano;
  return 0;
}

int timespec_get(void *to, int base) {
  if (base != 1) return 0;
  clock_gettime(0, to);
  return base;
}

int nanosleep(const void *wanted, void *left) {
  const long *time = wanted;
  int any;
  if (time[0] < 0 || time[1] < 0 || time[1] > 999999999) {
    __builtin_set_errno(22);
    return -1;
  }
  if (__builtin_running() || any) return 0;
  /* A signal came. */
  __builtin_set_errno(4);
  if (left) {
    long *rest = left, seconds, nano;
    __VERIFIER_assume(seconds >= 0 && nano >= 0 && nano <= 999999999);
    __VERIFIER_assume(seconds < time[0] || (seconds == time[0] && nano <= time[1]));
    rest[0] = seconds;
    rest[1] = nano;
  }
  return -1;
}

/* Days from the first of January 1970 to a day of a year and month, January being 0. */
long long __model_days(long long year, int month, long long day) {
  long long y = month < 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, in_era = y - era * 400;
  long long in_year = (153 * (month < 2 ? month + 10 : month - 2) + 2) / 5 + day - 1;
  return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

int __model_is_leap(long long year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

/* The fields of a moment, so many seconds east of Greenwich. Returns 0 if the year does not fit. */
int __model_fields(long long time, long offset, __model_tm *to) {
  long long moment = time + offset, days = moment / 86400, rest = moment % 86400;
  if (rest < 0) {
    rest += 86400;
    days--;
  }
  long long z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, in_era = z - era * 146097;
  long long year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  long long in_year = in_era - (365 * year + year / 4 - year / 100), part = (5 * in_year + 2) / 153;
  year += era * 400;
  int month = (int)(part < 10 ? part + 2 : part - 10), weekday = (int)((days % 7 + 11) % 7);
  if (month < 2) year++;
  if (year - 1900 > 2147483647 || year - 1900 < -2147483647 - 1) {
    __builtin_set_errno(75);
    return 0;
  }
  to->tm_sec = (int)(rest % 60);
  to->tm_min = (int)(rest / 60 % 60);
  to->tm_hour = (int)(rest / 3600);
  to->tm_mday = (int)(in_year - (153 * part + 2) / 5 + 1);
  to->tm_mon = month;
  to->tm_year = (int)(year - 1900);
  to->tm_wday = weekday;
  to->tm_yday = (int)(days - __model_days(year, 0, 1));
  to->tm_isdst = 0;
  to->tm_gmtoff = offset;
  to->tm_zone = "GMT";
  return 1;
}

/* The local time zone: one of all that there are. An execution has that of Greenwich. It may depend on the time, but no
   execution rests on that. */
void __model_zone(long *offset, int *summer) {
  static int asked, last_summer;
  static long last_offset;
  long any;
  int dst, same;
  if (__builtin_running()) {
    any = 0;
    dst = 0;
    same = 0;
  }
  /* TZ says up to a second less than 25 hours. */
  __VERIFIER_assume(any >= -89999 && any <= 89999 && dst >= 0 && dst <= 1);
  if (asked && same) {
    any = last_offset;
    dst = last_summer;
  } else if (asked && !__builtin_running()) {
    __model_unsure();
  }
  asked = 1;
  last_offset = *offset = any;
  last_summer = *summer = dst;
}

/* Both give the same object, whose contents the next call changes. */
__model_tm *__model_broken_down_time(void) {
  static __model_tm object;
  return &object;
}

void *gmtime_r(const long *time, void *to) { return __model_fields(*time, 0, to) ? to : 0; }
void *gmtime(const long *time) { return gmtime_r(time, __model_broken_down_time()); }

/* Whether what is told of a zone comes in: leap seconds, hours that are skipped or repeated. No execution rests on it. */
int __model_adjusts(void) {
  int any;
  if (__builtin_running() || !any) return 0;
  __model_unsure();
  return 1;
}

void *localtime_r(const long *time, void *to) {
  long offset;
  int summer;
  __model_tm *fields = to;
  __model_zone(&offset, &summer);
  if (!__model_fields(*time, offset, fields)) return 0;
  if (__model_adjusts()) fields->tm_sec = 60;
  fields->tm_isdst = summer;
  if (__builtin_running()) {
    fields->tm_zone = "UTC";
  } else {
    static char zone[8];
    __builtin_havoc(zone, 7);
    fields->tm_zone = zone;
  }
  return to;
}

void *localtime(const long *time) { return localtime_r(time, __model_broken_down_time()); }

/* The moment that fields stand for, which need not be in their ranges. */
long long __model_moment(__model_tm *from) {
  long long months = from->tm_mon, year = from->tm_year + 1900ll + months / 12;
  int month = (int)(months % 12);
  if (month < 0) {
    month += 12;
    year--;
  }
  long long days = __model_days(year, month, 1) + from->tm_mday - 1;
  return days * 86400 + from->tm_hour * 3600ll + from->tm_min * 60ll + from->tm_sec;
}

long timegm(void *from) {
  long long moment = __model_moment(from);
  if (moment != (long)moment || !__model_fields(moment, 0, from)) return -1;
  return (long)moment;
}

long mktime(void *from) {
  long offset;
  int summer;
  __model_tm *fields = from;
  __model_zone(&offset, &summer);
  long long moment = __model_moment(fields) - offset;
  /* The zone need not have the kind of time that is asked for. */
  if (!__builtin_running() && fields->tm_isdst >= 0 && (fields->tm_isdst != 0) != summer) __model_unsure();
  if (__model_adjusts()) {
    long shift;
    __VERIFIER_assume(shift >= -90000 && shift <= 90000);
    moment += shift;
  }
  if (moment != (long)moment || !__model_fields(moment, offset, fields)) return -1;
  fields->tm_isdst = summer;
  fields->tm_zone = "UTC";
  return (long)moment;
}

long timelocal(void *from) { return mktime(from); }
void tzset(void) {}

const char *__model_weekday(int day) {
  static const char *const names[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  return day < 0 || day > 6 ? "?" : names[day];
}

const char *__model_month(int month) {
  static const char *const names[] = {"January", "February", "March",     "April",   "May",      "June",
                                      "July",    "August",   "September", "October", "November", "December"};
  return month < 0 || month > 11 ? "?" : names[month];
}

/* Puts a number of at least so many digits, filled up with zeros or blanks. */
size_t __model_put_padded(char *to, size_t limit, size_t n, long long value, int width, char fill) {
  char digits[24];
  size_t length = 0;
  unsigned long long rest = value < 0 ? -(unsigned long long)value : (unsigned long long)value;
  do {
    digits[23 - length] = '0' + rest % 10;
    rest /= 10;
    length++;
  } while (rest != 0);
  if (value < 0) {
    n = __model_put_many(to, limit, n, '-', 1);
    width--;
  }
  if (width > (int)length) n = __model_put_many(to, limit, n, fill, width - length);
  return __model_put_text(to, limit, n, digits + 24 - length, length);
}

char *__model_asctime(const void *from, char *to, size_t limit) {
  const __model_tm *tm = from;
  size_t n = __model_put_text(to, limit, 0, __model_weekday(tm->tm_wday), tm->tm_wday < 0 || tm->tm_wday > 6 ? 1 : 3);
  if (n == 1) n = __model_put_text(to, limit, n, "??", 2);
  n = __model_put_many(to, limit, n, ' ', 1);
  if (tm->tm_mon < 0 || tm->tm_mon > 11) n = __model_put_text(to, limit, n, "???", 3);
  else n = __model_put_text(to, limit, n, __model_month(tm->tm_mon), 3);
  n = __model_put_padded(to, limit, n, tm->tm_mday, 3, ' ');
  n = __model_put_many(to, limit, n, ' ', 1);
  n = __model_put_padded(to, limit, n, tm->tm_hour, tm->tm_hour < 0 ? 3 : 2, '0');
  n = __model_put_many(to, limit, n, ':', 1);
  n = __model_put_padded(to, limit, n, tm->tm_min, tm->tm_min < 0 ? 3 : 2, '0');
  n = __model_put_many(to, limit, n, ':', 1);
  n = __model_put_padded(to, limit, n, tm->tm_sec, tm->tm_sec < 0 ? 3 : 2, '0');
  n = __model_put_many(to, limit, n, ' ', 1);
  n = __model_put_padded(to, limit, n, tm->tm_year + 1900ll, 0, ' ');
  n = __model_put_many(to, limit, n, '\n', 1);
  if (n >= limit) {
    __builtin_set_errno(75);
    return 0;
  }
  to[n] = 0;
  return to;
}

char *asctime_r(const void *from, char *to) { return __model_asctime(from, to, 26); }

/* Its own text has room for all numbers. */
char *asctime(const void *time) {
  static char text[114];
  return __model_asctime(time, text, 114);
}

char *ctime(const long *time) { return asctime(localtime(time)); }

char *ctime_r(const long *time, char *to) {
  __model_tm fields;
  return asctime_r(localtime_r(time, &fields), to);
}

/* The week of the year by the rule of ISO 8601, and its year. */
int __model_week(const __model_tm *tm, long long *year) {
  int weekday = (tm->tm_wday + 6) % 7, week = (tm->tm_yday - weekday + 10) / 7;
  *year = tm->tm_year + 1900ll;
  if (week < 1) {
    (*year)--;
    int last = tm->tm_yday + (__model_is_leap(*year) ? 366 : 365);
    return (last - weekday + 10) / 7;
  }
  if (week == 53 && tm->tm_yday - weekday + 3 >= (__model_is_leap(*year) ? 366 : 365)) {
    (*year)++;
    return 1;
  }
  return week;
}

size_t __model_format_time(char *to, size_t limit, size_t n, const char *format, const __model_tm *tm);

size_t __model_put_time(char *to, size_t limit, size_t n, char letter, const __model_tm *tm) {
  long long year = tm->tm_year + 1900ll, other;
  int hour = tm->tm_hour % 12 == 0 ? 12 : tm->tm_hour % 12;
  switch (letter) {
    case 'a': return __model_put_text(to, limit, n, __model_weekday(tm->tm_wday), tm->tm_wday < 0 || tm->tm_wday > 6 ? 1 : 3);
    case 'A': return __model_put_string(to, limit, n, __model_weekday(tm->tm_wday), 0, 0, -1);
    case 'b':
    case 'h': return __model_put_text(to, limit, n, __model_month(tm->tm_mon), tm->tm_mon < 0 || tm->tm_mon > 11 ? 1 : 3);
    case 'B': return __model_put_string(to, limit, n, __model_month(tm->tm_mon), 0, 0, -1);
    case 'c': return __model_format_time(to, limit, n, "%a %b %e %H:%M:%S %Y", tm);
    case 'C':
      /* Versions of glibc differ. */
      if (year < 1000) __builtin_not_modelled();
      return __model_put_padded(to, limit, n, year / 100 - (year % 100 < 0), 2, '0');
    case 'd': return __model_put_padded(to, limit, n, tm->tm_mday, 2, '0');
    case 'D':
    case 'x': return __model_format_time(to, limit, n, "%m/%d/%y", tm);
    case 'e': return __model_put_padded(to, limit, n, tm->tm_mday, 2, ' ');
    case 'F': return __model_format_time(to, limit, n, "%Y-%m-%d", tm);
    case 'g':
      __model_week(tm, &other);
      return __model_put_padded(to, limit, n, (other % 100 + 100) % 100, 2, '0');
    case 'G':
      __model_week(tm, &other);
      return __model_put_padded(to, limit, n, other, 0, '0');
    case 'H': return __model_put_padded(to, limit, n, tm->tm_hour, 2, '0');
    case 'I': return __model_put_padded(to, limit, n, hour, 2, '0');
    case 'j': return __model_put_padded(to, limit, n, tm->tm_yday + 1, 3, '0');
    case 'k': return __model_put_padded(to, limit, n, tm->tm_hour, 2, ' ');
    case 'l': return __model_put_padded(to, limit, n, hour, 2, ' ');
    case 'm': return __model_put_padded(to, limit, n, tm->tm_mon + 1, 2, '0');
    case 'M': return __model_put_padded(to, limit, n, tm->tm_min, 2, '0');
    case 'n': return __model_put_many(to, limit, n, '\n', 1);
    case 'p': return __model_put_text(to, limit, n, tm->tm_hour > 11 ? "PM" : "AM", 2);
    case 'P': return __model_put_text(to, limit, n, tm->tm_hour > 11 ? "pm" : "am", 2);
    case 'r': return __model_format_time(to, limit, n, "%I:%M:%S %p", tm);
    case 'R': return __model_format_time(to, limit, n, "%H:%M", tm);
    case 's': {
      __model_tm copy = *tm;
      return __model_put_padded(to, limit, n, mktime(&copy), 0, '0');
    }
    case 'S': return __model_put_padded(to, limit, n, tm->tm_sec, 2, '0');
    case 't': return __model_put_many(to, limit, n, '\t', 1);
    case 'T':
    case 'X': return __model_format_time(to, limit, n, "%H:%M:%S", tm);
    case 'u': return __model_put_padded(to, limit, n, (tm->tm_wday + 6) % 7 + 1, 0, '0');
    case 'U': return __model_put_padded(to, limit, n, (tm->tm_yday - tm->tm_wday + 7) / 7, 2, '0');
    case 'V': return __model_put_padded(to, limit, n, __model_week(tm, &other), 2, '0');
    case 'w': return __model_put_padded(to, limit, n, tm->tm_wday, 0, '0');
    case 'W': return __model_put_padded(to, limit, n, (tm->tm_yday - (tm->tm_wday + 6) % 7 + 7) / 7, 2, '0');
    case 'y': return __model_put_padded(to, limit, n, (year % 100 + 100) % 100, 2, '0');
    case 'Y': return __model_put_padded(to, limit, n, year, 0, '0');
    case 'z': {
      long east = tm->tm_gmtoff < 0 ? -tm->tm_gmtoff : tm->tm_gmtoff;
      n = __model_put_many(to, limit, n, tm->tm_gmtoff < 0 ? '-' : '+', 1);
      return __model_put_padded(to, limit, n, east / 3600 * 100 + east / 60 % 60, 4, '0');
    }
    case 'Z':
      /* It is one of tzname. */
      if ((tm->tm_zone == 0 || tm->tm_zone[0] == 0) && tm->tm_isdst >= 0) __builtin_not_modelled();
      return __model_put_string(to, limit, n, tm->tm_zone ? tm->tm_zone : "", 0, 0, -1);
    case '%': return __model_put_many(to, limit, n, '%', 1);
    default: n = __model_put_many(to, limit, n, '%', 1); return __model_put_many(to, limit, n, letter, 1);
  }
}

size_t __model_format_time(char *to, size_t limit, size_t n, const char *format, const __model_tm *tm) {
  size_t i = 0;
  while (format[i]) {
    if (format[i] != '%') {
      n = __model_put_many(to, limit, n, format[i], 1);
    } else {
      i++;
      /* Flags and widths are GNU's. */
      if (format[i] && strchr("_-0^#+123456789", format[i])) __builtin_flags_of_strftime();
      if (format[i] == 'E' || format[i] == 'O') i++;
      if (format[i] == 0) return n;
      n = __model_put_time(to, limit, n, format[i], tm);
    }
    i++;
  }
  return n;
}

/* A text that does not fit leaves anything, and versions of glibc differ about errno. That of another locale is unknown. */
size_t strftime(char *to, size_t limit, const char *format, const void *time) {
  size_t n;
  int fits = 1;
  if (__model_has_locale()) fits = __model_unknown_state();
  else n = __model_format_time(to, limit, 0, format, time);
  if (!fits || n >= limit) {
    __builtin_forget(to);
    __builtin_forget_errno();
    return 0;
  }
  if (__model_has_locale()) __builtin_forget(to, n);
  to[n] = 0;
  return n;
}
