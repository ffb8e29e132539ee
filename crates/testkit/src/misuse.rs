//! Small programs over one input below 16 with a planted misuse of memory, and their repaired twins. What is true of them
//! is what gcc's address and leak sanitizers report over all inputs, where that is what the generator meant; where it is not
//! (an access that lands in another object, say), the program is left out.

use crate::scratch::Scratch;
use cfa::Check;
use semantics::random::Random;
use std::collections::BTreeSet;
use std::process::Command;

/// How many inputs there are.
pub const INPUTS: u32 = 16;

/// A program with what was planted.
#[derive(Clone, Debug)]
pub struct Misuse {
    /// What it is made from.
    pub seed: u64,
    /// What was planted; `None` in a twin.
    pub planted: Option<Check>,
    /// Globals and functions.
    before: String,
    /// Statements over the input `x`.
    body: String,
}

/// A kind of misuse: `PART` in the body is one of two texts.
struct Template {
    kind: Check,
    before: String,
    body: String,
    wrong: String,
    right: String,
}

/// The program of a seed and its repaired twin.
pub fn generate(seed: u64) -> [Misuse; 2] {
    let mut random = Random::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 7);
    let Template { kind, before, body, wrong, right } = template(&mut random);
    let noise: Vec<String> = (0..random.below(3)).map(|at| noise(at, &mut random)).collect();
    [(Some(kind), wrong), (None, right)].map(|(planted, part)| {
        let body = format!("{}    {}\n", noise.concat(), body.replace("PART", &part));
        Misuse { seed, planted, before: before.clone(), body }
    })
}

fn template(random: &mut Random) -> Template {
    // Thresholds that some inputs pass, and sizes.
    let k = 1 + random.below(14);
    let n = 2 + random.below(12);
    let size = ["char", "short", "int", "long"][random.below(4) as usize];
    let (array, after) = place(random, size, n);
    let make = |kind, before: &str, body: String, wrong: String, right: String| Template {
        kind,
        before: before.to_owned(),
        body,
        wrong,
        right,
    };
    let deref = Check::Deref;
    match random.below(33) {
        0 => make(deref, "", format!("{array} if (PART) a[x] = 1; {after}"), format!("x <= {n}"), format!("x < {n}")),
        1 => make(
            deref,
            "",
            format!("{array} int i = x - {k}; if (PART) a[i] = 2; {after}"),
            format!("i < {n}"),
            format!("i >= 0 && i < {n}"),
        ),
        2 => make(
            deref,
            "",
            format!("{array} for (int i = 0; PART; i++) a[i] = i; {after}"),
            format!("i <= {n} && i <= x"),
            format!("i < {n} && i <= x"),
        ),
        3 => make(
            deref,
            "",
            format!("{array} {size} *p = a; for (int i = 0; PART; i++) *p++ = 1; {after}"),
            format!("i < {n} + (x == {k})"),
            format!("i < {n}"),
        ),
        4 => make(
            deref,
            "",
            format!("{array} {size} *p = a + {n}; while (PART) {{ --p; *p = 3; }} {after}"),
            format!("p != a - (x > {k})"),
            "p != a".into(),
        ),
        5 => make(
            deref,
            "",
            format!("char *a = malloc({n}); a[0] = 1; if (x == {k}) {{ PART }} r = a[0]; free(a);"),
            "free(a);".into(),
            "a[0] = 2;".into(),
        ),
        6 => make(
            deref,
            "",
            format!("int *p = &r; {{ int y = x; if (x > {k}) p = PART; *p = 4; }} r = *p;"),
            "&y".into(),
            "&r".into(),
        ),
        7 => make(
            deref,
            "int *give(int x) { static int kept; int y = x; int *p = &y; if (x != 3) p = &kept; return p; }\nint *lend(int x) { static int kept; kept = x; return &kept; }",
            format!("if (x < {}) r = *PART(x);", k.max(4)),
            "give".into(),
            "lend".into(),
        ),
        8 => make(
            Check::Free,
            "",
            format!("char *p = malloc({n}); free(p); if (x == {k}) {{ PART }}"),
            "free(p);".into(),
            "p = 0; free(p);".into(),
        ),
        9 => make(
            Check::Free,
            "",
            format!("char *p = malloc({n}); char *q = p + PART; p[0] = 1; free(q);"),
            format!("(x > {k})"),
            format!("(x > {k}) * 0"),
        ),
        10 => make(
            Check::Free,
            "int area[4];",
            format!("int *p = malloc(8); int *q = p; if (x == {k}) {{ q = PART; }} free(q); if (q != p) free(p);"),
            "area".into(),
            "0".into(),
        ),
        11 => make(
            Check::Track,
            "",
            format!("char *p = malloc({n}); if (x > {k}) {{ PART p = malloc(3); }} free(p);"),
            "".into(),
            "free(p);".into(),
        ),
        12 => make(
            Check::Track,
            "",
            format!("char *p = malloc({n}); p[0] = x; if (p[0] != {k} || PART) free(p);"),
            "0".into(),
            "1".into(),
        ),
        13 => make(
            Check::Track,
            "struct box { int n; char *text; };",
            format!("struct box *b = malloc(sizeof *b); b->n = x; b->text = malloc({n}); PART free(b);"),
            format!("if (x < {k}) free(b->text);"),
            "free(b->text);".into(),
        ),
        14 => make(
            deref,
            "",
            format!("char *p = malloc({n}); p[0] = 1; char *q = realloc(p, {n} + 100 * x); r = PART[0]; free(q);"),
            "p".into(),
            "q".into(),
        ),
        15 => make(
            Check::Track,
            "",
            format!("char *p = malloc({n}); p[0] = x; char *q = realloc(p, 2 * {n}); PART"),
            "if (x == 3) free(q);".into(),
            "free(q);".into(),
        ),
        16 => make(
            deref,
            "",
            format!("char from[20] = {{0}}; char to[{n}]; memcpy(to, from, PART); r = to[0];"),
            format!("x < {k} ? {n} : {n} + 1"),
            n.to_string(),
        ),
        17 => make(
            deref,
            "",
            format!("char *to = malloc({n}); to[0] = 0; memset(to, 0, PART); r = to[0]; free(to);"),
            format!("x + {}", n.saturating_sub(1).max(1)),
            format!("x < {n} ? x : {n}"),
        ),
        18 => make(
            deref,
            "",
            format!(
                "char text[17]; int i = 0; while (i < x) text[i++] = 'a'; text[i] = 0; char to[{n}]; if (PART) strcpy(to, text);"
            ),
            format!("x <= {n}"),
            format!("x < {n}"),
        ),
        19 => make(
            deref,
            "",
            format!(
                "char *text = malloc({n}); memset(text, 'a', {n}); if (PART) text[{n} - 1] = 0; r = strlen(text) > 3; free(text);"
            ),
            format!("x != {k}"),
            "1".into(),
        ),
        20 => make(
            deref,
            "",
            "int *p = 0; int y = 1; if (PART) p = &y; r = *p;".to_owned(),
            format!("x != {k}"),
            format!("x != {k} || y"),
        ),
        21 => make(
            deref,
            "",
            format!("int m = x + 1; {size} a[m]; for (int i = 0; i < m; i++) a[i] = i; r = a[PART];"),
            format!("x == {k} ? m : 0"),
            format!("x == {k} ? m - 1 : 0"),
        ),
        22 => make(
            deref,
            "",
            format!(
                "{size} *a = __builtin_alloca((x + 1) * sizeof({size})); for (int i = 0; PART; i++) a[i] = i; r = a[0];"
            ),
            format!("i <= x + (x == {k})"),
            "i <= x".into(),
        ),
        23 => make(
            deref,
            "",
            "int y = 5; int *p; if (PART) p = &y; r = *p;".to_owned(),
            format!("x != {k}"),
            "x < 99".into(),
        ),
        24 => make(
            deref,
            "struct node { struct node *next; int v; };",
            "struct node *h = 0; for (int i = 0; i < x; i++) { struct node *t = malloc(sizeof *t); t->next = h; t->v = i; h = t; } while (h) { PART }".to_owned(),
            "free(h); h = h->next;".into(),
            "struct node *t = h->next; free(h); h = t;".into(),
        ),
        25 => make(
            Check::Track,
            "struct node { struct node *next; int v; };",
            "struct node *h = 0; for (int i = 0; i < x; i++) { struct node *t = malloc(sizeof *t); t->next = h; t->v = i; h = t; } while (PART) { struct node *t = h->next; free(h); h = t; }".to_owned(),
            format!("h && h->v != {k}"),
            "h".into(),
        ),
        26 => make(
            deref,
            "",
            format!("char *a = calloc({n}, 2); int i = 2 * (x % {n}); r = a[i + PART]; free(a);"),
            "2".into(),
            "1".into(),
        ),
        27 => make(
            deref,
            "int table[5];",
            "int *p = table; int i = x / 3; if (PART) p[i] = 1;".to_owned(),
            "i <= 5".into(),
            "i < 5".into(),
        ),
        28 => make(
            Check::Free,
            "void drop(char **p) { free(*p); }\nvoid drop_all(char **p) { free(*p); *p = 0; }",
            format!("char *p = malloc({n}); PART(&p); if (x < {k}) free(p);"),
            "drop".into(),
            "drop_all".into(),
        ),
        // `exit` leaves the locals of functions that run.
        29 => make(
            Check::Track,
            "void stop(int c) { if (c) exit(0); }",
            format!("char *p = malloc({n}); PART stop(x > {k}); free(p);"),
            "if (x > 3) p = 0;".into(),
            "if (x > 3) *p = 0;".into(),
        ),
        30 => make(
            Check::Track,
            "struct node { struct node *next; int v; };\nvoid stop(int c) { if (c) exit(0); }",
            format!("struct node *h = 0; for (int i = 0; i < x % 4; i++) {{ struct node *t = malloc(sizeof *t); t->next = h; h = t; t = 0; }} PART stop(x > {k}); while (h) {{ struct node *t = h->next; free(h); h = t; }}"),
            "if (h) h = h->next;".into(),
            "if (h) h->v = 1;".into(),
        ),
        31 => make(
            Check::Track,
            "void work(int c, int lost) { char *t[2]; t[0] = malloc(3); t[1] = 0; if (lost) t[0] = t[1]; if (c) exit(0); free(t[0]); }",
            format!("work(x == {k}, 0); work(x > {k}, PART);"),
            format!("x > {k}"),
            "0".into(),
        ),
        _ => make(
            deref,
            "",
            format!(
                "int *p = &r; int i = 0; while (1) {{ int y = i; if (i == x) {{ p = PART; break; }} if (++i > {k}) break; }} r = *p;"
            ),
            "&y".into(),
            "&r".into(),
        ),
    }
}

/// An array of `n` elements somewhere, and what comes after its use.
fn place(random: &mut Random, size: &str, n: u64) -> (String, String) {
    match random.below(5) {
        0 => (format!("{size} a[{n}];"), String::new()),
        1 => (format!("static {size} a[{n}];"), String::new()),
        2 => (format!("int m = {n}; {size} a[m];"), String::new()),
        3 => (format!("{size} *a = __builtin_alloca({n} * sizeof({size}));"), String::new()),
        _ => (format!("{size} *a = malloc({n} * sizeof({size}));"), "free(a);".into()),
    }
}

/// A statement that is always fine.
fn noise(at: u64, random: &mut Random) -> String {
    let a = 1 + random.below(9);
    match random.below(4) {
        0 => format!("    int b{at}[{a}]; b{at}[x % {a}] = x; r += b{at}[x % {a}];\n"),
        1 => format!("    char *h{at} = malloc({a}); h{at}[{a} - 1] = 1; free(h{at});\n"),
        2 => format!("    for (int i{at} = 0; i{at} < {a}; i{at}++) r += i{at};\n"),
        _ => format!("    if (x > {a}) r++; else {{ int y{at} = x; int *z{at} = &y{at}; r += *z{at}; }}\n"),
    }
}

impl Misuse {
    /// The program.
    pub fn text(&self) -> String {
        let head = "typedef unsigned long size_t;\nextern void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);\n\
                    extern void free(void *);\nextern void exit(int);\nextern void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t);\n\
                    extern char *strcpy(char *, const char *);\nextern size_t strlen(const char *);\n\
                    extern unsigned char __VERIFIER_nondet_uchar(void);\n";
        let input = "    int x = __VERIFIER_nondet_uchar() & 15, r = 0;\n";
        format!("{head}{}\nint main(void) {{\n{input}{}    return r == 77;\n}}\n", self.before, self.body)
    }
}

/// What gcc's sanitizers report of each program over all inputs: the kinds of the first reports.
pub fn reported(programs: &[Misuse]) -> Result<Vec<BTreeSet<Check>>, String> {
    let scratch = Scratch::new().map_err(|error| error.to_string())?;
    let mut all = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        let (file, binary) = (scratch.file(&format!("{at}.c")), scratch.file(&format!("{at}")));
        std::fs::write(&file, judged_text(program)).map_err(|error| error.to_string())?;
        let flags = ["-w", "-O0", "-fsanitize=address,null", "-fsanitize-address-use-after-scope"];
        let mut gcc = Command::new("gcc");
        gcc.args(flags).arg("-ftrivial-auto-var-init=pattern").arg("-o").arg(&binary).arg(&file);
        let built = gcc.output().map_err(|error| error.to_string())?;
        if !built.status.success() {
            return Err(format!("{}\n{}", program.text(), String::from_utf8_lossy(&built.stderr)));
        }
        let run = Command::new("timeout")
            .args(["60"])
            .arg(&binary)
            .env("ASAN_OPTIONS", "detect_stack_use_after_return=1")
            .output();
        let text =
            run.map(|run| String::from_utf8_lossy(&run.stderr).into_owned()).map_err(|error| error.to_string())?;
        all.push(text.split("INPUT ").filter_map(kind).collect());
        std::fs::remove_file(&binary).ok();
    }
    Ok(all)
}

/// Each input is tried in a process of its own, and leaks are looked for where the locals of `main` are gone, or where the
/// program exits.
fn judged_text(program: &Misuse) -> String {
    let text = program
        .text()
        .replace("int main(void) {", "static int judged(void) {")
        .replace("__VERIFIER_nondet_uchar()", "input")
        .replace("exit(0)", "left()");
    format!(
        "static int input;\nextern int fork(void), wait(int *);\nextern void _exit(int);\nextern int dprintf(int, const char *, ...);\n\
         extern void __lsan_do_leak_check(void);\n\
         static void scrub(void) {{ volatile char all[20000]; for (int i = 0; i < 20000; i++) all[i] = 0; }}\n\
         static void left(void) {{ scrub(); __lsan_do_leak_check(); _exit(0); }}\n{text}\n\
         int main(void) {{\n    for (input = 0; input < {INPUTS}; input++) {{\n        dprintf(2, \"INPUT %d\\n\", input);\n        \
         if (fork() == 0) {{ judged(); left(); }}\n        wait(0);\n    }}\n    return 0;\n}}\n"
    )
}

/// What a report of the sanitizers is about; `None` if there is none.
pub fn kind(report: &str) -> Option<Check> {
    let says = |words: &[&str]| words.iter().any(|word| report.contains(word));
    if says(&["double-free", "attempting free", "bad-free", "bad-malloc_usable"]) {
        Some(Check::Free)
    } else if says(&["detected memory leaks"]) {
        Some(Check::Track)
    } else if says(&["AddressSanitizer", "null pointer"]) {
        Some(Check::Deref)
    } else {
        None
    }
}
