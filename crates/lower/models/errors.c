/* Models of the texts that string.h has for errors and signals: glibc's in the C locale. */

const char *__model_error_text(int number) {
  static const char *const texts[] = {
    "Success",
    "Operation not permitted",
    "No such file or directory",
    "No such process",
    "Interrupted system call",
    "Input/output error",
    "No such device or address",
    "Argument list too long",
    "Exec format error",
    "Bad file descriptor",
    "No child processes",
    "Resource temporarily unavailable",
    "Cannot allocate memory",
    "Permission denied",
    "Bad address",
    "Block device required",
    "Device or resource busy",
    "File exists",
    "Invalid cross-device link",
    "No such device",
    "Not a directory",
    "Is a directory",
    "Invalid argument",
    "Too many open files in system",
    "Too many open files",
    "Inappropriate ioctl for device",
    "Text file busy",
    "File too large",
    "No space left on device",
    "Illegal seek",
    "Read-only file system",
    "Too many links",
    "Broken pipe",
    "Numerical argument out of domain",
    "Numerical result out of range",
    "Resource deadlock avoided",
    "File name too long",
    "No locks available",
    "Function not implemented",
    "Directory not empty",
    "Too many levels of symbolic links",
    "Unknown error 41",
    "No message of desired type",
    "Identifier removed",
    "Channel number out of range",
    "Level 2 not synchronized",
    "Level 3 halted",
    "Level 3 reset",
    "Link number out of range",
    "Protocol driver not attached",
    "No CSI structure available",
    "Level 2 halted",
    "Invalid exchange",
    "Invalid request descriptor",
    "Exchange full",
    "No anode",
    "Invalid request code",
    "Invalid slot",
    "Unknown error 58",
    "Bad font file format",
    "Device not a stream",
    "No data available",
    "Timer expired",
    "Out of streams resources",
    "Machine is not on the network",
    "Package not installed",
    "Object is remote",
    "Link has been severed",
    "Advertise error",
    "Srmount error",
    "Communication error on send",
    "Protocol error",
    "Multihop attempted",
    "RFS specific error",
    "Bad message",
    "Value too large for defined data type",
    "Name not unique on network",
    "File descriptor in bad state",
    "Remote address changed",
    "Can not access a needed shared library",
    "Accessing a corrupted shared library",
    ".lib section in a.out corrupted",
    "Attempting to link in too many shared libraries",
    "Cannot exec a shared library directly",
    "Invalid or incomplete multibyte or wide character",
    "Interrupted system call should be restarted",
    "Streams pipe error",
    "Too many users",
    "Socket operation on non-socket",
    "Destination address required",
    "Message too long",
    "Protocol wrong type for socket",
    "Protocol not available",
    "Protocol not supported",
    "Socket type not supported",
    "Operation not supported",
    "Protocol family not supported",
    "Address family not supported by protocol",
    "Address already in use",
    "Cannot assign requested address",
    "Network is down",
    "Network is unreachable",
    "Network dropped connection on reset",
    "Software caused connection abort",
    "Connection reset by peer",
    "No buffer space available",
    "Transport endpoint is already connected",
    "Transport endpoint is not connected",
    "Cannot send after transport endpoint shutdown",
    "Too many references: cannot splice",
    "Connection timed out",
    "Connection refused",
    "Host is down",
    "No route to host",
    "Operation already in progress",
    "Operation now in progress",
    "Stale file handle",
    "Structure needs cleaning",
    "Not a XENIX named type file",
    "No XENIX semaphores available",
    "Is a named type file",
    "Remote I/O error",
    "Disk quota exceeded",
    "No medium found",
    "Wrong medium type",
    "Operation canceled",
    "Required key not available",
    "Key has expired",
    "Key has been revoked",
    "Key was rejected by service",
    "Owner died",
    "State not recoverable",
    "Operation not possible due to RF-kill",
    "Memory page has hardware error",
  };
  /* Two numbers were never given to an error. */
  return number < 0 || number > 133 || number == 41 || number == 58 ? 0 : texts[number];
}

/* What another locale says instead. */
char *__model_translated(void) {
  static char text[200];
  __builtin_forget(text);
  text[199] = 0;
  return text;
}

char *strerror(int number) {
  static char other[40];
  const char *text = __model_error_text(number);
  if (__model_has_locale()) return __model_translated();
  if (text != 0) return (char *)text;
  size_t n = __model_put_text(other, 40, 0, "Unknown error ", 14);
  n = __model_put_signed(other, 40, n, number, 0, 0, -1);
  other[n] = 0;
  return other;
}

/* GNU's: the text may lie elsewhere. */
char *strerror_r(int number, char *to, size_t limit) {
  const char *text = __model_error_text(number);
  if (__model_has_locale() && text != 0) return __model_translated();
  if (text != 0) return (char *)text;
  size_t n = __model_put_text(to, limit, 0, "Unknown error ", 14);
  n = __model_put_signed(to, limit, n, number, 0, 0, -1);
  __model_put_end(to, limit, n);
  return to;
}

/* That of POSIX. */
int __xpg_strerror_r(int number, char *to, size_t limit) {
  const char *text = __model_error_text(number);
  if (__model_has_locale() && limit > 0) {
    __builtin_forget(to, limit);
    to[limit - 1] = 0;
    return text == 0 ? 22 : __model_unknown_state();
  }
  size_t n = text ? __model_put_string(to, limit, 0, text, 0, 0, -1) : __model_put_text(to, limit, 0, "Unknown error ", 14);
  if (text == 0) n = __model_put_signed(to, limit, n, number, 0, 0, -1);
  __model_put_end(to, limit, n);
  return text == 0 ? 22 : n < limit ? 0 : 34;
}

char *strsignal(int number) {
  static const char *const texts[] = {
    "",
    "Hangup",
    "Interrupt",
    "Quit",
    "Illegal instruction",
    "Trace/breakpoint trap",
    "Aborted",
    "Bus error",
    "Floating point exception",
    "Killed",
    "User defined signal 1",
    "Segmentation fault",
    "User defined signal 2",
    "Broken pipe",
    "Alarm clock",
    "Terminated",
    "Stack fault",
    "Child exited",
    "Continued",
    "Stopped (signal)",
    "Stopped",
    "Stopped (tty input)",
    "Stopped (tty output)",
    "Urgent I/O condition",
    "CPU time limit exceeded",
    "File size limit exceeded",
    "Virtual timer expired",
    "Profiling timer expired",
    "Window changed",
    "I/O possible",
    "Power failure",
    "Bad system call",
  };
  static char other[40];
  if (__model_has_locale()) return __model_translated();
  if (number > 0 && number < 32) return (char *)texts[number];
  __builtin_cannot_run();
  __builtin_havoc(other, 39);
  return other;
}
