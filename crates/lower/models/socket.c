/* What the standard says of functions of sys/socket.h and arpa/inet.h: their results come from outside. */

/* Success, or an error. */
int __model_done(void) {
  int any;
  if (any) return 0;
  __builtin_set_errno();
  return -1;
}

int socket(int domain, int type, int protocol) {
  __builtin_cannot_run();
  return __model_descriptor();
}

int connect(int socket, const void *address, unsigned length) {
  __builtin_cannot_run();
  if (__builtin_checks_memory()) __model_access(address, length);
  return __model_done();
}

int bind(int socket, const void *address, unsigned length) {
  __builtin_cannot_run();
  if (__builtin_checks_memory()) __model_access(address, length);
  return __model_done();
}

int listen(int socket, int waiting) {
  __builtin_cannot_run();
  return __model_done();
}

/* Which address the other side has is not modelled. */
int accept(int socket, void *address, unsigned *length) {
  __builtin_cannot_run();
  if (address) __builtin_not_modelled();
  return __model_descriptor();
}

int shutdown(int socket, int how) {
  __builtin_cannot_run();
  return __model_done();
}

long recv(int socket, void *to, size_t n, int flags) {
  __builtin_cannot_run();
  return read(socket, to, n);
}

long send(int socket, const void *from, size_t n, int flags) {
  __builtin_cannot_run();
  return write(socket, from, n);
}

/* Four decimal numbers; other forms are not modelled. */
unsigned inet_addr(const char *s) {
  unsigned address = 0;
  int part = 0;
  while (1) {
    unsigned number = 0, digits = 0;
    while (*s >= '0' && *s <= '9' && digits < 3) {
      if (digits > 0 && number == 0) __builtin_not_modelled();
      number = 10 * number + (*s - '0');
      digits++;
      s++;
    }
    if (digits == 0 || number > 255) __builtin_not_modelled();
    address |= number << 8 * part;
    if (part == 3) break;
    if (*s != '.') __builtin_not_modelled();
    part++;
    s++;
  }
  if (*s != 0) __builtin_not_modelled();
  return address;
}
