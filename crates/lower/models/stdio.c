/* What the standard says of functions of stdio.h, unistd.h and fcntl.h whose results come from outside: how much they
   write, and which results they can have. An uninitialised local is an arbitrary value;
   __builtin_set_errno() without a value sets errno to any error. */

void __builtin_havoc(void *to, size_t n);
void __builtin_write_bytes(const void *from, size_t n, void *stream);
int __builtin_read_byte(void *stream);
int __builtin_has_byte(const void *from, int byte, size_t n);
size_t __builtin_standard_streams(void);
/* The value of stdin, stdout or stderr where the program names it, else null. */
void *__builtin_standard_stream(int number);
int __builtin_mentions(const char *name);

/* Standard input of an execution: the character that was put back (-2: none), and whether its end was met. */
int *__model_input(void) {
  static int state[2] = {-2, 0};
  return state;
}

/* The next character of an execution's standard input. */
int __model_next(void *stream) {
  int *state = __model_input(), c = state[0];
  state[0] = -2;
  if (c == -2) c = __builtin_read_byte(stream);
  if (c < 0) state[1] = 1;
  return c;
}

/* Which streams are open for reading only ('r') or writing only ('w'): the last one of each is known. A stream is noted when
   it is opened, for both ('+') too, and is forgotten when it is closed ('c'). Whether one can be read ('<') or written ('>'):
   1, 0 that it cannot, -1 that nobody can tell. */
int __model_stream_mode(int event, void *stream) {
  static void *reader, *writer;
  static int more_readers, more_writers, standard_ones_differ;
  int is_input = stream == __builtin_standard_stream(0);
  int is_output = stream == __builtin_standard_stream(1) || stream == __builtin_standard_stream(2);
  if (stream == 0) return 1;
  if (event == '<') {
    if (stream == reader) return 1;
    if (stream == writer) return 0;
    if ((is_input || is_output) && standard_ones_differ) return -1;
    return is_output ? 0 : is_input || !more_writers ? 1 : -1;
  }
  if (event == '>') {
    if (stream == writer) return 1;
    if (stream == reader) return 0;
    if ((is_input || is_output) && standard_ones_differ) return -1;
    return is_input ? 0 : is_output || !more_readers ? 1 : -1;
  }
  if (stream == reader) reader = 0;
  if (stream == writer) writer = 0;
  if ((is_input && event != 'r' && event != 'c') || (is_output && event != 'w' && event != 'c')) standard_ones_differ = 1;
  if (event == 'r') {
    if (reader) more_readers = 1;
    reader = stream;
  }
  if (event == 'w') {
    if (writer) more_writers = 1;
    writer = stream;
  }
  return 0;
}

/* The same of descriptors; those that were open from the start may allow both. Copies ('d') are not followed. */
int __model_descriptor_mode(int event, int file) {
  static int reader = -1, writer = -1, more_readers, more_writers;
  if (event == '<') return file == reader ? 1 : file == writer ? 0 : more_writers ? -1 : 1;
  if (event == '>') return file == writer ? 1 : file == reader ? 0 : more_readers ? -1 : 1;
  if (event == 'd') more_readers = more_writers = 1;
  if (file == reader || event == 'd') reader = -1;
  if (file == writer || event == 'd') writer = -1;
  if (event == 'r') {
    if (reader >= 0) more_readers = 1;
    reader = file;
  }
  if (event == 'w') {
    if (writer >= 0) more_writers = 1;
    writer = file;
  }
  return 0;
}

/* Whether an operation fails that a stream or descriptor allows or not. It may also go on, but no execution rests on that. */
int __model_refuses(int allowed) {
  int any;
  if (allowed > 0) return 0;
  if (allowed == 0 && any) {
    __builtin_set_errno(9);
    return 1;
  }
  __model_unsure();
  return 0;
}

/* The end of a stream stays (C11 7.21.7.1): it was met ('e'), or is forgotten ('c'). Whether it was met ('?'): 1, -1 that
   nobody can tell. The last stream that came to its end is known. */
int __model_end(int event, void *stream) {
  static void *ended;
  static int has_ended, more_ended;
  int is_same = has_ended && ended == stream;
  if (event == '?') return is_same ? 1 : more_ended ? -1 : 0;
  if (event == 'c') {
    if (is_same) has_ended = 0;
    return 0;
  }
  if (has_ended && !is_same) more_ended = 1;
  ended = stream;
  has_ended = 1;
  return 0;
}

/* Whether there is nothing more to read. No execution rests on more than that after the end. */
int __model_has_ended(void *stream) {
  int ended = __model_end('?', stream), again;
  if (ended == 0) return 0;
  if (ended > 0 && again) return 1;
  __model_unsure();
  return 0;
}

/* A stream may have nothing to read: for an error, which errno tells, or since its end was met before. */
int __model_nothing_to_read(void *stream) {
  return __model_refuses(__model_stream_mode('<', stream)) || __model_has_ended(stream);
}

/* A character from outside, or EOF, where errno tells of an error, but not of the end. */
int __model_character(void *stream) {
  short any;
  int fails;
  if (__builtin_running()) return __model_next(stream);
  if (__model_nothing_to_read(stream)) return -1;
  if (any >= 0) return any & 255;
  if (fails) __builtin_set_errno();
  else __model_end('e', stream);
  return -1;
}

/* scanf or fscanf returned that. */
void __model_scanned(void *stream, int result) {
  int allowed = __model_stream_mode('<', stream), ended = __model_end('?', stream), fails, any;
  if (allowed <= 0) {
    if (allowed < 0 || result != -1 || any) __model_unsure();
    else __builtin_set_errno(9);
    return;
  }
  if (ended != 0) {
    if (ended < 0 || result != -1 || any) __model_unsure();
    else return;
  }
  /* A number may be too large even where it is stored. */
  if (fails) __builtin_set_errno();
  else if (result == -1) __model_end('e', stream);
}

/* An output function was given this stream, and returned that. */
void __model_written(void *stream, int result) {
  int allowed = __model_stream_mode('>', stream), any;
  if (allowed > 0) return;
  if (allowed == 0 && result < 0 && any) __builtin_set_errno(9);
  else __model_unsure();
}

/* Whether the program may know what a file holds, since it read or wrote it before: after something was read ('r'),
   another place was sought ('s'), or a file was opened for writing ('w'), for reading ('o') or for both ('+'). */
int __model_files(int event) {
  static int was_read, is_written, is_known;
  if (event == 'r') was_read = 1;
  if (event == 'w') is_written = 1;
  if (event == '+' || (event == 's' && was_read) || (event == 'o' && is_written)) is_known = 1;
  return is_known;
}

/* Something is read from a file: it is arbitrary, unless it is known. */
void __model_reads(void) {
  if (!__builtin_running() && __model_files('r')) __model_unsure();
}

/* A character of a stream that the program names. */
int __model_from(void *stream) {
  __model_stream(stream);
  __model_reads();
  return __model_character(stream);
}

int getchar(void) { return __model_character(__builtin_standard_stream(0)); }
int getc(void *stream) { return __model_from(stream); }
int fgetc(void *stream) { return __model_from(stream); }
int getchar_unlocked(void) { return __model_character(__builtin_standard_stream(0)); }
int getc_unlocked(void *stream) { return __model_from(stream); }
int fgetc_unlocked(void *stream) { return __model_from(stream); }

int ungetc(int c, void *stream) {
  __model_stream(stream);
  if (__builtin_running()) {
    if (c == -1) return -1;
    __model_input()[0] = c & 255;
    __model_input()[1] = 0;
    return c & 255;
  }
  return c == -1 || __model_unknown_state() ? -1 : c & 255;
}

/* Inside of a line there is no newline. */
void __model_inside_line(const char *s, size_t at, size_t length) {
  if (at + 1 < length) __VERIFIER_assume(s[at] != '\n');
}

/* A line, or nothing at the end of the file. Only its last character may be a newline: of the first ones analyses know it,
   and executions look at all. A line that is not complete ends with the file, or where a stream has to wait that must not. */
char *fgets(char *s, int n, void *stream) {
  size_t length;
  int ends, fails;
  __model_stream(stream);
  if (__builtin_running()) {
    int i = 0, c = 0;
    while (i + 1 < n && c != '\n') {
      c = __model_next(stream);
      if (c < 0) break;
      s[i] = (char)c;
      i++;
    }
    if (n <= 0 || (i == 0 && n > 1)) return 0;
    s[i] = 0;
    return s;
  }
  __model_reads();
  if (n <= 0) return 0;
  __VERIFIER_assume(length < (size_t)n && (length > 0 || n == 1));
  if (n > 1 && __model_nothing_to_read(stream)) return 0;
  if (n > 1 && ends) {
    /* What was read before an error is there. */
    if (fails) {
      __builtin_set_errno();
      __builtin_havoc(s, length - 1);
      __VERIFIER_assume(!__builtin_has_byte(s, '\n', length - 1));
    } else {
      __model_end('e', stream);
    }
    return 0;
  }
  __builtin_havoc(s, length);
  __model_inside_line(s, 0, length);
  __model_inside_line(s, 1, length);
  __model_inside_line(s, 2, length);
  if (length > 1) __VERIFIER_assume(!__builtin_has_byte(s, '\n', length - 1));
  if (length + 1 < (size_t)n && s[length - 1] != '\n') {
    if (fails) __builtin_set_errno(11);
    else __model_end('e', stream);
  }
  s[length] = 0;
  return s;
}

size_t fread(void *to, size_t size, size_t count, void *stream) {
  size_t items, part;
  int fails;
  __model_stream(stream);
  if (__builtin_running()) {
    size_t i = 0;
    while (i < size * count) {
      int c = __model_next(stream);
      if (c < 0) break;
      ((char *)to)[i] = (char)c;
      i++;
    }
    return size == 0 ? 0 : i / size;
  }
  __model_reads();
  __VERIFIER_assume(items <= count);
  if (size == 0 || count == 0 || __model_nothing_to_read(stream)) return 0;
  if (items == count) {
    __builtin_havoc(to, size * count);
    return items;
  }
  /* A last item may be there in part. */
  __VERIFIER_assume(part < size);
  __builtin_havoc(to, items * size + part);
  if (fails) __builtin_set_errno();
  else __model_end('e', stream);
  return items;
}

/* Whether something was written to a stream before, or is now. */
int __model_waiting_output(int writes) {
  static int was_written;
  if (writes) was_written = 1;
  return was_written;
}

size_t fwrite(const void *from, size_t size, size_t count, void *stream) {
  size_t items;
  __model_stream(stream);
  if (size == 0 || count == 0) return 0;
  __model_access(from, size * count);
  __builtin_escape(from);
  __builtin_write_bytes(from, size * count, stream);
  if (__builtin_running()) return count;
  if (__model_refuses(__model_stream_mode('>', stream))) return 0;
  __model_waiting_output(1);
  __VERIFIER_assume(items <= count);
  if (items < count) __builtin_set_errno();
  return items;
}

/* What a text as of `fopen` says: 'r' or 'w' for reading or writing only, '+' for both, 0 for nothing. */
int __model_opens(const char *mode) {
  if (mode[0] != 'r' && mode[0] != 'w' && mode[0] != 'a') return 0;
  if (mode[1] == '+' || (mode[1] != 0 && mode[2] == '+')) return '+';
  return mode[0] == 'r' ? 'r' : 'w';
}

/* A file is opened: whether the program may know what it holds. */
void __model_file_opens(int mode) { __model_files(mode == 'r' ? 'o' : mode); }

/* A new stream, or an error. It is none of those that are open: executions have streams whose addresses grow, from
   those of the standard streams on. */
void *__model_new_stream(int mode) {
  static size_t last;
  void *any;
  if (mode == 0) {
    __builtin_set_errno(22);
    return 0;
  }
  if (any == 0) {
    __builtin_set_errno();
    return 0;
  }
  if ((size_t)any <= last || (size_t)any <= __builtin_standard_streams()) __model_unsure();
  last = (size_t)any;
  __model_stream_mode(mode, any);
  __model_end('c', any);
  return any;
}

/* Negative numbers are never descriptors. */
int __model_no_descriptor(int file) {
  if (file < 0) __builtin_set_errno(9);
  return file < 0;
}

/* No file has an empty name. */
int __model_no_file(const char *path) {
  if (path == 0 || path[0] != 0) return 0;
  __builtin_set_errno(2);
  return 1;
}

void *fopen(const char *path, const char *mode) {
  __builtin_cannot_run();
  __model_text(path);
  __model_text(mode);
  if (__model_no_file(path)) return 0;
  int opens = __model_opens(mode);
  __model_file_opens(opens);
  return __model_new_stream(opens);
}

void *fdopen(int file, const char *mode) {
  __builtin_cannot_run();
  __model_text(mode);
  int opens = __model_opens(mode), any;
  if (__model_no_descriptor(file)) return 0;
  if ((opens != 'w' && __model_descriptor_mode('<', file) <= 0) || (opens != 'r' && __model_descriptor_mode('>', file) <= 0)) {
    if (any) {
      __builtin_set_errno();
      return 0;
    }
    __model_unsure();
  }
  __model_file_opens(opens);
  return __model_new_stream(opens);
}

void *freopen(const char *path, const char *mode, void *stream) {
  __builtin_cannot_run();
  if (path) __model_text(path);
  __model_text(mode);
  __model_stream(stream);
  int opens = __model_opens(mode), any;
  __model_file_opens(opens);
  __model_stream_mode(opens, stream);
  __model_end('c', stream);
  if (opens && any) return stream;
  __builtin_set_errno();
  return 0;
}

void *tmpfile(void) {
  __builtin_cannot_run();
  __model_files('+');
  return __model_new_stream('+');
}

void *popen(const char *command, const char *mode) {
  __builtin_cannot_run();
  __model_text(command);
  __model_text(mode);
  return __model_new_stream(mode[0] == 'a' ? 0 : __model_opens(mode));
}

/* The highest descriptor that the program was given, one below that it closed (-1: none, -2: several), and one above,
   which was open when it started (-1: none). */
int *__model_descriptors(void) {
  static int state[3] = {-1, -1, -1};
  return state;
}

/* Notes that a descriptor is free again, -1 for one that is not known. */
int __model_is_free(int file) {
  int *state = __model_descriptors();
  if (file <= state[0]) state[1] = state[1] == -1 && file >= 0 ? file : -2;
  else if (state[2] == -1) state[2] = file;
  else state[1] = -2;
  return 0;
}

/* A new descriptor, or an error. It is none of those that are open, and one that was closed is taken before higher ones. */
int __model_descriptor(void) {
  int any, same, *state = __model_descriptors();
  if (any < 0) {
    __builtin_set_errno();
    return -1;
  }
  if (state[1] == -1 && any > state[0] && (state[2] == -1 || any <= state[2])) {
    state[0] = any;
    if (any == state[2]) state[2] = -1;
    return any;
  }
  if (state[1] >= 0 && same) {
    any = state[1];
    state[1] = -1;
    return any;
  }
  __model_unsure();
  return any;
}

int fclose(void *stream) {
  int any;
  __model_stream(stream);
  if (!__builtin_running()) {
    __model_is_free(-1);
    __model_stream_mode('c', stream);
    __model_end('c', stream);
  }
  if (__builtin_running() || any) return 0;
  __builtin_set_errno();
  return -1;
}

int feof(void *stream) {
  __model_stream(stream);
  if (__builtin_running()) return __model_input()[1];
  return __model_unknown_state() != 0;
}

int ferror(void *stream) {
  __model_stream(stream);
  if (__builtin_running()) return 0;
  return __model_unknown_state() != 0;
}

void clearerr(void *stream) {
  __model_stream(stream);
  __model_end('c', stream);
}

/* A place was sought (0 to 2, from where), or is asked for (-1): then 0 if it may be any, since no place was sought but the
   end, and none was told before. */
int __model_position(int from) {
  static int at_end, was_told;
  int follows = was_told || !at_end;
  if (from >= 0) {
    __model_files('s');
    at_end = from == 2;
    return 0;
  }
  if (at_end) was_told = 1;
  return follows;
}

void rewind(void *stream) {
  __model_stream(stream);
  if (!__builtin_running()) {
    __model_position(0);
    __model_end('c', stream);
  }
}

int fileno(void *stream) {
  __builtin_cannot_run();
  __model_stream(stream);
  int any;
  __model_unsure();
  if (any < 0) __builtin_set_errno();
  return any < 0 ? -1 : any;
}

int fseek(void *stream, long offset, int from) {
  __builtin_cannot_run();
  __model_stream(stream);
  int any;
  if (from < 0 || from > 2) {
    __builtin_set_errno(22);
    return -1;
  }
  if (any) {
    /* No place is before the start. */
    if (offset < 0 && from != 2) __model_unsure();
    __model_position(from);
    __model_end('c', stream);
    return 0;
  }
  __builtin_set_errno();
  return -1;
}

long ftell(void *stream) {
  __builtin_cannot_run();
  __model_stream(stream);
  long any;
  if (__model_position(-1)) __model_unsure();
  if (any < 0) __builtin_set_errno();
  return any < 0 ? -1 : any;
}

int remove(const char *path) {
  __builtin_cannot_run();
  __model_text(path);
  int any;
  if (__model_no_file(path)) return -1;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int rename(const char *from, const char *to) {
  __builtin_cannot_run();
  __model_text(from);
  __model_text(to);
  int any;
  if (__model_no_file(from) || __model_no_file(to)) return -1;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

long read(int file, void *to, size_t n) {
  long got;
  if (__builtin_running()) {
    if (file != 0) __builtin_cannot_run();
    got = 0;
    while ((size_t)got < n) {
      int c = __model_next(0);
      if (c < 0) break;
      ((char *)to)[got] = (char)c;
      got++;
      if (c == '\n') break;
    }
    return got;
  }
  if (__model_no_descriptor(file) || __model_refuses(__model_descriptor_mode('<', file))) return -1;
  __model_reads();
  __VERIFIER_assume(got >= -1 && (got < 0 || (size_t)got <= n));
  if (got > 0) __builtin_havoc(to, got);
  if (got < 0) __builtin_set_errno();
  return got;
}

long write(int file, const void *from, size_t n) {
  long put;
  if (__builtin_running()) {
    if (file != 1 && file != 2) __builtin_cannot_run();
    if (file == 1) __builtin_write_bytes(from, n, 0);
    return (long)n;
  }
  __model_access(from, n);
  __builtin_escape(from);
  if (__model_no_descriptor(file) || __model_refuses(__model_descriptor_mode('>', file))) return -1;
  __VERIFIER_assume(put >= -1 && (put < 0 || (size_t)put <= n));
  if (put < 0) __builtin_set_errno();
  return put;
}

/* A new descriptor that allows to read, to write, or both, or an error. */
int __model_opened_descriptor(int mode) {
  __model_file_opens(mode);
  int file = __model_descriptor();
  if (file >= 0) __model_descriptor_mode(mode, file);
  return file;
}

int open(const char *path, int flags, ...) {
  __builtin_cannot_run();
  __model_text(path);
  int mode = (flags & 3) == 0 ? 'r' : (flags & 3) == 1 ? 'w' : '+';
  if (__model_no_file(path)) return -1;
  /* Linux has two ways more (O_PATH is one), which allow neither. */
  if ((flags & 3) == 3 || (flags & 010000000)) __model_unsure();
  return __model_opened_descriptor(mode);
}

int creat(const char *path, unsigned mode) {
  __builtin_cannot_run();
  __model_text(path);
  if (__model_no_file(path)) return -1;
  return __model_opened_descriptor('w');
}

/* Functions of error.h: a message, and the end of the program unless the status is 0. */

void error(int status, int number, const char *format, ...) {
  __builtin_cannot_run();
  __model_text(format);
  if (status) exit(status);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...) {
  __builtin_cannot_run();
  if (file) __model_text(file);
  __model_text(format);
  if (status) exit(status);
}

int dup(int file) {
  __builtin_cannot_run();
  if (__model_no_descriptor(file)) return -1;
  int copy = __model_descriptor();
  __VERIFIER_assume(copy < 0 || copy != file);
  if (__model_descriptor_mode('<', file) != 1 || __model_descriptor_mode('>', file) != 1) __model_descriptor_mode('d', file);
  return copy;
}

int close(int file) {
  __builtin_cannot_run();
  int any;
  if (__model_no_descriptor(file)) return -1;
  if (any) {
    if (file == __model_descriptors()[1] || file == __model_descriptors()[2]) __model_unsure();
    __model_is_free(file);
    __model_descriptor_mode('c', file);
    return 0;
  }
  __builtin_set_errno();
  return -1;
}

int unlink(const char *path) {
  __builtin_cannot_run();
  __model_text(path);
  int any;
  if (__model_no_file(path)) return -1;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int access(const char *path, int mode) {
  __builtin_cannot_run();
  __model_text(path);
  int any;
  if (mode & ~7) {
    __builtin_set_errno(22);
    return -1;
  }
  if (__model_no_file(path)) return -1;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

/* The answer about one of the standard descriptors is the same again, unless it leads elsewhere by now: no execution may
   rest on that. */
int isatty(int file) {
  __builtin_cannot_run();
  static char asked[3], answers[3];
  int any, same;
  if (__model_no_descriptor(file)) return 0;
  if (0 <= file && file < 3) {
    if (asked[file]) any = same ? answers[file] : __model_unknown_state();
    asked[file] = 1;
    answers[file] = any != 0;
  }
  if (any) return 1;
  __builtin_set_errno();
  return 0;
}

int getpid(void) {
  __builtin_cannot_run();
  static int own;
  int any;
  if (own == 0) {
    __VERIFIER_assume(any > 0);
    own = any;
  }
  return own;
}

int getppid(void) {
  __builtin_cannot_run();
  int any;
  __VERIFIER_assume(any >= 0);
  return any;
}

/* The same user again, unless the program became another one: no execution may rest on that. */
unsigned __model_user(int *asked, unsigned *first) {
  unsigned any;
  int same;
  if (!*asked) {
    *asked = 1;
    *first = any;
    return any;
  }
  return same ? *first : (unsigned)__model_unknown_state();
}

unsigned getuid(void) {
  __builtin_cannot_run();
  static int asked;
  static unsigned first;
  return __model_user(&asked, &first);
}

unsigned geteuid(void) {
  __builtin_cannot_run();
  static int asked;
  static unsigned first;
  return __model_user(&asked, &first);
}

unsigned sleep(unsigned seconds) {
  unsigned left;
  if (__builtin_running()) return 0;
  __VERIFIER_assume(left <= seconds);
  return left;
}

int usleep(unsigned useconds) {
  int any;
  if (__builtin_running() || any) return 0;
  __builtin_set_errno();
  return -1;
}

/* A line of any length, or what is left of one; in front of it is room for it. */
long getdelim(char **line, size_t *room, int delimiter, void *stream) {
  size_t length = 0, least = 0;
  int c;
  if (line == 0 || room == 0) {
    __builtin_set_errno(22);
    return -1;
  }
  if (*line == 0 || *room == 0) {
    *room = 120;
    *line = realloc(*line, 120);
    if (*line == 0) return -1;
  }
  do {
    c = __model_from(stream);
    if (c < 0) break;
    if (length + 2 > *room) {
      size_t more = 2 * *room, needed;
      /* As glibc does it, where a piece of the line is there that needs so much: of an execution it has a page at most. */
      if (!__builtin_running() && needed > more) {
        if (needed - *room > 4096) __model_unsure();
        more = needed;
        least = needed - 1;
      }
      char *larger = realloc(*line, more);
      if (larger == 0) return -1;
      *line = larger;
      *room = more;
    }
    (*line)[length] = (char)c;
    length++;
  } while (c != delimiter);
  __VERIFIER_assume(length >= least);
  if (length == 0) return -1;
  (*line)[length] = 0;
  return (long)length;
}

long getline(char **line, size_t *room, void *stream) { return getdelim(line, room, '\n', stream); }

/* Buffers make no difference to what is read and written. What a stream leaves in one that the program gives to it is not
   modelled. */
void __model_buffer(void *stream, const char *buffer) {
  __model_stream(stream);
  if (buffer && !__builtin_running()) __builtin_not_modelled();
}

void setbuf(void *stream, char *buffer) { __model_buffer(stream, buffer); }
void setbuffer(void *stream, char *buffer, size_t n) { __model_buffer(stream, buffer); }
void setlinebuf(void *stream) {}

/* It fails where something was written before that cannot be put out now: no execution rests on that. */
int setvbuf(void *stream, char *buffer, int mode, size_t n) {
  int fails;
  __model_buffer(stream, buffer);
  if (mode < 0 || mode > 2) return -1;
  if (__builtin_running() || !__model_waiting_output(0) || !fails) return 0;
  __model_unsure();
  __builtin_set_errno();
  return -1;
}

void flockfile(void *stream) {}
void funlockfile(void *stream) {}
int ftrylockfile(void *stream) { return 0; }
