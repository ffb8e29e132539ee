/* Models of sets of signals (signal.h): one bit each. */

int sigemptyset(unsigned long *set) {
  __builtin_memset(set, 0, 128);
  return 0;
}

int sigfillset(unsigned long *set) {
  __builtin_memset(set, 255, 128);
  /* Two signals belong to the library. */
  set[31 / (8 * sizeof(long))] &= ~(1ul << 31 % (8 * sizeof(long)));
  set[32 / (8 * sizeof(long))] &= ~(1ul << 32 % (8 * sizeof(long)));
  return 0;
}

int __model_bad_signal(int number) {
  if (number > 0 && number < 65 && number != 32 && number != 33) return 0;
  __builtin_set_errno(22);
  return 1;
}

int sigaddset(unsigned long *set, int number) {
  if (__model_bad_signal(number)) return -1;
  set[(number - 1) / (8 * sizeof(long))] |= 1ul << (number - 1) % (8 * sizeof(long));
  return 0;
}

int sigdelset(unsigned long *set, int number) {
  if (__model_bad_signal(number)) return -1;
  set[(number - 1) / (8 * sizeof(long))] &= ~(1ul << (number - 1) % (8 * sizeof(long)));
  return 0;
}

int sigismember(const unsigned long *set, int number) {
  if (number <= 0 || number >= 65) {
    __builtin_set_errno(22);
    return -1;
  }
  return set[(number - 1) / (8 * sizeof(long))] >> (number - 1) % (8 * sizeof(long)) & 1;
}
