//! What inputs are made of.

/// Small programs that use every construct at least once.
#[rustfmt::skip]
pub const SNIPPETS: &[&str] = &[
    "typedef int T; int f(int a, T b) { T *p = &b; for (int i = 0; i < 10; i++) *p += a ? b : -1; return *p; }",
    "struct S { int a : 3, : 0; union { char b[4]; float c; }; struct S *next; } __attribute__((packed)) s = {.a = 1, {.b = {1, 2}}};",
    "enum E { A, B = A + 2, C }; static const enum E table[] = {[A] = C, [B ... C] = A}; int n = sizeof(table) / sizeof *table;",
    "int main(argc, argv) int argc; char **argv; { switch (argc) { case 1: case 2 ... 4: break; default: goto out; } out: return 0; }",
    "void (*signal(int, void (*)(int)))(int); int (*(*p[2])(int (*)(char), ...))[4]; _Alignas(16) char buf[sizeof(long double)];",
    "void g(void) { asm volatile (\"mov %1, %0\" : \"=r\" (x), [y] \"+m\" (*y) : \"r\" (1) : \"memory\"); asm goto (\"\" :::: l); l: ; }",
    "int h(void) { __label__ a; a: ({ int z = 1; z; }); void *q = &&a; goto *q; do ; while (0); if (1) ; else if (2) ; else ; }",
    "#pragma pack(push, 1)\nstruct P { int x; };\n#pragma pack(pop)\n# 1 \"file.c\"\n_Static_assert(sizeof(struct P) == 4, \"size\");\n",
    "double d = 1.5e-3f + 0x1.8p3 + 1.0Q; char c = '\\x41', *s = \"a\" L\"b\\n\\u00e9\"; unsigned long u = 0xffUL + 017 + 0b11 + 'ab';",
    "int k = _Generic(1, int: 1, default: 2) + __builtin_offsetof(struct S, a[1].b) + __builtin_choose_expr(1, 2, 3) ?: 4;",
    "T *(__attribute__((regparm(3))) f)(register int x, int a[static const 3], ...) { return (T *)(int[]){1, 2} + (T){0}; }",
    "extern __thread int tls asm(\"x\"); typeof(tls) t2; __typeof__(int *) t3; _Atomic(int) at; __auto_type v = 1; __int128 w; _Complex double cd;",
    "int va(int n, ...) { __builtin_va_list ap; __builtin_va_start(ap, n); return __builtin_va_arg(ap, int) /* c */ + __alignof__(int); } // e",
    "extern int __VERIFIER_nondet_int(void); struct N { struct N *next; int v; } *head; void push(int v) { struct N *n = malloc(sizeof *n); n->v = v; n->next = head; head = n; } int main(void) { int k = __VERIFIER_nondet_int(); while (k-- > 0) push(k); int s = 0; for (struct N *p = head; p; p = p->next) s += p->v; if (s < 0) reach_error(); free(head); return s; }",
    "typedef int (*Op)(int, int); static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } Op ops[] = {add, sub, 0}; int apply(Op f, int x) { return f ? f(x, 1) : (*ops[0])(x, 2); } int main(int argc, char **argv) { int r = 0; for (Op *p = ops; *p; ++p) r += apply(*p, argc); return r; }",
    "struct B { unsigned a : 3; signed b : 5; _Bool c : 1; unsigned long long d : 40; int : 0; char e; } b = {1, -2, 1, 3}; union U { struct B b; unsigned char raw[16]; double d; }; struct B f(struct B x, union U u) { x.a += u.b.b; x.d <<= 2; x.c = !x.c; return u.b = x; } int main(void) { union U u = {.raw = {[3] = 7}}; struct B r = f(b, u); return r.a++ + --r.b + (r = f(r, u)).e + f(r, u).a; }",
    "int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } int main(void) { int n = 7, a[n + 1]; for (int i = 0; i < n; i++) a[i] = fib(i); int (*p)[n] = (void *)a; typedef char V[n][2]; V v; v[1][0] = 1; return a[n - 1] + sizeof(a) + sizeof *p + sizeof(V) + v[1][0]; }",
    "int main(void) { static const void *t[] = {&&a, &&b, &&c}; int i = 0; a: i++; if (i > 5) goto *t[2]; b: goto *t[i % 2]; c: switch (i) { int z; case 1 ... 3: z = 1; default: do { case 9: i--; if (i == 4) continue; } while (i > 0); break; case -1: return 2; } return 0; }",
    "#include <assert.h>\nint x; int *p = &x; char s[] = \"abc\" \"def\", *q = s + 2; struct { int a[2]; struct { short y, z; }; } w = {{1, 2}, {.z = 3}}, *pw = &w; long off = (long)&((struct { char c; int i; } *)0)->i; int main(void) { *p = 3; q[1] = 'x'; pw->z += *p << 1; assert(w.z == 9 && \"sum\"); x = (x, *p)++ ? : 5; return ({ int y = *p; y ? y : 2; }); }",
    "double d; float f = 1e10f; long double l; __int128 w; unsigned char c = 255; int main(void) { d = f / 3; l = d * 2.5L; w = (__int128)c << 100; c = c + 1; c <<= 1; d += c; f = (int)d % 7; int i = d > f ? l : w; i ^= ~c | (unsigned)-1 >> 3; return (_Bool)f + !d + (i && l || w) + isnan(d) + (int)sqrt(f) + __builtin_popcount(i); }",
    "int sum(int n, ...) { __builtin_va_list ap, aq; __builtin_va_start(ap, n); __builtin_va_copy(aq, ap); int s = 0; while (n--) s += __builtin_va_arg(ap, int) + (int)__builtin_va_arg(aq, double); __builtin_va_end(ap); return s; } int main(void) { char buf[8]; memset(buf, 0, sizeof buf); memcpy(buf, \"hello\", 6); printf(\"%d %s\\n\", sum(2, 1, 2.0), buf); return strlen(buf) + strcmp(buf, \"h\"); }",
    "_Atomic int n; int m; void *worker(void *a) { __sync_fetch_and_add(&m, 1); __atomic_store_n(&m, 2, 5); n++; n += 2; int e = 1; __atomic_compare_exchange_n(&m, &e, 3, 0, 5, 5); return a; } int main(void) { int o; if (__builtin_add_overflow(m, 1, &o)) abort(); worker(&o); asm(\"nop\" : \"+r\"(o) : \"r\"(m)); return __builtin_expect(o, 0) + __builtin_constant_p(3) + __builtin_types_compatible_p(int, long); }",
    "enum K { A = 1, B = A << 4, C = -1 }; int old(a, b) int a; char *b; { return a + *b; } struct F { int n; char d[]; }; static struct F fl = {3, {1, 2, 3}}; inline int g(enum K k) { return k == B ? _Generic(k, int: 1, unsigned: 2, default: 3) : (int){4}; } int main() { struct F *p = __builtin_alloca(sizeof *p + 4); p->d[2] = fl.d[1]; return old(g(A), p->d) + sizeof(enum K) + _Alignof(struct F) + (1 ? p : (void *)0)->n; }",
    "int a[3][4] = {{1}, {[2] = 3}, 4, 5}; struct P { int x, y; } ps[] = {[1].y = 2, [0] = {3, 4}, {.x = 5}}; struct P mk(int x) { return (struct P){x, .y = x * 2}; } int main(void) { struct P l[2] = {mk(1), ps[1]}, *p = l; int (*r)[4] = a + 1; (*r)[2] += p[1].x; *(*(a + 2) + 1) = mk(2).y; p++->x = 3; ptrdiff: return p - l + (char *)&l[1] - (char *)l + r[1][1]; }",
];

/// What is inserted between bytes: every token, and pieces that open without closing.
#[rustfmt::skip]
pub const TOKENS: &[&str] = &[
    "(", ")", "[", "]", "{", "}", ";", ",", ":", "?", ".", "->", "...", "++", "--", "~", "!", "*", "/", "%", "+", "-",
    "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "^", "|", "&&", "||", "=", "+=", "<<=", "\"", "'", "#", "\\",
    "\n", " ", "/*", "*/", "//", "@", "é", "\u{0}", "0", "1", "0x", "1e", "1.5f", "08", "99999999999999999999", "L'",
    "u8\"", " typedef ", " extern ", " static ", " int ", " char ", " long ", " unsigned ", " struct ", " union ",
    " enum ", " const ", " _Atomic ", " typeof(", " __attribute__((", " __extension__ ", " asm(", " if (", " else ",
    " while (", " do ", " for (", " switch (", " case ", " default:", " goto ", " return ", " sizeof ", " _Alignas(",
    " _Generic(", " T ", " x ", " l: ", "({", "(T)", "(T){", "int f(", "= {", "&&l", "\n#pragma pack(",
    "\n# 1 \"f\"\n", "__label__ ", "_Static_assert(", " _Complex ", " __auto_type ", " __builtin_offsetof(",
    " __builtin_va_arg(", " inline ", " register ", " void ",
];

/// Constants at the edges of their types.
#[rustfmt::skip]
pub const LITERALS: &[&str] = &[
    "0", "1", "-1", "2147483647", "4294967295", "0x80000000", "9223372036854775807", "18446744073709551615u", "1.5",
    "1e400", "0x1p-1074", "1.0f", "1.0L", "'a'", "'\\0'", "\"\"", "\"ab\\0c\"", "L\"wide\"", "8", "31", "32", "64",
    "100000", "0xffffffffffffffffull", "1u", "3l", "1e10", "__func__",
];

/// Operators with two operands.
#[rustfmt::skip]
pub const OPERATORS: &[&str] = &[
    "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", "=", "+=", "-=",
    "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", ",", "?:",
];

/// What may stand for a type.
#[rustfmt::skip]
pub const TYPES: &[&str] = &[
    "int", "char", "long", "long long", "unsigned", "short", "signed char", "unsigned char", "unsigned long", "float",
    "double", "long double", "_Bool", "void", "__int128", "unsigned __int128", "__float128", "_Complex double",
    "const int", "volatile int", "_Atomic int", "int *", "void *", "char **", "struct S", "struct N", "union U",
    "enum E", "T", "typeof(x)", "struct { int a; }", "union { int i; float f; }",
    "struct { int a : 3; int : 0; int b[]; }", "enum { Q1, Q2 }", "__builtin_va_list", "int (*)(int)", "wchar_t",
    "__auto_type", "struct Forward", "static int", "extern int", "typedef int", "register int", "_Thread_local int",
    "_Alignas(16) int", "inline int", "_Noreturn void",
];

/// What may stand before an operand or a declarator.
#[rustfmt::skip]
pub const PREFIXES: &[&str] = &[
    "*", "&", "!", "-", "~", "+", "++", "--", "sizeof", "(int)", "(char)", "(void)", "(double)", "(void *)",
    "(struct S)", "(_Bool)", "(unsigned char)", "&&", "_Alignof", "__real__", "__imag__", "__extension__", "const",
    "*&", "(int *)", "(struct N *)", "(int[2])", "(__int128)", "static", "extern", "struct", "enum", "union", "goto",
    "case", "return", "typedef",
];

/// What may stand after an operand or a declarator.
#[rustfmt::skip]
pub const SUFFIXES: &[&str] = &[
    "[0]", "[x]", "[1][2]", "[]", "[n]", ".x", ".a", "->next", "->b", "()", "(1)", "(1, 2)", "(x)", "++", "--", "= 1",
    "= {0}", "= {1, 2, 3}", "= {[2] = 1}", "= {.x = 1}", "= \"abc\"", "= &x", "= x", "? 1 : 2", "?: 3", ": 3", ", 1",
    "* 2", "/ 0", "% 0", "<< 40", ":", "(void)", "(int, ...)", "__attribute__((packed))",
    "__attribute__((aligned(8)))", "__attribute__((noreturn))", "__attribute__((alias(\"f\")))",
    "__attribute__((mode(DI)))", "__attribute__((vector_size(16)))", "__attribute__((transparent_union))",
    "__attribute__((cleanup(f)))", "__attribute__((constructor))", "asm(\"name\")",
];

/// Operands of every form.
#[rustfmt::skip]
pub const EXPRESSIONS: &[&str] = &[
    "(x)", "f(x)", "(1 ? x : 0)", "(x ?: y)", "(x, y)", "({ int q = 1; q; })", "({ goto l; 1; })",
    "({ return 1; 2; })", "({ break; 1; })", "({ struct { int a; } r = {1}; r; }).a", "(int[]){1, 2, 3}",
    "(struct N){0}", "(int){5}", "&(struct { int a; }){1}", "sizeof(int)", "sizeof(int[x])", "sizeof x", "(char)x",
    "(long)&x", "*(int *)0", "&x", "*&x", "x++", "--x", "x = 1", "x += 1", "(x = y)", "!x", "~x", "x && y",
    "x || f(1)", "x == y", "x < 3", "(x && ({ y++; })) || y--", "a[x]", "x[a]", "*p", "p->next", "&p->v", "p + 1",
    "p - p", "p == 0", "1 / 0", "1 % 0", "1 << 100", "-2147483647 - 1", "\"abc\"[1]", "&\"abc\"", "*\"abc\"",
    "__builtin_offsetof(struct N, v)", "__builtin_offsetof(struct B, e)", "_Generic(x, int: 1, default: f)",
    "__builtin_choose_expr(1, x, y)", "__builtin_types_compatible_p(int, typeof(x))", "__builtin_va_arg(ap, int)",
    "__builtin_constant_p(x)", "&&l", "*&&l", "(void)0", "(void)x", "main", "&main", "*main", "main()", "(*f)(1)",
    "(&f)(1)", "((int (*)(int))f)(1)", "((void (*)())0)()", "__builtin_alloca(x)", "malloc(10)",
    "sizeof(struct Forward)", "*(struct Forward *)p", "__builtin_add_overflow(1, x, &y)",
    "__sync_add_and_fetch(&x, 1)", "__atomic_load_n(&x, 0)", "__atomic_exchange(&x, &y, &z, 5)",
    "__builtin_nan(\"\")", "1.0 / 0.0", "(float)1e308", "(int)1e20", "(unsigned char)300", "(_Bool)0.5", "0.1f + 1",
    "1 ? 1.0 : 2", "1 ? p : 0", "1 ? (void)0 : (void)1", "strlen(\"abc\")", "memcpy(&x, &y, 4)", "abs(x)", "fabs(x)",
    "x.y", "x->y", "b.a", "(b = b).a", "f(b, u).a", "__func__", "sizeof(__func__)", "__VERIFIER_nondet_int()",
    "__VERIFIER_nondet_uchar()", "__extension__ x", "undeclared", "undeclared(1)", "1i", "__real__ x",
];

/// Statements and declarations, right and wrong.
#[rustfmt::skip]
pub const STATEMENTS: &[&str] = &[
    ";", "{}", "x = 1;", "f(x);", "int x;", "int x = x;", "static int st = 3;", "extern int ex;", "int f(int);",
    "int f();", "long f(double);", "typedef int T;", "typedef struct N T;", "struct N;", "struct N { int x; };",
    "struct S { struct S s; };", "struct S { int a; struct S *p; };", "enum E { A, B };", "int n = 3; int vla[n];",
    "int vla2[x][x + 1];", "int huge[1 << 30];", "long huge2[1l << 60];", "char empty[0];",
    "int big[100000] = {[99999] = 1};", "int arr[] = {[5 ... 9] = 1, 2};", "char str[2] = \"abc\";", "int z[] = {};",
    "int incomplete[];", "struct { int n; int d[]; } fl = {1, {2, 3}};", "if (x) ; else ;",
    "while (x) { x--; continue; }", "do { if (x) break; } while (1);", "for (;;) ;",
    "for (int i = 0; i < 3; i++) x += i;", "switch (x) { case 1: case 2: x = 3; default: ; }", "switch (x) ;",
    "switch (x) { int k = 1; case 1: k = 2; { case 2: k++; } }", "switch (x) { case 0 ... 2147483647: ; }",
    "switch (x) { case 1: case 1: ; }", "switch (1ull << 40) { case 1ull << 40: ; }", "case 1:", "default:", "break;",
    "continue;", "return;", "return 1;", "return x;", "goto l;", "l: ;", "m: goto m;", "goto *p;", "goto *&&l;",
    "{ __label__ l; goto l; l: ; }", "void *lab = &&l;", "asm(\"\");",
    "asm volatile(\"\" : \"=r\"(x) : \"0\"(x) : \"memory\");", "asm goto(\"\" : : : : l);",
    "_Static_assert(1, \"\");", "_Static_assert(sizeof(int) == 8, \"size\");", "reach_error();", "ERROR: ;",
    "abort();", "exit(x);", "assert(x);", "__assert_fail(\"x\", \"f\", 1, \"g\");", "free(p);",
    "int nested(int a) { return a; }", "void *q = malloc(x); memset(q, 0, x); free(q);",
    "__builtin_va_list ap; __builtin_va_start(ap, x);", "__builtin_unreachable();", "setjmp(b);",
    "pthread_create(&t, 0, f, 0);", "__VERIFIER_assume(x > 0);", "x:", "int (*fp)(int) = f; fp(1);",
    "int (*fa[2])(int) = {f, f}; fa[x](1);", "struct N *q2 = &(struct N){0}, r2 = *q2, *s2 = &r2;",
    "union { int i; float f; } u1 = {.f = 1}; u1.i++;",
    "struct { unsigned a : 3, : 0, b : 32; long long c : 64; } bf = {1, 2, 3}; bf.a += bf.b; bf.c--;",
    "struct { int a : 33; } bad;", "struct { float a : 3; } bad2;", "int arr2[-1];", "int arr3[2][]; ",
    "_Atomic struct { int a, b; } as; as = as;", "register int rg; &rg;", "volatile int vo; vo = vo + vo++;",
    "const int ci = 1; ci = 2;", "int *restrict rp = &x; *rp++ = 1;", "_Complex double cd; cd = 1;",
    "__int128 w1 = 1; w1 <<= 100; w1 /= 3;", "inline void g2(void) {}", "int k1(a, b) int a; { return a; }",
    "void v1(void) { return 1; }", "int v2(void) { return; }", "int v3(void) {}", "T t1; T *t2 = &t1; t1 = *t2;",
    "typeof(x) x2 = x; typeof(f) *f2 = f;", "__auto_type at = x;", "#pragma pack(1)\n",
    "int redefined; long redefined;", "int twice = 1; int twice = 2;", "static int f(int); int f(int);",
    "int main(void) { return 0; }", "int __attribute__((noreturn)) nr(void);",
    "int weak(void) __attribute__((weak, alias(\"f\")));",
];

/// Functions that lowering knows.
#[rustfmt::skip]
pub const FUNCTIONS: &[&str] = &[
    "memcpy", "memset", "malloc", "calloc", "realloc", "free", "alloca", "strlen", "strcmp", "strcpy", "printf",
    "scanf", "sprintf", "snprintf", "puts", "abs", "fabs", "sqrt", "floor", "fmod", "fmin", "isnan", "isinf",
    "__fpclassify", "isgreater", "exit", "abort", "assert", "__assert_fail", "__VERIFIER_assume", "__VERIFIER_error",
    "reach_error", "__VERIFIER_nondet_int", "__VERIFIER_nondet_double", "__VERIFIER_nondet_pointer",
    "__builtin_expect", "__builtin_add_overflow", "__builtin_mul_overflow", "__builtin_umull_overflow",
    "__builtin_bswap32", "__builtin_clz", "__builtin_popcountll", "__builtin_object_size", "__builtin_unreachable",
    "__builtin_va_start", "__builtin_va_end", "__builtin_va_copy", "__builtin_memcpy", "__builtin_nan",
    "__builtin_inf", "__builtin_isinf_sign", "__builtin_signbitf", "__builtin_return_address", "__builtin_prefetch",
    "__builtin_constant_p", "__builtin_choose_expr", "__builtin_unknown", "__sync_fetch_and_add",
    "__sync_bool_compare_and_swap", "__sync_lock_test_and_set", "__sync_synchronize", "__atomic_load",
    "__atomic_load_n", "__atomic_store_n", "__atomic_exchange_n", "__atomic_compare_exchange", "__atomic_add_fetch",
    "__atomic_test_and_set", "setjmp", "longjmp", "signal", "fork", "pthread_create", "pthread_mutex_lock", "bcopy",
    "bzero", "strdup", "memchr", "atoi", "isdigit", "toupper", "modf", "frexp", "__ctype_b_loc", "__errno_location",
    "nan", "qsort", "main",
];
