/* time.h and sys/time.h: what the clocks say comes from outside. */

long time(long *to) {
  long any;
  __VERIFIER_assume(any >= -1);
  if (to) *to = any;
  return any;
}

long clock(void) {
  long any;
  __VERIFIER_assume(any >= -1);
  return any;
}

double difftime(long end, long start) { return (double)end - (double)start; }

int gettimeofday(void *to, void *zone) {
  long *time = to, seconds, micro;
  __VERIFIER_assume(seconds >= 0 && micro >= 0 && micro < 1000000);
  if (time) {
    time[0] = seconds;
    time[1] = micro;
  }
  return 0;
}

int clock_gettime(int clock, void *to) {
  long *time = to, seconds, nano;
  int fails;
  if (fails) {
    __builtin_set_errno();
    return -1;
  }
  __VERIFIER_assume(seconds >= 0 && nano >= 0 && nano < 1000000000);
  time[0] = seconds;
  time[1] = nano;
  return 0;
}

/* Both give the same object, whose contents the next call changes. */
void *model_broken_down_time(void) {
  static long long object[8];
  return object;
}

void *localtime(const long *time) {
  void *result = model_broken_down_time();
  __builtin_havoc(result, 64);
  return result;
}

void *gmtime(const long *time) {
  void *result = model_broken_down_time();
  __builtin_havoc(result, 64);
  return result;
}

char *asctime(const void *time) {
  static char text[32];
  __builtin_havoc(text, 32);
  return text;
}

char *ctime(const long *time) {
  char *text = asctime(0);
  __builtin_havoc(text, 32);
  return text;
}

char *strerror(int number) {
  static char text[64];
  __builtin_havoc(text, 64);
  return text;
}
