/* One function for each form of expression and statement, then declarations and types; gcc accepts them all. */
typedef int number;
struct point { int x, y; struct { int deep; }; unsigned bits : 3; };
union either { int i; float f; };
enum color { RED, GREEN = 5 };
struct point global = { 1, .y = 2 };
int table[6] = { [1] = 4, [2 ... 4] = 7, 9 };
const char text[] = "ab" "c";
__asm__(".globl nothing");
_Static_assert(sizeof(int) == 4, "ints have four bytes");

int name(int a) { return a; }
int integers(void) { return 1 + 0x1F + 017 + 0b11 + (int)(2u + 3l + 4ull); }
int characters(void) { return 'a' + '\n' + L'b' + u'c' + U'd'; }
double floats(void) { return 1.5 + 2.5f + 0x1p-3 + 1.0L; }
const char *strings(void) { return "text"; }
const int *wide(void) { return L"w"; }
int call(int a) { return name(a + 1); }
int call_pointer(int (*f)(int)) { return f(1) + (*f)(2); }
int index_of(int *p, int i) { return p[i] + i[p]; }
int member(struct point p, struct point *q) { return p.x + q->y + q->deep + q->bits; }
int signs(int a) { return +a + -a + ~a + !a; }
int pointers(int *p) { return *p + (&p[1] == p); }
int steps(int a) { return ++a + a-- * 2; }
int more_steps(int a) { int b = --a; b += a++; return b; }
double parts(double _Complex z) { return __real__ z + __imag__ z; }
int products(int a, int b) { return a * b / 3 % 5; }
int sums(int a, int b) { return a + b - 1; }
unsigned shifts(unsigned a) { return a << 3 >> 1; }
int orders(int a, int b) { return (a < b) + (a > b) + (a <= b) + (a >= b); }
int equalities(int a, int b) { return (a == b) + (a != b); }
int bits(int a, int b) { return a & b ^ a | b; }
int logic(int a, int b) { return a && b || !a; }
int logic_that_calls(int a) { return a && name(a) || name(1); }
int assign(int a) { int b; b = a; b = a = 3; return b; }
int compound(int a) { a += 1; a -= 2; a *= 3; a /= 4; a %= 5; a <<= 1; a >>= 1; a &= 7; a ^= 2; a |= 8; return a; }
int conditional(int a, int b) { return a ? b : name(b); }
int elvis(int a, int b) { return a ?: b; }
int comma(int a) { return (a++, a); }
long cast(int a, void *p) { return (long)p + (char)a + (_Bool)a; }
int literal(int a) { return ((struct point){ a, 2 }).y + (int[]){ 1, 2 }[1]; }
unsigned long sizes(int a) { return sizeof a + sizeof(struct point) + _Alignof(double) + __alignof__(a); }
int statement(int a) { return ({ int b = a; b + 1; }); }
int label_address(int a) { void *p = a ? &&one : &&two; goto *p; one: return 1; two: return 2; }
int generic(int a) { return _Generic(a, int: 1, default: 2) + _Generic(1.0, float: 3, default: 4); }
unsigned long offset(void) { return __builtin_offsetof(struct point, y) + __builtin_offsetof(struct { int a[4]; }, a[2]); }
int further(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int a = __builtin_va_arg(list, int);
  __builtin_va_end(list);
  return a;
}
int compatible(void) { return __builtin_types_compatible_p(int, number); }
int choice(int a) { return __builtin_choose_expr(1, a, 2.0); }

int empty(void) { ; __attribute__((fallthrough)); return 0; }
int expression(int a) { a; name(a); return a; }
int block(int a) { int b = a; { int b = 2; a += b; } return a + b; }
int branch(int a) { if (a) return 1; if (a > 1) a = 2; else if (a < 0) a = 3; else a = 4; return a; }
int while_loop(int a) { while (a > 0) { a--; if (a == 5) break; if (a == 7) continue; } return a; }
int do_loop(int a) { do { a--; if (a == 7) continue; } while (a > 0); return a; }
int for_loop(int a) { for (int i = 0; i < a; i++) a -= i; for (a = 9; a; ) a--; for (;;) break; return a; }
int choose(int a) { switch (a) { case 1: a = 2; case 2: break; case 3 ... 6: return 3; default: a = 9; } return a; }
int into_block(int a, int n) { switch (a) { case 0: do { n++; case 1: n--; } while (n > 5); } return n; }
int jump(int a) { again: if (a < 5) { a++; goto again; } return a; }
int local_label(int a) { { __label__ out; if (a) goto out; a = 1; out: a++; } return a; }
void nothing(void) { return; }
int assembly(int a) { __asm__ volatile("nop" : "+r"(a) : "r"(1) : "memory", "cc"); return a; }
int assembly_jump(void) { __asm__ goto("jmp %l0" : : : : out); return 1; out: return 2; }

old_style(a, b) int a; char b; { return a + b; }
static inline int quick(int a) { register int b = a; auto int c = b; return c; }
extern int elsewhere;
int storage(void) { static int calls; return ++calls + elsewhere; }
_Noreturn void never(void) { for (;;) { } }
int any_length(int n, int a[*]);
int array_types(int n, int a[static 2], int c[]) { int d[n]; d[0] = a[0] + c[0]; return d[0] + sizeof d; }
int typeof_types(int a) { __typeof__(a) b = a; __typeof__(int) c = b; __auto_type d = c; _Atomic(int) e = d; return e; }
int aggregate_types(void) { union either e = { 3 }; enum color c = GREEN; struct { int a : 3, : 0, b; } s = { 1, 2 }; return e.i + c + s.b; }
int aligned_types(void) { _Alignas(16) int a = 1; _Alignas(double) int b __attribute__((unused)) = 2; return a + b; }
int numbers(_Bool a, signed char b, unsigned char c, short d, unsigned short e, unsigned f, long g, unsigned long h,
            long long i, unsigned long long j, __int128 k, unsigned __int128 l, float m, long double n, __float128 o) {
  return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o;
}
int main(void) { return 0; }
