// Structs, unions, bit-fields: copies, parameters, results, initialisers, layout.
#include <stdio.h>
#include <string.h>
#include <stddef.h>
struct point { int x, y; }; struct line { struct point a, b; const char *name; };
struct big { long data[20]; int n; }; union mix { int i; float f; unsigned char b[8]; struct { short lo, hi; }; };
struct bits { unsigned a : 3; signed b : 5; unsigned : 2; unsigned c : 20; unsigned long long d : 40; _Bool e : 1; int : 0; unsigned f : 7; };
struct __attribute__((packed)) packed { char c; int i; short s; double d; }; struct flex { int n; char data[]; };
static struct point make(int x, int y) { struct point p = { x, y }; return p; } static struct point plus(struct point a, struct point b) { a.x += b.x; a.y += b.y; return a; }
static struct big grow(struct big b) { for (int i = 0; i < 20; i++) b.data[i] += i; b.n++; return b; }
static struct line global = { .b = { .y = 4, .x = 3 }, .name = "diagonal", .a = { 1 } }; static struct point points[] = { [2] = { 5, 6 }, { 7, 8 }, [0].y = 9 };
struct tree { int value; struct tree *child[2]; }; static struct tree leaf = { 1 }, root = { 2, { &leaf, &(struct tree){ 3 } } };
static int depth(struct tree *t) { if (!t) return 0; int l = depth(t->child[0]), r = depth(t->child[1]); return 1 + (l > r ? l : r); }
int main(void) {
  struct point p = make(1, 2), q = plus(p, make(10, 20)); printf("%d %d %d %d %d\n", p.x, p.y, q.x, q.y, make(3, 4).y); struct line l = global, *pl = &l;
  printf("%d %d %d %d %s\n", l.a.x, l.a.y, pl->b.x, pl->b.y, pl->name); l.a = q; pl->b.x = 99; printf("%d %d %d\n", l.a.y, l.b.x, global.b.x);
  for (int i = 0; i < 4; i++) printf("%d,%d ", points[i].x, points[i].y); printf("%d\n", (int)(sizeof points / sizeof *points));
  struct big b = { .n = 1 }; b = grow(grow(b)); printf("%ld %d %ld\n", b.data[19], b.n, grow(b).data[5]); union mix m = { .f = 1.0f }; printf("%x %d %d\n", m.i, m.hi, m.b[3]);
  m.i = 0x12345678; printf("%x %x %x\n", m.b[0], (unsigned short)m.lo, m.hi); struct bits f = { 9, -3, 0xFFFFF, 1ull << 39, 5 }; f.f = 200;
  printf("%u %d %u %llu %d %u %d\n", f.a, f.b, f.c, (unsigned long long)f.d, f.e, f.f, (int)sizeof f); f.a++; f.b -= 20; f.c *= 3; f.d >>= 3; f.f = f.a + f.b; printf("%u %d %u %llu %u\n", f.a, f.b, f.c, (unsigned long long)f.d, f.f);
  printf("%d %d\n", f.a - 10 < 0, f.c - 0xFFFFFFFF < 0); printf("%d %d %d %d\n", (int)sizeof(struct packed), (int)offsetof(struct packed, d), (int)offsetof(struct line, name) / (int)sizeof(void *), (int)_Alignof(struct packed));
  struct packed k = { 1, -2, 3, 4.5 }; struct packed *pk = &k; pk->i *= 7; printf("%d %d %g\n", k.i, pk->s, pk->d); printf("%d\n", depth(&root)); printf("%d\n", root.child[1]->value);
  char buffer[sizeof(struct flex) + 10]; struct flex *fl = (struct flex *)buffer; fl->n = 5; strcpy(fl->data, "flexible"); printf("%d %s %d\n", fl->n, fl->data, (int)sizeof *fl);
  struct point *lit = &(struct point){ 7, 8 }; printf("%d\n", lit->x + ((struct point){ .y = 1 }).y); struct { int a; struct { int b, c; }; union { int d; char e; }; } anon = { 1, { 2, 3 }, { 4 } }; printf("%d %d %d %d\n", anon.a, anon.b, anon.c, anon.e);
  struct point arr[3] = { { 1, 2 }, { 3 } }, copy[3]; memcpy(copy, arr, sizeof arr); arr[0].x = 50; printf("%d %d %d\n", copy[0].x, copy[1].x, copy[2].y); printf("%d\n", (p.x = 5, p).x); q = p = make(8, 9); printf("%d %d\n", q.x, p.y);
  struct point cond = p.x > 3 ? p : q; printf("%d\n", cond.y); struct line chain = { .a.x = 1, .b = make(2, 3), .a.y = 4 }; printf("%d %d %d %d\n", chain.a.x, chain.a.y, chain.b.x, chain.b.y);
  return sizeof(union mix);
}
