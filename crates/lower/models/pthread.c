/* Models of pthread.h and threads.h for programs with one thread: a wait for something that only another thread could
   give never ends. Threads themselves are not modelled. The fields are those of glibc. */

typedef struct { int lock; unsigned count; int owner; int rest[3]; } __model_mutex;

/* Normal (0), recursive (1), with checks (2). */
int __model_mutex_kind(__model_mutex *mutex) { return (sizeof(long) == 8 ? mutex->rest[1] : mutex->rest[0]) & 3; }

/* No execution goes on. */
void __model_wait_for_ever(void) {
  __builtin_cannot_run();
  while (1) {}
}

int pthread_mutex_init(void *at, const int *kind) {
  __model_mutex *mutex = at;
  __builtin_memset(at, 0, sizeof(long) == 8 ? 40 : 24);
  if (kind) mutex->rest[sizeof(long) == 8] = *kind & 3;
  return 0;
}

int pthread_mutex_destroy(void *at) {
  __model_mutex *mutex = at;
  if (mutex->lock) return 16;
  mutex->rest[sizeof(long) == 8] = -1;
  return 0;
}

int pthread_mutex_trylock(void *at) {
  __model_mutex *mutex = at;
  if (mutex->lock) {
    if (__model_mutex_kind(mutex) != 1) return 16;
    mutex->count++;
    return 0;
  }
  mutex->lock = 1;
  mutex->owner = 1;
  mutex->count = __model_mutex_kind(mutex) == 1;
  return 0;
}

int pthread_mutex_lock(void *at) {
  __model_mutex *mutex = at;
  if (mutex->lock && __model_mutex_kind(mutex) == 2) return 35;
  if (mutex->lock && __model_mutex_kind(mutex) != 1) __model_wait_for_ever();
  return pthread_mutex_trylock(at);
}

int pthread_mutex_unlock(void *at) {
  __model_mutex *mutex = at;
  if (!mutex->lock && __model_mutex_kind(mutex) != 0) return 1;
  if (__model_mutex_kind(mutex) == 1 && mutex->count > 1) {
    mutex->count--;
    return 0;
  }
  mutex->lock = 0;
  mutex->count = 0;
  mutex->owner = 0;
  return 0;
}

int pthread_mutexattr_init(int *kind) {
  *kind = 0;
  return 0;
}

int pthread_mutexattr_destroy(int *kind) { return 0; }

int pthread_mutexattr_settype(int *kind, int type) {
  if (type < 0 || type > 3) return 22;
  *kind = type;
  return 0;
}

int pthread_mutexattr_gettype(const int *kind, int *type) {
  *type = *kind;
  return 0;
}

int pthread_cond_init(void *at, const void *kind) {
  __builtin_memset(at, 0, 48);
  return 0;
}

int pthread_cond_destroy(void *at) { return 0; }
int pthread_cond_signal(void *at) { return 0; }
int pthread_cond_broadcast(void *at) { return 0; }

int pthread_once(int *control, void (*start)(void)) {
  if (*control == 0) {
    *control = 2;
    start();
  }
  return 0;
}

unsigned long pthread_self(void) {
  static unsigned long own;
  return (unsigned long)&own;
}

int pthread_equal(unsigned long a, unsigned long b) { return a == b; }

int mtx_init(void *at, int type) {
  int kind = type & 1;
  if (type != 0 && type != 1 && type != 2 && type != 3) return 2;
  pthread_mutex_init(at, &kind);
  return 0;
}

void mtx_destroy(void *at) { pthread_mutex_destroy(at); }
int mtx_lock(void *at) { return pthread_mutex_lock(at) == 0 ? 0 : 2; }
int mtx_trylock(void *at) { return pthread_mutex_trylock(at) == 0 ? 0 : 1; }
int mtx_unlock(void *at) { return pthread_mutex_unlock(at) == 0 ? 0 : 2; }
void call_once(int *control, void (*start)(void)) { pthread_once(control, start); }
