//~ undeclared
int main(void) {
    int x = 1;
    x = x + y;
    return 0;
}
//~ undeclared many
int main(void) {
    a = b + c;
    return 0;
}
//~ few args
int add(int a, int b) { return a + b; }
int main(void) {
    add(1);
    return 0;
}
//~ many args
int add(int a, int b) { return a + b; }
int main(void) {
    add(1, 2, 3);
    return 0;
}
//~ few args variadic
int p(const char *f, ...);
int main(void) {
    p();
    return 0;
}
//~ assign constant
int main(void) {
    int x;
    5 = x;
    return 0;
}
//~ assign call
int f(void);
int main(void) {
    f() = 1;
    return 0;
}
//~ assign array
int main(void) {
    int a[3], b[3];
    a = b;
    return 0;
}
//~ assign sum
int main(void) {
    int x, y;
    x + y = 3;
    return 0;
}
//~ increment rvalue
int main(void) {
    int x = 0;
    (x + 1)++;
    return 0;
}
//~ no main
int foo(void) {
    return 0;
}
//~ main declared only
int main(void);
//~ redeclared var
int main(void) {
    int x = 1;
    double x = 2;
    return 0;
}
//~ redeclared global
int x;
double x;
int main(void) {
    ;
    return 0;
}
//~ redeclared function
int f(int a) { return a; }
double f(double a);
int main(void) {
    ;
    return 0;
}
//~ function as var
int f;
int f(void) { return 1; }
int main(void) {
    ;
    return 0;
}
//~ redefined function
void f(void) {}
void f(void) {}
int main(void) {
    ;
    return 0;
}
//~ redefined struct
struct s { int a; };
struct s { int b; };
int main(void) {
    ;
    return 0;
}
//~ redefined enum
enum e { A };
enum e { B };
int main(void) {
    ;
    return 0;
}
//~ redefined enumerator
enum e { A, B, A };
int main(void) {
    ;
    return 0;
}
//~ redefined param
int f(int a, int a) { return a; }
int main(void) {
    ;
    return 0;
}
//~ redefined label
int main(void) {
    l: ;
    l: ;
    return 0;
}
//~ duplicate member
struct s { int a; char a; };
int main(void) {
    ;
    return 0;
}
//~ duplicate case
int main(void) {
    int x = 1;
    switch (x) { case 1: break; case 1: break; }
    return 0;
}
//~ duplicate default
int main(void) {
    int x = 1;
    switch (x) { default: break; default: break; }
    return 0;
}
//~ missing brace
int main(void) {
    if (1) {
        return 1;
    return 0;
}
//~ extra brace
int main(void) {
    return 0;
}
}
//~ missing semicolon
int main(void) {
    int x = 1
    x++;
    return 0;
}
//~ missing paren
int main(void) {
    int x = (1 + 2;
    x++;
    return 0;
}
//~ missing paren if
int main(void) {
    int x = 0;
    if x > 1 { x = 2; }
    return 0;
}
//~ missing quote
int main(void) {
    char *s = "abc;
    return 0;
}
//~ unknown type
int main(void) {
    uint32 x = 1;
    return 0;
}
//~ unknown type global
foo x;
int main(void) {
    ;
    return 0;
}
//~ unknown type param
int f(foo x) { return 0; }
int main(void) {
    ;
    return 0;
}
//~ unknown type pointer
foo *x;
int main(void) {
    ;
    return 0;
}
//~ unknown struct var
int main(void) {
    struct nothing x;
    return 0;
}
//~ unknown struct member
int main(void) {
    struct nothing *p = 0;
    p->x = 1;
    return 0;
}
//~ unknown member
struct s { int a; };
int main(void) {
    struct s x;
    x.b = 1;
    return 0;
}
//~ unknown member init
struct s { int a; };
int main(void) {
    struct s x = {.b = 1};
    return 0;
}
//~ arrow on struct
struct s { int a; };
int main(void) {
    struct s x;
    x->a = 1;
    return 0;
}
//~ dot on pointer
struct s { int a; };
int main(void) {
    struct s x, *p = &x;
    p.a = 1;
    return 0;
}
//~ dot on int
int main(void) {
    int x;
    x.a = 1;
    return 0;
}
//~ deref int
int main(void) {
    int x = 1;
    *x = 2;
    return 0;
}
//~ deref void
int main(void) {
    void *p = 0;
    int x = *p;
    return 0;
}
//~ index int
int main(void) {
    int x = 1;
    x[0] = 2;
    return 0;
}
//~ call int
int main(void) {
    int x = 1;
    x(2);
    return 0;
}
//~ address of constant
int main(void) {
    int *p = &5;
    return 0;
}
//~ address of bitfield
struct s { int a : 3; } x;
int main(void) {
    int *p = &x.a;
    return 0;
}
//~ struct to int
struct s { int a; } x;
int main(void) {
    int y = x;
    return 0;
}
//~ int to struct
struct s { int a; } x;
int main(void) {
    x = 1;
    return 0;
}
//~ struct condition
struct s { int a; } x;
int main(void) {
    if (x) return 1;
    return 0;
}
//~ struct plus
struct s { int a; } x;
int main(void) {
    int y = x + 1;
    return 0;
}
//~ struct other
struct s { int a; } x; struct t { int a; } y;
int main(void) {
    x = y;
    return 0;
}
//~ struct equal
struct s { int a; } x, y;
int main(void) {
    if (x == y) return 1;
    return 0;
}
//~ struct argument
struct s { int a; } x;
int f(int a) { return a; }
int main(void) {
    f(x);
    return 0;
}
//~ struct return
struct s { int a; } x;
int f(void) { return x; }
int main(void) {
    f();
    return 0;
}
//~ double to pointer
int main(void) {
    double d = 1;
    int *p = d;
    return 0;
}
//~ pointer to double
int main(void) {
    int *p = 0;
    double d = p;
    return 0;
}
//~ pointer plus pointer
int main(void) {
    int *p = 0, *q = 0;
    p = p + q;
    return 0;
}
//~ pointer times
int main(void) {
    int *p = 0;
    p = p * 2;
    return 0;
}
//~ double mod
int main(void) {
    double d = 1;
    d = d % 2;
    return 0;
}
//~ double shift
int main(void) {
    double d = 1;
    d = d << 2;
    return 0;
}
//~ double not
int main(void) {
    double d = 1;
    d = ~d;
    return 0;
}
//~ switch double
int main(void) {
    double d = 1;
    switch (d) { case 1: ; }
    return 0;
}
//~ case variable
int main(void) {
    int x = 1, y = 1;
    switch (x) { case y: ; }
    return 0;
}
//~ case outside
int main(void) {
    case 1: ;
    return 0;
}
//~ break outside
int main(void) {
    break;
    return 0;
}
//~ continue outside
int main(void) {
    switch (1) { case 1: continue; }
    return 0;
}
//~ goto nowhere
int main(void) {
    goto nowhere;
    return 0;
}
//~ void variable
int main(void) {
    void x;
    return 0;
}
//~ void value
void f(void) {}
int main(void) {
    int x = f();
    return 0;
}
//~ void condition
void f(void) {}
int main(void) {
    if (f()) return 1;
    return 0;
}
//~ void operand
void f(void) {}
int main(void) {
    int x = 1 + f();
    return 0;
}
//~ void param
int f(void x) { return 0; }
int main(void) {
    ;
    return 0;
}
//~ const assign
int main(void) {
    const int x = 1;
    x = 2;
    return 0;
}
//~ const increment
int main(void) {
    const int x = 1;
    x++;
    return 0;
}
//~ const member
struct s { const int a; } x;
int main(void) {
    x.a = 2;
    return 0;
}
//~ const pointee
int main(void) {
    const int *p = 0;
    *p = 2;
    return 0;
}
//~ init array by int
int main(void) {
    int a[3] = 5;
    return 0;
}
//~ init array by array
int main(void) {
    int b[3] = {1}, a[3] = b;
    return 0;
}
//~ init struct by int
struct s { int a; };
int main(void) {
    struct s x = 5;
    return 0;
}
//~ init index outside
int main(void) {
    int a[3] = {[5] = 1};
    return 0;
}
//~ init index negative
int main(void) {
    int a[3] = {[-1] = 1};
    return 0;
}
//~ init index on struct
struct s { int a; };
int main(void) {
    struct s x = {[0] = 1};
    return 0;
}
//~ init not constant
int f(void);
int x = f();
int main(void) {
    ;
    return 0;
}
//~ init static not constant
int f(int a) {
    static int x = a;
    return x;
}
int main(void) {
    ;
    return 0;
}
//~ init empty
int main(void) {
    int x = ;
    return 0;
}
//~ init vla
int main(void) {
    int n = 3;
    int a[n] = {1, 2, 3};
    return 0;
}
//~ init char array by pointer
int main(void) {
    char *p = "a";
    char a[3] = p;
    return 0;
}
//~ init twice
int x = 1;
int x = 2;
int main(void) {
    ;
    return 0;
}
//~ array negative
int main(void) {
    int a[-1];
    return 0;
}
//~ array no size
int main(void) {
    int a[];
    return 0;
}
//~ array of void
int main(void) {
    void a[3];
    return 0;
}
//~ array of functions
int main(void) {
    int a[3](void);
    return 0;
}
//~ array float size
int main(void) {
    int a[2.5];
    return 0;
}
//~ array variable global
int n = 3;
int a[n];
int main(void) {
    ;
    return 0;
}
//~ function returning array
int f(void)[3];
int main(void) {
    ;
    return 0;
}
//~ function returning function
int f(void)(void);
int main(void) {
    ;
    return 0;
}
//~ incomplete param
struct s;
int f(struct s x) { return 0; }
int main(void) {
    ;
    return 0;
}
//~ incomplete member
struct s { struct t x; };
int main(void) {
    ;
    return 0;
}
//~ self member
struct s { struct s x; };
int main(void) {
    ;
    return 0;
}
//~ bitfield wide
struct s { int a : 40; };
int main(void) {
    ;
    return 0;
}
//~ bitfield negative
struct s { int a : -1; };
int main(void) {
    ;
    return 0;
}
//~ bitfield zero named
struct s { int a : 0; };
int main(void) {
    ;
    return 0;
}
//~ bitfield float
struct s { float a : 3; };
int main(void) {
    ;
    return 0;
}
//~ sizeof incomplete
int main(void) {
    int x = sizeof(struct s);
    return 0;
}
//~ sizeof bad
int main(void) {
    int x = sizeof();
    return 0;
}
//~ offsetof bad
struct s { int a; };
int main(void) {
    int x = __builtin_offsetof(struct s, b);
    return 0;
}
//~ static assert
_Static_assert(sizeof(int) == 8, "int has 8 bytes");
int main(void) {
    ;
    return 0;
}
//~ static assert var
int main(void) {
    int x = 1;
    _Static_assert(x, "x");
    return 0;
}
//~ two types
int main(void) {
    int double x;
    return 0;
}
//~ two storages
static extern int x;
int main(void) {
    ;
    return 0;
}
//~ long long long
int main(void) {
    long long long x;
    return 0;
}
//~ signed unsigned
int main(void) {
    signed unsigned x;
    return 0;
}
//~ unsigned float
int main(void) {
    unsigned float x;
    return 0;
}
//~ typedef init
typedef int T = 1;
int main(void) {
    ;
    return 0;
}
//~ typedef as value
typedef int T;
int main(void) {
    int x = T + 1;
    return 0;
}
//~ typedef redeclared
typedef int T;
typedef long T;
int main(void) {
    ;
    return 0;
}
//~ enum float
enum e { A = 1.5 };
int main(void) {
    ;
    return 0;
}
//~ enum nonconst
int n;
enum e { A = n };
int main(void) {
    ;
    return 0;
}
//~ wrong tag
struct s { int a; };
int main(void) {
    union s x;
    return 0;
}
//~ nested function unsupported param
int f(int a, b) { return a; }
int main(void) {
    ;
    return 0;
}
//~ else without if
int main(void) {
    else return 1;
    return 0;
}
//~ if without cond
int main(void) {
    if () return 1;
    return 0;
}
//~ while without do
int main(void) {
    while { }
    return 0;
}
//~ do without while
int main(void) {
    do { }
    return 0;
}
//~ for missing
int main(void) {
    for (int i = 0; i < 3) { }
    return 0;
}
//~ return keyword typo
int main(void) {
    retrun 1;
    return 0;
}
//~ case no colon
int main(void) {
    switch (1) { case 1 break; }
    return 0;
}
//~ stray at
int main(void) {
    int x = 1 @ 2;
    return 0;
}
//~ bad number
int main(void) {
    int x = 08;
    return 0;
}
//~ bad number2
int main(void) {
    int x = 12abc;
    return 0;
}
//~ bad hex
int main(void) {
    int x = 0x;
    return 0;
}
//~ bad char
int main(void) {
    char c = '';
    return 0;
}
//~ unclosed comment
int main(void) { return 0; }
/* never closed
//~ keyword as name
int main(void) {
    int for = 1;
    return 0;
}
//~ name starts with digit
int main(void) {
    int 1x = 1;
    return 0;
}
//~ cast to struct
struct s { int a; } x;
int main(void) {
    x = (struct s)1;
    return 0;
}
//~ cast struct to int
struct s { int a; } x;
int main(void) {
    int y = (int)x;
    return 0;
}
//~ cast to array
int main(void) {
    int a[3];
    (int[3])a;
    return 0;
}
//~ cast pointer to float
int main(void) {
    int *p = 0;
    float f = (float)p;
    return 0;
}
//~ conditional mismatch
struct s { int a; } x;
int main(void) {
    int y = 1 ? x : 2;
    return 0;
}
//~ conditional void
void f(void) {}
int main(void) {
    int y = 1 ? f() : 2;
    return 0;
}
//~ generic none
int main(void) {
    int y = _Generic(1.0, int: 1, long: 2);
    return 0;
}
//~ va start nonvariadic
int f(int a) { __builtin_va_list l; __builtin_va_start(l, a); return 0; }
int main(void) {
    ;
    return 0;
}
//~ va arg not list
int f(int a, ...) { int l; return __builtin_va_arg(l, int); }
int main(void) {
    ;
    return 0;
}
//~ asm output rvalue
int main(void) {
    asm("" : "=r"(1));
    return 0;
}
//~ alignas bad
int main(void) {
    _Alignas(3) int x;
    return 0;
}
//~ member function
struct s { int f(void); };
int main(void) {
    ;
    return 0;
}
//~ bitfield of pointer
struct s { int *a : 3; };
int main(void) {
    ;
    return 0;
}
//~ builtin few
int main(void) {
    int x = __builtin_expect(1);
    return 0;
}
//~ nondet arg
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(3);
    return 0;
}
//~ knr undeclared param
int f(a) int b; { return a; }
int main(void) {
    ;
    return 0;
}
//~ declaration in if
int main(void) {
    if (1) int x = 1;
    return 0;
}
//~ duplicate case after conversion
int main(void) {
    switch (1) { case -1: ; case 4294967295: ; }
    return 0;
}
//~ a bit-field selects an association
struct S { unsigned b : 7; } s;
int main(void) {
    return _Generic(s.b, int: 1, unsigned: 2, default: 3);
}
//~ only volatile selects an association
volatile int v;
int main(void) {
    return _Generic(&v, int *: 1, volatile int *: 2);
}
//~ a part of a struct's value is replaced
struct S { int a, b; };
int main(void) {
    struct S s = {1, 2};
    struct { struct S in; } t = {.in = s, .in.b = 3};
    return t.in.a;
}
//~ a part of an element of a range is replaced
struct S { int a, b; };
int main(int argc, char **argv) {
    struct S s[3] = {[0 ... 2] = {1, argc}, [1].b = 7};
    return s[1].a;
}
//~ a range that is too long
static int t[] = {[0 ... 0x80000001] = 1};
int main(void) {
    return 0;
}
//~ a struct that is defined inside itself
struct N {
    struct N { int x; };
    int v;
} n;
int main(void) {
    return n.v;
}
//~ only what is volatile tells the associations apart
int main(void) {
    volatile int v = 0;
    int x = _Generic(v, int: 0, default: 1);
    return x + _Generic(&v, int *: 1, default: 2);
}
//~ what is volatile by its name tells the associations apart
typedef volatile int number;
int main(void) {
    number v = 0;
    return _Generic(&v, int *: 1, default: 2);
}
//~ an association for pointers to what is volatile
int f(int *p) {
    return _Generic(p, volatile int *: 1, default: 2);
}
//~ only what is atomic tells the associations apart
_Atomic int a;
int f(void) {
    return _Generic(&a, int *: 1, default: 2);
}
