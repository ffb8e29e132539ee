//~ init too many scalar brace
int main(void) {
    int x = {{1, 2}, 3};
    return 0;
}
//~ param no name
int f(int) { return 0; }
int main(void) {
    ;
    return 0;
}
//~ label at end
int main(void) {
    goto end;
    end:
}
//~ declaration after label
int main(void) {
    goto l;
    l: int x = 1;
    return 0;
}
//~ implicit function
int main(void) {
    foo(1);
    return 0;
}
//~ implicit int
static x = 1;
f() { return 1; }
int main(void) {
    f();
    return 0;
}
//~ int to pointer
int main(void) {
    int *p = 5;
    int x = p;
    x++;
    return 0;
}
//~ pointer mismatch
int main(void) {
    int *p = 0;
    char *q = p;
    q = q;
    return 0;
}
//~ compare pointer int
int main(void) {
    int *p = 0;
    if (p == 3) return 1;
    return 0;
}
//~ compare pointers
int main(void) {
    int *p = 0; char *q = 0;
    if (p == q) return 1;
    if (p < q) return 1;
    return 0;
}
//~ excess init
int main(void) {
    int a[2] = {1, 2, 3};
    int x = {1, 2};
    return 0;
}
//~ excess struct init
struct s { int a; } x = {1, 2};
int main(void) {
    ;
    return 0;
}
//~ string too long
int main(void) {
    char a[2] = "abcdef";
    return 0;
}
//~ return value in void
void f(void) { return 1; }
int main(void) {
    f();
    return 0;
}
//~ return nothing in int
int f(void) { return; }
int main(void) {
    f();
    return 0;
}
//~ no return
int f(void) { }
int main(void) {
    f();
    return 0;
}
//~ void return void
void f(void) {}
void g(void) { return f(); }
int main(void) {
    g();
    return 0;
}
//~ tentative
int x; int x; extern int x; int x = 1;
int main(void) {
    ;
    return 0;
}
//~ tentative incomplete
int a[]; static struct s *p; struct s { int x; };
int main(void) {
    a[0] = 1;
    return 0;
}
//~ unprototyped args
int f();
int f(int a, int b) { return a; }
int main(void) {
    f(1, 2);
    return 0;
}
//~ unprototyped wrong
int f() { return 1; }
int main(void) {
    f(1, 2);
    return 0;
}
//~ static after
static int f(void);
int f(void) { return 1; }
int main(void) {
    f();
    return 0;
}
//~ void pointer arith
int main(void) {
    void *p = 0;
    p = p + 1;
    p++;
    int x = sizeof(void) + sizeof(main);
    return 0;
}
//~ empty struct
struct s {};
int main(void) {
    struct s x;
    int y = sizeof x;
    return 0;
}
//~ zero array
int main(void) {
    int a[0];
    struct { int n; int d[0]; } s;
    return 0;
}
//~ anonymous
struct s { struct { int a; }; union { int b; float c; }; };
int main(void) {
    struct s x;
    x.a = x.b;
    return 0;
}
//~ case range
int main(void) {
    int x = 1;
    switch (x) { case 1 ... 3: break; }
    return 0;
}
//~ nested function decl
int main(void) {
    int f(int);
    extern int y;
    return 0;
}
//~ vla param
int f(int n, int a[n][n]) { return a[0][0]; }
int main(void) {
    int b[2][2];
    f(2, b);
    return 0;
}
//~ overflow const
int main(void) {
    int x = 2147483647 + 1;
    int y = 99999999999;
    char c = 300;
    return 0;
}
//~ div zero const
int main(void) {
    int x = 1 / 0;
    return 0;
}
//~ shift wide
int main(void) {
    int x = 1 << 40;
    return 0;
}
//~ multi char
int main(void) {
    int x = 'abcd';
    return 0;
}
//~ empty decl
;
int;
struct s;
int main(void) {
    ;;
    return 0;
}
//~ typedef again
typedef int T;
typedef int T;
int main(void) {
    T x = 1;
    return 0;
}
//~ const discard
int main(void) {
    const char *p = "a";
    char *q = p;
    return 0;
}
//~ enum int
enum e { A = -1, B = 0x7fffffff, C = 0xffffffff };
int main(void) {
    enum e x = 5;
    x = A;
    return 0;
}
//~ function pointer mismatch
int f(int a) { return a; }
int main(void) {
    void (*p)(void) = f;
    p = (void *)f;
    int (*q)(int) = &f;
    (***q)(1);
    return 0;
}
//~ pointer sub mismatch const
int main(void) {
    const int a[3]; int *p = 0;
    long d = p - a;
    return 0;
}
//~ conditional pointer int
int main(void) {
    int *p = 0;
    p = 1 ? p : 0;
    p = 1 ? p : 5;
    return 0;
}
//~ conditional pointers
int main(void) {
    int *p = 0; char *q = 0;
    void *r = 1 ? p : q;
    return 0;
}
//~ compound literal
int main(void) {
    int *p = (int[]){1, 2};
    struct { int a; } *s = &(struct { int a; }){1};
    return 0;
}
//~ main void return
void main() { }
//~ main three args
int main(int argc, char **argv, char **envp) { return 0; }
//~ main args weird
int main(int argc) { return 0; }
//~ bool increment
int main(void) {
    _Bool b = 0;
    b++;
    b--;
    b = ~b;
    return 0;
}
//~ string concat
int main(void) {
    char *s = "a" "b";
    return 0;
}
//~ unused label
int main(void) {
    l: ;
    return 0;
}
//~ gnu init
struct s { int a, b; } x = { a: 1, b: 2 };
int y[3] = { [1] 5 };
int main(void) {
    ;
    return 0;
}
//~ statement expr
int main(void) {
    int x = ({ int y = 1; y + 1; });
    return 0;
}
//~ builtin redeclared
void *malloc(unsigned long);
int printf(const char *, ...);
void exit(int);
int main(void) {
    malloc(3);
    return 0;
}
//~ builtin redeclared other
char *malloc();
int abort();
int strlen(char *);
int main(void) {
    malloc(3);
    return 0;
}
//~ builtin defined
int abs(int x) { return 7; }
void *memcpy(void *a, const void *b, unsigned long n) { return a; }
int main(void) {
    abs(3);
    return 0;
}
//~ extern init
extern int x = 3;
int main(void) {
    ;
    return 0;
}
//~ local extern shadow
int x = 1;
int main(void) {
    int x = 2;
    { extern int x;
    x = 3; }
    return 0;
}
//~ array size enum
enum { N = 3 };
int a[N], b[sizeof(a) / sizeof(a[0])], c[(int)2.5 + 1];
int main(void) {
    ;
    return 0;
}
//~ static const init
static const int n = 3;
int m = n;
int main(void) {
    ;
    return 0;
}
//~ address init
int a[3];
int *p = &a[1], *q = a + 2, *r = &*a;
long d = (long)&a;
int (*f)(void);
int main(void) {
    ;
    return 0;
}
//~ duplicate qualifier
const const int x = 1;
int main(void) {
    ;
    return 0;
}
//~ inline static
static inline int f(void) { return 1; }
inline int g(void);
extern inline int h(void) { return 1; }
int main(void) {
    f();
    return 0;
}
//~ noreturn
_Noreturn void f(void) { for (;;) ; }
int main(void) {
    ;
    return 0;
}
//~ complex
_Complex double c;
int main(void) {
    ;
    return 0;
}
//~ knr
int f(a, b) int a; char b; { return a + b; }
int main(void) {
    f(1, 2);
    return 0;
}
//~ knr default int
int f(a, b) char b; { return a + b; }
int main(void) {
    f(1, 2);
    return 0;
}
//~ volatile asm
int main(void) {
    asm volatile("nop");
    return 0;
}
//~ attribute unknown
int x __attribute__((whatever(1, "a")));
int main(void) {
    ;
    return 0;
}
//~ char array brace string
char a[] = {"abc"};
int main(void) {
    char b[4] = {"ab"};
    return 0;
}
//~ struct assign call
struct s { int a; };
struct s f(void) { struct s x = {1}; return x; }
int main(void) {
    struct s y = f();
    int z = f().a;
    return 0;
}
//~ comma lhs
int main(void) {
    int x, y = (x = 1, x + 1);
    return 0;
}
//~ extra semicolon
int f(void) { return 1; };
struct s { int a;; };
int main(void) {
    ;
    return 0;
}
//~ flexible init
struct s { int n; char d[]; } x = {1, "abc"};
int main(void) {
    ;
    return 0;
}
//~ goto into block
int main(void) {
    goto l;
    { int x; l: x = 1; }
    return 0;
}
//~ enum forward
enum e;
enum e { A };
int main(void) {
    ;
    return 0;
}
//~ void expr statement
int main(void) {
    (void)1;
    1;
    "a";
    return 0;
}
//~ cast pointer int
int main(void) {
    int x = (int)(long)&x;
    char c = (char)&x;
    x = (int)&x;
    return 0;
}
//~ bitfield zero
struct s { int a : 3; int : 0; int b : 32; _Bool c : 1; long long d : 64; };
int main(void) {
    struct s x = {1, 2, 1, 3};
    x.a = x.b++;
    return 0;
}
//~ predefined
int main(void) {
    const char *f = __func__;
    f = __FUNCTION__;
    f = __PRETTY_FUNCTION__;
    return 0;
}
//~ long double
int main(void) {
    long double d = 1.0L;
    d += 2;
    return 0;
}
//~ int128
int main(void) {
    __int128 x = 1;
    unsigned __int128 y = x << 100;
    return 0;
}
//~ sizeof expr
int main(void) {
    int x = sizeof x++ + sizeof(int[x]) + _Alignof(int) + __alignof__(x);
    return 0;
}
//~ typeof
int main(void) {
    typeof(1) x = 1;
    __typeof__(x) y;
    __auto_type z = 2;
    return 0;
}
//~ offsetof
struct s { int a; struct { int b[3]; } c; };
int main(void) {
    int x = __builtin_offsetof(struct s, c.b[1]);
    return 0;
}
//~ pragma
#pragma pack(push, 1)
struct s { char a; int b; };
#pragma pack(pop)
#pragma once
int main(void) {
    ;
    return 0;
}
//~ utf8
int main(void) { /* ä */ char *s = "ü"; return 0; }
//~ trigraph like
int main(void) {
    char *s = "??/";
    return 0;
}
//~ digraph
int main(void) <% int a<:3:>; return 0; %>
