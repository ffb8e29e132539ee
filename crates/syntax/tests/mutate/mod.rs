//! A deterministic mutation fuzzer: C snippets, cut, repeated, spliced and sprinkled with tokens.

use base::Interner;

/// Small programs that use every construct at least once.
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
];

/// What is inserted: every token, and pieces that open without closing.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "?",
    ".",
    "->",
    "...",
    "++",
    "--",
    "~",
    "!",
    "*",
    "/",
    "%",
    "+",
    "-",
    "<<",
    ">>",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "&",
    "^",
    "|",
    "&&",
    "||",
    "=",
    "+=",
    "<<=",
    "\"",
    "'",
    "#",
    "\\",
    "\n",
    " ",
    "/*",
    "*/",
    "//",
    "@",
    "é",
    "\u{0}",
    "0",
    "1",
    "0x",
    "1e",
    "1.5f",
    "08",
    "99999999999999999999",
    "L'",
    "u8\"",
    " typedef ",
    " extern ",
    " static ",
    " int ",
    " char ",
    " long ",
    " unsigned ",
    " struct ",
    " union ",
    " enum ",
    " const ",
    " _Atomic ",
    " typeof(",
    " __attribute__((",
    " __extension__ ",
    " asm(",
    " if (",
    " else ",
    " while (",
    " do ",
    " for (",
    " switch (",
    " case ",
    " default:",
    " goto ",
    " return ",
    " sizeof ",
    " _Alignas(",
    " _Generic(",
    " T ",
    " x ",
    " l: ",
    "({",
    "(T)",
    "(T){",
    "int f(",
    "= {",
    "&&l",
    "\n#pragma pack(",
    "\n# 1 \"f\"\n",
    "__label__ ",
    "_Static_assert(",
    " _Complex ",
    " __auto_type ",
    " __builtin_offsetof(",
    " __builtin_va_arg(",
    " inline ",
    " register ",
    " void ",
];

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Less than `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }
}

/// A new input made of one or two of `seeds`.
pub fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    let mut text = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(6) {
        let from = random.below(text.len() + 1);
        let to = (from + random.below(40)).min(text.len());
        match random.below(8) {
            0 => drop(text.drain(from..to)),
            1 => {
                let piece = text[from..to].to_vec();
                text.splice(from..from, piece.repeat(1 + random.below(3)));
            }
            2 => {
                // A few inputs nest deep.
                let times = if random.below(50) == 0 { 1 + random.below(3000) } else { 2 };
                let token = TOKENS[random.below(TOKENS.len())].as_bytes().repeat(times);
                text.splice(from..from, token);
            }
            3 | 4 => drop(text.splice(from..from, TOKENS[random.below(TOKENS.len())].bytes())),
            5 => drop(text.splice(from..to, TOKENS[random.below(TOKENS.len())].bytes())),
            6 => {
                if let Some(byte) = text.get_mut(from) {
                    *byte ^= 1 << random.below(8);
                }
            }
            _ => {
                let other = &seeds[random.below(seeds.len())];
                let cut = random.below(other.len() + 1);
                text.truncate(from);
                text.extend_from_slice(&other[cut..]);
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// What must hold for any input: no panic, a sound tree that prints, messages inside the text.
pub fn check(text: &str) {
    let start = 7;
    let mut interner = Interner::default();
    let (ast, diagnostics) = syntax::parse(text, start, &mut interner);
    assert_eq!(ast.verify(), Ok(()));
    ast.dump(&interner);
    for diagnostic in diagnostics {
        let span = diagnostic.span;
        assert!(span.start <= span.end && span.end as usize <= start as usize + text.len(), "{diagnostic:?}");
    }
}
