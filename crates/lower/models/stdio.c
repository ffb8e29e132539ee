/* What the standard says of functions of stdio.h, unistd.h and fcntl.h whose results come from outside: how much they
   write, and which results they can have. A local that nobody initialised is an arbitrary value;
   __builtin_set_errno() without a value sets errno to any error. */

void __builtin_havoc(void *to, size_t n);

/* A character from outside, or EOF. */
int getchar(void) {
  short any;
  return any < 0 ? -1 : any & 255;
}

int getc(void *stream) {
  short any;
  return any < 0 ? -1 : any & 255;
}

int fgetc(void *stream) {
  short any;
  return any < 0 ? -1 : any & 255;
}

int getchar_unlocked(void) {
  short any;
  return any < 0 ? -1 : any & 255;
}

int getc_unlocked(void *stream) {
  short any;
  return any < 0 ? -1 : any & 255;
}

int ungetc(int c, void *stream) {
  int any;
  return c == -1 || any ? -1 : c & 255;
}

/* A line, or nothing at the end of the file. Inside the line there is no newline. */
char *fgets(char *s, int n, void *stream) {
  size_t length;
  int fails;
  if (n <= 0 || fails) {
    __builtin_set_errno();
    return 0;
  }
  __VERIFIER_assume(length < (size_t)n && (length > 0 || n == 1));
  __builtin_havoc(s, length);
  s[length] = 0;
  return s;
}

size_t fread(void *to, size_t size, size_t count, void *stream) {
  size_t items;
  __VERIFIER_assume(items <= count);
  if (size == 0 || count == 0) return 0;
  /* A last item may be there in part. */
  __builtin_havoc(to, size * count);
  if (items < count) __builtin_set_errno();
  return items;
}

size_t fwrite(const void *from, size_t size, size_t count, void *stream) {
  size_t items;
  __VERIFIER_assume(items <= count);
  if (size == 0 || count == 0) return 0;
  if (items < count) __builtin_set_errno();
  return items;
}

void *fopen(const char *path, const char *mode) {
  void *any;
  if (any == 0) __builtin_set_errno();
  return any;
}

void *fdopen(int file, const char *mode) {
  void *any;
  if (any == 0) __builtin_set_errno();
  return any;
}

void *freopen(const char *path, const char *mode, void *stream) {
  int any;
  if (any) return stream;
  __builtin_set_errno();
  return 0;
}

void *tmpfile(void) {
  void *any;
  if (any == 0) __builtin_set_errno();
  return any;
}

void *popen(const char *command, const char *mode) {
  void *any;
  if (any == 0) __builtin_set_errno();
  return any;
}

int fclose(void *stream) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int feof(void *stream) {
  int any;
  return any != 0;
}

int ferror(void *stream) {
  int any;
  return any != 0;
}

void clearerr(void *stream) {}
void rewind(void *stream) {}

int fileno(void *stream) {
  int any;
  if (any < 0) __builtin_set_errno();
  return any < 0 ? -1 : any;
}

int fseek(void *stream, long offset, int from) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

long ftell(void *stream) {
  long any;
  if (any < 0) __builtin_set_errno();
  return any < 0 ? -1 : any;
}

int remove(const char *path) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int rename(const char *from, const char *to) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

long read(int file, void *to, size_t n) {
  long got;
  __VERIFIER_assume(got >= -1 && (got < 0 || (size_t)got <= n));
  if (got > 0) __builtin_havoc(to, got);
  if (got < 0) __builtin_set_errno();
  return got;
}

long write(int file, const void *from, size_t n) {
  long put;
  __VERIFIER_assume(put >= -1 && (put < 0 || (size_t)put <= n));
  if (put < 0) __builtin_set_errno();
  return put;
}

int open(const char *path, int flags, ...) {
  int any;
  if (any < 0) __builtin_set_errno();
  return any < 0 ? -1 : any;
}

int creat(const char *path, unsigned mode) {
  int any;
  if (any < 0) __builtin_set_errno();
  return any < 0 ? -1 : any;
}

int dup(int file) {
  int any;
  if (any < 0) __builtin_set_errno();
  return any < 0 ? -1 : any;
}

int close(int file) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int unlink(const char *path) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int access(const char *path, int mode) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int isatty(int file) {
  int any;
  if (any) return 1;
  __builtin_set_errno();
  return 0;
}

int getpid(void) {
  int any;
  __VERIFIER_assume(any > 0);
  return any;
}

int getppid(void) {
  int any;
  __VERIFIER_assume(any >= 0);
  return any;
}

unsigned getuid(void) {
  unsigned any;
  return any;
}

unsigned geteuid(void) {
  unsigned any;
  return any;
}

unsigned sleep(unsigned seconds) {
  unsigned left;
  __VERIFIER_assume(left <= seconds);
  return left;
}

int usleep(unsigned useconds) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}
