/* Library functions that are operations, for programs that take their address. */

void *malloc(size_t n) { return __builtin_malloc(n); }
void *calloc(size_t count, size_t n) { return __builtin_calloc(count, n); }
void *realloc(void *old, size_t n) { return __builtin_realloc(old, n); }
void *aligned_alloc(size_t align, size_t n) { return __builtin_aligned_alloc(align, n); }
void *memalign(size_t align, size_t n) { return __builtin_memalign(align, n); }
void free(void *old) { __builtin_free(old); }
void cfree(void *old) { __builtin_cfree(old); }
void *memcpy(void *to, const void *from, size_t n) { return __builtin_memcpy(to, from, n); }
void *memmove(void *to, const void *from, size_t n) { return __builtin_memmove(to, from, n); }
void *mempcpy(void *to, const void *from, size_t n) { return __builtin_mempcpy(to, from, n); }
void bcopy(const void *from, void *to, size_t n) { __builtin_bcopy(from, to, n); }
void *memset(void *to, int c, size_t n) { return __builtin_memset(to, c, n); }
void bzero(void *to, size_t n) { __builtin_bzero(to, n); }
void explicit_bzero(void *to, size_t n) { __builtin_explicit_bzero(to, n); }
int abs(int x) { return __builtin_abs(x); }
long labs(long x) { return __builtin_labs(x); }
long long llabs(long long x) { return __builtin_llabs(x); }
long long imaxabs(long long x) { return __builtin_imaxabs(x); }
void abort(void) { __builtin_abort(); }
void exit(int status) { __builtin_exit(status); }
void _exit(int status) { __builtin__exit(status); }
void _Exit(int status) { __builtin__Exit(status); }
void quick_exit(int status) { __builtin_quick_exit(status); }
unsigned htonl(unsigned x) { return __builtin_htonl(x); }
unsigned ntohl(unsigned x) { return __builtin_ntohl(x); }
unsigned short htons(unsigned short x) { return __builtin_htons(x); }
unsigned short ntohs(unsigned short x) { return __builtin_ntohs(x); }
int puts(const char *s) { return __builtin_puts(s); }
int putchar(int c) { return __builtin_putchar(c); }
int putc(int c, void *stream) { return __builtin_putc(c, stream); }
int fputc(int c, void *stream) { return __builtin_fputc(c, stream); }
int fputs(const char *s, void *stream) { return __builtin_fputs(s, stream); }
int fflush(void *stream) { return __builtin_fflush(stream); }
void perror(const char *s) { __builtin_perror(s); }
int vprintf(const char *format, __builtin_va_list list) { return __builtin_vprintf(format, list); }
int vfprintf(void *stream, const char *format, __builtin_va_list list) { return __builtin_vfprintf(stream, format, list); }
int vsprintf(char *to, const char *format, __builtin_va_list list) { return __builtin_vsprintf(to, format, list); }
int vsnprintf(char *to, size_t n, const char *format, __builtin_va_list list) { return __builtin_vsnprintf(to, n, format, list); }
int printf(const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return __builtin_vprintf(format, list);
}
int fprintf(void *stream, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return __builtin_vfprintf(stream, format, list);
}
int sprintf(char *to, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return __builtin_vsprintf(to, format, list);
}
int snprintf(char *to, size_t n, const char *format, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, format);
  return __builtin_vsnprintf(to, n, format, list);
}
double fabs(double x) { return __builtin_fabs(x); }
double sqrt(double x) { return __builtin_sqrt(x); }
double floor(double x) { return __builtin_floor(x); }
double ceil(double x) { return __builtin_ceil(x); }
double trunc(double x) { return __builtin_trunc(x); }
double round(double x) { return __builtin_round(x); }
double rint(double x) { return __builtin_rint(x); }
double nearbyint(double x) { return __builtin_nearbyint(x); }
double roundeven(double x) { return __builtin_roundeven(x); }
double sin(double x) { return __builtin_sin(x); }
double cos(double x) { return __builtin_cos(x); }
double tan(double x) { return __builtin_tan(x); }
double asin(double x) { return __builtin_asin(x); }
double acos(double x) { return __builtin_acos(x); }
double atan(double x) { return __builtin_atan(x); }
double sinh(double x) { return __builtin_sinh(x); }
double cosh(double x) { return __builtin_cosh(x); }
double tanh(double x) { return __builtin_tanh(x); }
double exp(double x) { return __builtin_exp(x); }
double exp2(double x) { return __builtin_exp2(x); }
double expm1(double x) { return __builtin_expm1(x); }
double log(double x) { return __builtin_log(x); }
double log2(double x) { return __builtin_log2(x); }
double log10(double x) { return __builtin_log10(x); }
double log1p(double x) { return __builtin_log1p(x); }
double fmin(double x, double y) { return __builtin_fmin(x, y); }
double fmax(double x, double y) { return __builtin_fmax(x, y); }
double fmod(double x, double y) { return __builtin_fmod(x, y); }
double fdim(double x, double y) { return __builtin_fdim(x, y); }
double copysign(double x, double y) { return __builtin_copysign(x, y); }
double atan2(double x, double y) { return __builtin_atan2(x, y); }
double pow(double x, double y) { return __builtin_pow(x, y); }
double hypot(double x, double y) { return __builtin_hypot(x, y); }
double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
long lround(double x) { return __builtin_lround(x); }
long long llround(double x) { return __builtin_llround(x); }
long lrint(double x) { return __builtin_lrint(x); }
long long llrint(double x) { return __builtin_llrint(x); }
float fabsf(float x) { return __builtin_fabsf(x); }
float sqrtf(float x) { return __builtin_sqrtf(x); }
float floorf(float x) { return __builtin_floorf(x); }
float ceilf(float x) { return __builtin_ceilf(x); }
float truncf(float x) { return __builtin_truncf(x); }
float roundf(float x) { return __builtin_roundf(x); }
float rintf(float x) { return __builtin_rintf(x); }
float nearbyintf(float x) { return __builtin_nearbyintf(x); }
float roundevenf(float x) { return __builtin_roundevenf(x); }
float sinf(float x) { return __builtin_sinf(x); }
float cosf(float x) { return __builtin_cosf(x); }
float tanf(float x) { return __builtin_tanf(x); }
float asinf(float x) { return __builtin_asinf(x); }
float acosf(float x) { return __builtin_acosf(x); }
float atanf(float x) { return __builtin_atanf(x); }
float sinhf(float x) { return __builtin_sinhf(x); }
float coshf(float x) { return __builtin_coshf(x); }
float tanhf(float x) { return __builtin_tanhf(x); }
float expf(float x) { return __builtin_expf(x); }
float exp2f(float x) { return __builtin_exp2f(x); }
float expm1f(float x) { return __builtin_expm1f(x); }
float logf(float x) { return __builtin_logf(x); }
float log2f(float x) { return __builtin_log2f(x); }
float log10f(float x) { return __builtin_log10f(x); }
float log1pf(float x) { return __builtin_log1pf(x); }
float fminf(float x, float y) { return __builtin_fminf(x, y); }
float fmaxf(float x, float y) { return __builtin_fmaxf(x, y); }
float fmodf(float x, float y) { return __builtin_fmodf(x, y); }
float fdimf(float x, float y) { return __builtin_fdimf(x, y); }
float copysignf(float x, float y) { return __builtin_copysignf(x, y); }
float atan2f(float x, float y) { return __builtin_atan2f(x, y); }
float powf(float x, float y) { return __builtin_powf(x, y); }
float hypotf(float x, float y) { return __builtin_hypotf(x, y); }
float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
long lroundf(float x) { return __builtin_lroundf(x); }
long long llroundf(float x) { return __builtin_llroundf(x); }
long lrintf(float x) { return __builtin_lrintf(x); }
long long llrintf(float x) { return __builtin_llrintf(x); }
long double fabsl(long double x) { return __builtin_fabsl(x); }
long double sqrtl(long double x) { return __builtin_sqrtl(x); }
long double floorl(long double x) { return __builtin_floorl(x); }
long double ceill(long double x) { return __builtin_ceill(x); }
long double truncl(long double x) { return __builtin_truncl(x); }
long double roundl(long double x) { return __builtin_roundl(x); }
long double rintl(long double x) { return __builtin_rintl(x); }
long double nearbyintl(long double x) { return __builtin_nearbyintl(x); }
long double roundevenl(long double x) { return __builtin_roundevenl(x); }
long double fminl(long double x, long double y) { return __builtin_fminl(x, y); }
long double fmaxl(long double x, long double y) { return __builtin_fmaxl(x, y); }
long double fmodl(long double x, long double y) { return __builtin_fmodl(x, y); }
long double fdiml(long double x, long double y) { return __builtin_fdiml(x, y); }
long double copysignl(long double x, long double y) { return __builtin_copysignl(x, y); }
long lroundl(long double x) { return __builtin_lroundl(x); }
long long llroundl(long double x) { return __builtin_llroundl(x); }
long lrintl(long double x) { return __builtin_lrintl(x); }
long long llrintl(long double x) { return __builtin_llrintl(x); }
