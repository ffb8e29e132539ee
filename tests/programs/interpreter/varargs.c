// Variadic functions and the printf family.
#include <stdio.h>
#include <stdarg.h>
#include <string.h>
struct pair { int a; double b; };
static double total(int n, ...) { va_list ap; va_start(ap, n); double s = 0; for (int i = 0; i < n; i++) { if (i % 2) s += va_arg(ap, double); else s += va_arg(ap, int); } va_end(ap); return s; }
static void trace(const char *format, ...) { va_list ap, again; va_start(ap, format); va_copy(again, ap); vprintf(format, ap); va_end(ap); char text[64]; int n = vsnprintf(text, sizeof text, format, again); va_end(again); printf("[%d %s]\n", n, text); }
static long mixed(const char *types, ...) {
  va_list ap; va_start(ap, types); long r = 0;
  for (; *types; types++) switch (*types) { case 'c': r += va_arg(ap, int); break; case 'l': r += va_arg(ap, long); break; case 'L': r += va_arg(ap, long long); break; case 's': r += strlen(va_arg(ap, char *)); break; case 'd': r += va_arg(ap, double); break; case 'D': r += va_arg(ap, long double); break; case 'p': { struct pair p = va_arg(ap, struct pair); r += p.a + p.b; } break; case 'P': r += *va_arg(ap, int *); break; }
  va_end(ap); return r;
}
static int helper(va_list ap) { int a = va_arg(ap, int); return a * 10 + va_arg(ap, int); } static int outer(int n, ...) { va_list ap; va_start(ap, n); int r = helper(ap); va_end(ap); return r; }
int main(void) {
  printf("%g\n", total(4, 1, 2.5, 3, 4.25)); trace("%s-%d-%5.2f|%c|%lld|%x", "str", -5, 3.14159, 'z', 1234567890123ll, 0xBEEF); trace("no arguments"); trace("%Lf %d %s", 2.5L, 7, "end");
  int five = 5; printf("%ld\n", mixed("clLsdDpP", 1, 20l, 300ll, "four", 5000.5, 60000.25L, (struct pair){ 100000, 5e5 }, &five)); printf("%d\n", outer(2, 4, 2)); float f = 1.5f; printf("%f %d %hhd %hd\n", f, 'c', 300, 70000);
  printf("%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o|%#o|%u|%c|%%|%s|%.2s|%10s|%-10s|\n", 42, 42, 42, 42, 42, 255, 255, 255, 8, 8, 7u, 'q', "s", "string", "right", "left"); printf("%f %.0f %.3f %e %g %G %g %g\n", 3.14159, 2.5, -0.0005, 12345.678, 0.0001, 1e-10, 1e6, 123456789.0);
  printf("%*d|%-*d|%.*f|%ld %lld %hu\n", 6, 1, 6, 2, 2, 3.14159, 123456789l, -9ll, (unsigned short)65535); printf("%p %p\n", (void *)0, (void *)0x10); printf("%a %.2a %Lg\n", 1.0, 3.14, 1.25L); printf("%g %g %g %g\n", 1.0 / 0.0, -1.0 / 0.0, 0.0, -0.0); char b[20]; int n = sprintf(b, "%d-%s", 12, "ab"); printf("%s %d %d\n", b, n, snprintf(b, 4, "%d", 123456)); puts(b); int at; printf("abc%n\n", &at); printf("%d\n", at); putchar('!'); putchar('\n'); fputs("fputs\n", stdout); fprintf(stdout, "%s\n", "fprintf"); fprintf(stderr, "not shown\n"); FILE *out = stdout; fputc('c', out); fprintf(stdout == stderr ? stderr : out, "\n");
  return printf("") ;
}
