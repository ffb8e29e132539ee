// Arithmetic of bit-fields wider than int wraps at their own width; members have alignments of their own.
#include <stdio.h>
struct s { unsigned a : 3; unsigned long long b : 40; long long c : 40; unsigned long long d : 32; unsigned long long e : 64; unsigned f : 32; signed char g : 8; _Bool h : 1; long long i : 33; long long j : 63; } x;
struct __attribute__((packed)) p { char c; long l; short s __attribute__((aligned(4))); } y;
struct q { long long a; double d; long double ld; char c; struct p p; int v[3]; int al __attribute__((aligned(32))); } z, *zp = &z;
#pragma pack(2)
struct r { char c; long l; int b : 3; } w;
#pragma pack()
int main(void) {
  printf("%d\n", (x.a = 7) > -1);
  printf("%d\n", (x.f = 7) > -1);
  printf("%d\n", (x.d = 7) > -1);
  printf("%d\n", (x.b = 7) > -1);
  printf("%d\n", x.b > -1);
  x.b = -1; x.c = -1; x.i = -1; x.j = -1;
  printf("%llx\n", (unsigned long long)(x.b + 1));
  printf("%llx\n", (unsigned long long)(x.b * 3 << 4));
  printf("%llx\n", (unsigned long long)(x.c << 39));
  printf("%llx\n", (unsigned long long)(x.c * x.b));
  printf("%llx\n", (unsigned long long)(x.c + 1LL));
  printf("%llx\n", (unsigned long long)(-x.b));
  printf("%llx\n", (unsigned long long)(~x.b));
  printf("%llx\n", (unsigned long long)(x.i - 0x80000000 ));
  printf("%llx\n", (unsigned long long)(x.j + x.b));
  printf("%llx\n", (unsigned long long)((x.b = 0xffffffffff) + 2));
  printf("%llx\n", (unsigned long long)(x.b++ + 2));
  printf("%llx\n", (unsigned long long)(x.b--));
  printf("%llx\n", (unsigned long long)(x.b ? x.b : 1) + 1);
  printf("%llx\n", (unsigned long long)((x.h ? x.b : 1) + 0xffffffffff));
  printf("%llx %d\n", (unsigned long long)x.b, (int)sizeof(x.b + 1));
  printf("%llx\n", (unsigned long long)((x.b += 5) - 6));
  printf("%d %d\n", x.b / 7 > 0, (x.c / -1) > 0);
  switch (x.b + 0xfffffffffc) { case 0: printf("zero\n"); break; default: printf("other %llx\n", (unsigned long long)(x.b + 0xfffffffffc)); }
  double dd = x.b + 0xffffffffff; printf("%f\n", dd);
  __typeof__(x.b + 1) t = x.b; t += 0xffffffffff; printf("%llx %d\n", (unsigned long long)t, (int)sizeof t);
  printf("%d %d %d\n", (int)__alignof__(y.c), (int)__alignof__(y.l), (int)__alignof__(y.s));
  printf("%d %d %d %d %d %d %d\n", (int)__alignof__(z.a), (int)__alignof__(z.d), (int)__alignof__(zp->ld), (int)__alignof__(z.p), (int)__alignof__(z.v), (int)__alignof__(zp->al), (int)__alignof__(z.v[0]));
  printf("%d %d %d\n", (int)_Alignof(z.a), (int)_Alignof(z.d), (int)_Alignof(zp->ld));
  printf("%d %d %d %d\n", (int)__alignof__(w.l), (int)__alignof__(w), (int)__alignof__(*zp), (int)__alignof__(z.p.l));
  return 0; }
