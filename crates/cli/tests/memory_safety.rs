//! What counts as an invalid access, an invalid free, lost memory and memory that is left: one small program for each corner,
//! all of whose executions are alike. gcc's sanitizers judge each of them, too.

mod command;

use command::{argonaut, file};
use std::process::Command;

const HEADER: &str = "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n";
const TRUE: &str = "Verdict: TRUE";

/// What a sanitizer says, and the verdict that goes with it.
#[derive(Clone, Copy)]
enum Judged {
    /// Nothing.
    Fine,
    /// One of these words.
    Deref(&'static str),
    Free(&'static str),
    Lost,
}

impl Judged {
    fn verdict(self) -> &'static str {
        match self {
            Judged::Fine => TRUE,
            Judged::Deref(_) => "Verdict: FALSE (valid-deref)",
            Judged::Free(_) => "Verdict: FALSE (valid-free)",
            Judged::Lost => "Verdict: FALSE (valid-memtrack)",
        }
    }
}

fn property(name: &str, formulas: &[&str]) -> String {
    let lines = formulas.iter().map(|formula| format!("CHECK( init(main()), LTL(G {formula}) )\n"));
    file(&format!("memory-{name}.prp"), lines.collect::<String>())
}

fn check(name: &str, body: &str, judged: Judged) {
    let path = file(&format!("memory-{name}.c"), format!("{HEADER}{body}\n"));
    let said = sanitizers(&path, "detect_leaks=1", &[]);
    match judged {
        Judged::Fine => assert_eq!(said, "", "{name}"),
        Judged::Deref(word) | Judged::Free(word) => assert!(said.contains(word), "{name}: {said}"),
        Judged::Lost => assert!(said.contains("detected memory leaks"), "{name}: {said}"),
    }
    let property = property(name, &["valid-free", "valid-deref", "valid-memtrack"]);
    verdict(&path, &property, judged.verdict());
}

fn check_cleanup(name: &str, body: &str, clean: bool) {
    let path = file(&format!("memory-{name}.c"), format!("{HEADER}{body}\n"));
    // Without roots, all that is not freed is lost.
    let roots = "use_globals=0:use_stacks=0:use_registers=0:use_tls=0";
    let said = sanitizers(&path, "detect_leaks=1", &[("LSAN_OPTIONS", roots)]);
    assert_eq!(said.contains("detected memory leaks"), !clean, "{name}: {said}");
    let property = property(name, &["valid-memcleanup"]);
    verdict(&path, &property, if clean { TRUE } else { "Verdict: FALSE (valid-memcleanup)" });
}

fn verdict(path: &str, property: &str, expected: &str) {
    let run = argonaut(&["verify", "--quiet", "--time-limit", "60s", "--property", property, path]);
    assert!(run.verdict().starts_with(expected), "{path}: expected {expected}\n{}{}", run.out, run.err);
}

/// What shapes alone say of a program, and whether gcc's sanitizers confirm it.
fn by_shapes(name: &str, body: &str, formulas: &[&str], expected: &str) {
    by("lists", name, body, formulas, expected);
}

/// What one analysis says, and whether gcc's sanitizers confirm it.
fn by(analysis: &str, name: &str, body: &str, formulas: &[&str], expected: &str) {
    let name = format!("{analysis}-{name}");
    let path = file(&format!("{name}.c"), format!("{HEADER}{body}\n"));
    let property = property(&name, formulas);
    let args = ["verify", "--analysis", analysis, "--confirm", "--time-limit", "60s", "--property", &property, &path];
    let run = argonaut(&args);
    assert!(run.verdict().starts_with(expected), "{name}: expected {expected}\n{}{}", run.out, run.err);
    assert_eq!(run.out.contains("\nconfirmed: "), expected.contains("FALSE"), "{name}: {}", run.out);
}

/// What ended is told from what lives, wherever formulas put the two.
#[test]
fn formulas_know_which_objects_live() {
    let main =
        "extern int __VERIFIER_nondet_int(void); int main(void) { int n = __VERIFIER_nondet_int(); char z, *p = &z;";
    let rows = [
        ("freed", "if (n) { p = malloc(1); free(p); } *p = 2; return 0; }", "Verdict: FALSE (valid-deref)"),
        ("back", "if (n) { p = malloc(1); free(p); p = &z; } *p = 2; return 0; }", TRUE),
        ("scope", "if (n) { char y; p = &y; *p = 1; } *p = 2; return 0; }", "Verdict: FALSE (valid-deref)"),
    ];
    for (name, body, expected) in rows {
        for analysis in ["pred", "impact", "k-induction", "bmc", "symbolic-execution"] {
            by(analysis, name, &format!("{main} {body}"), &["valid-deref"], expected);
        }
    }
}

#[test]
fn shapes_find_errors_of_lists() {
    let list = "struct node { struct node *next; int data; };
        extern int __VERIFIER_nondet_int(void);
        int main(void) { struct node *list = 0;
          while (__VERIFIER_nondet_int()) { struct node *n = malloc(sizeof *n); n->next = list; n->data = 1; list = n; }";
    let safety = ["valid-free", "valid-deref", "valid-memtrack"];
    let free = "while (list) { struct node *n = list->next; free(list); list = n; }";
    let rows = [
        ("freed", format!("{list} {free} return 0; }}"), TRUE),
        ("lost", format!("{list} if (list) list = list->next; {free} return 0; }}"), "Verdict: FALSE (valid-memtrack)"),
        ("null", format!("{list} return list->data; }}"), "Verdict: FALSE (valid-deref)"),
        (
            "dead",
            format!("{list} struct node *kept = list ? list->next : 0; {free} return kept ? kept->data : 0; }}"),
            "Verdict: FALSE (valid-deref)",
        ),
        (
            "twice",
            format!(
                "{list} struct node *kept = list; {free} if (__VERIFIER_nondet_int() == 77) free(kept); return 0; }}"
            ),
            "Verdict: FALSE (valid-free)",
        ),
        (
            "inside",
            format!("{list} if (list && list->next) {{ free(&list->next->data); return 0; }} {free} return 0; }}"),
            "Verdict: FALSE (valid-free)",
        ),
    ];
    for (name, body, expected) in rows {
        by_shapes(name, &body, &safety, expected);
    }
    by_shapes(
        "kept",
        "int *kept; int main(void) { kept = malloc(4); *kept = 1; return 0; }",
        &["valid-memcleanup"],
        "Verdict: FALSE (valid-memcleanup)",
    );
}

/// Where the program ends by another way than a return of `main`, the sanitizer is told to look.
#[test]
fn lost_memory_is_confirmed_wherever_the_program_ends() {
    let ends = ["abort();", "_exit(3);", "exit(3);", "__VERIFIER_error();", "__assert_fail(\"\", \"\", 1, \"\");", ""];
    let declared = "extern void abort(void), _exit(int), exit(int), __VERIFIER_error(void);
        extern void __assert_fail(const char *, const char *, unsigned, const char *);";
    for (at, end) in ends.iter().enumerate() {
        // The variable of `lose` is gone with its frame, and the others keep what they point to.
        let lose = "void lose(void) { int *q = malloc(8); *q = 1; }";
        let body =
            format!("{declared} {lose} int *kept; int main(void) {{ kept = malloc(4); lose(); {end} return 0; }}");
        by_shapes(&format!("track-{at}"), &body, &["valid-memtrack"], "Verdict: FALSE (valid-memtrack)");
        by_shapes(&format!("cleanup-{at}"), &body, &["valid-memcleanup"], "Verdict: FALSE (valid-memcleanup)");
    }
}

/// Common variables, sizes that no object can have, and what a frame that is gone left on the stack.
#[test]
fn what_sanitizers_overlook_by_default_is_confirmed() {
    let deref = ["valid-deref"];
    let common =
        "struct s { char c[4]; }; struct s d; int main(void) { char a[5]; int n = 5; memcpy(a, &d, n); return a[0]; }";
    by_shapes("common", common, &deref, "Verdict: FALSE (valid-deref)");
    let large = "int main(void) { unsigned long n = -1ul; int *p = malloc(n / 2 + 2); return *p; }";
    by_shapes("large", large, &deref, "Verdict: FALSE (valid-deref)");
    let left = "char *f(void) { char *p = malloc(16); return p ? p + 4 : 0; } void g(void) { char *p = f(); }
        int main(void) { g(); return 0; }";
    by_shapes("left", left, &["valid-memtrack"], "Verdict: FALSE (valid-memtrack)");
}

/// What gcc's sanitizers report of the program.
fn sanitizers(path: &str, options: &str, environment: &[(&str, &str)]) -> String {
    let binary = format!("{path}.out");
    // The sanitizer of undefined behaviour brings a library along that keeps memory of its own.
    let which = if environment.is_empty() { "-fsanitize=address,undefined" } else { "-fsanitize=address" };
    let flags = ["-g", "-O0", "-w", which, "-fsanitize-address-use-after-scope"];
    let output = Command::new("gcc").args(flags).args([path, "-o", &binary]).output().expect("gcc is installed");
    assert!(output.status.success(), "{path}: {}", String::from_utf8_lossy(&output.stderr));
    let mut run = Command::new(&binary);
    run.env("ASAN_OPTIONS", format!("{options}:detect_stack_use_after_return=1"));
    let output = run.envs(environment.iter().copied()).output().expect("gcc's program runs");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn accesses() {
    use Judged::*;
    check("last", "int main(void) { int a[10]; int *p = a + 9; *p = 1; return 0; }", Fine);
    check("behind", "int main(void) { int a[10]; int *p = a + 10; *p = 1; return 0; }", Deref("stack-buffer-overflow"));
    check("odd", "int main(void) { int a[10]; int *p = a + 10; p = p - 1; *p = 1; return p > a ? 0 : 1; }", Fine);
    check(
        "heap",
        "int main(void) { char *p = malloc(4); int i = 4; p[i] = 1; free(p); return 0; }",
        Deref("heap-buffer-overflow"),
    );
    check(
        "before",
        "int main(void) { char *p = malloc(4); int i = -1; char c = p[i]; free(p); return c; }",
        Deref("heap-buffer-overflow"),
    );
    check("freed", "int main(void) { int *p = malloc(4); *p = 1; free(p); return *p; }", Deref("heap-use-after-free"));
    check("null", "int main(void) { int *p = 0; return *p; }", Deref("null pointer"));
    check(
        "half",
        "int main(void) { char *p = malloc(6); long *q = (long *)p; long x = *q; free(p); return x; }",
        Deref("heap-buffer-overflow"),
    );
    check(
        "returned",
        "int *f(void) { int x = 1; int *p = &x; return p; } int main(void) { int *p = f(); return *p; }",
        Deref("stack-use-after-return"),
    );
    check(
        "moved",
        "int main(void) { int *p = malloc(8); int *q = realloc(p, 4000); int x = *p; free(q); return x; }",
        Deref("heap-use-after-free"),
    );
    check(
        "shrunk",
        "int main(void) { char *p = malloc(8); p = realloc(p, 4); p[4] = 1; free(p); return 0; }",
        Deref("heap-buffer-overflow"),
    );
}

#[test]
fn accesses_of_library_functions() {
    use Judged::*;
    check(
        "copy",
        "int main(void) { char a[4], b[5] = {0}; int n = 5; memcpy(a, b, n); return 0; }",
        Deref("stack-buffer-overflow"),
    );
    check(
        "nothing",
        "int main(void) { char a[4]; int n = 0; char *end = a + 4; memcpy(end, end, n); return 0; }",
        Fine,
    );
    check(
        "fill",
        "int main(void) { char *p = malloc(4); memset(p, 0, 5); free(p); return 0; }",
        Deref("heap-buffer-overflow"),
    );
    check(
        "unended",
        "int main(void) { char a[3] = {'a', 'b', 'c'}; char *p = a; return strlen(p) == 3; }",
        Deref("stack-buffer-overflow"),
    );
    check("string", "int main(void) { char a[4]; strcpy(a, \"abc\"); return strlen(a) - 3; }", Fine);
    check("too-long", "int main(void) { char a[4]; strcpy(a, \"abcd\"); return 0; }", Deref("stack-buffer-overflow"));
}

#[test]
fn frees() {
    use Judged::*;
    check("free-null", "int main(void) { free(0); return 0; }", Fine);
    check("free-empty", "int main(void) { void *p = malloc(0); free(p); return 0; }", Fine);
    check("twice", "int main(void) { int *p = malloc(4); free(p); free(p); return 0; }", Free("double-free"));
    check("inner", "int main(void) { char *p = malloc(4); free(p + 1); return 0; }", Free("not malloc()-ed"));
    check("stack", "int main(void) { int x; int *p = &x; free(p); return 0; }", Free("not malloc()-ed"));
    check("global", "int g; int main(void) { int *p = &g; free(p); return 0; }", Free("not malloc()-ed"));
    check(
        "resize-freed",
        "int main(void) { int *p = malloc(4); free(p); p = realloc(p, 8); return 0; }",
        Free("double-free"),
    );
}

#[test]
fn leaks() {
    use Judged::*;
    check("overwritten", "int main(void) { int *p = malloc(4); p = malloc(4); free(p); return 0; }", Lost);
    check("kept", "int *g; int main(void) { g = malloc(4); return 0; }", Fine);
    check("kept-inside", "char *g; int main(void) { g = malloc(4); g = g + 2; return 0; }", Fine);
    check("kept-by-chain", "char **g; int main(void) { g = malloc(8); *g = malloc(1); return 0; }", Fine);
    check(
        "chain-broken",
        "char **g; int main(void) { g = malloc(8); *g = malloc(1); free(g); g = 0; return 0; }",
        Lost,
    );
    check("freed-all", "int main(void) { int *p = malloc(4); free(p); return 0; }", Fine);
}

#[test]
fn what_is_left() {
    check_cleanup("left", "int *g; int main(void) { g = malloc(4); return 0; }", false);
    check_cleanup("left-by-exit", "int *g; int main(void) { g = malloc(4); exit(0); }", false);
    check_cleanup("nothing-left", "int *g; int main(void) { g = malloc(4); free(g); exit(0); }", true);
    check_cleanup("resized", "int main(void) { int *p = malloc(4); p = realloc(p, 8); free(p); return 0; }", true);
}

#[test]
fn ends_of_scopes() {
    use Judged::*;
    check("scope", "int main(void) { int *p; { int x = 1; p = &x; } return *p; }", Deref("stack-use-after-scope"));
    check(
        "scope-by-break",
        "int main(void) { int *p = 0; while (1) { int x = 1; p = &x; break; } return *p; }",
        Deref("stack-use-after-scope"),
    );
    check(
        "scope-of-loop",
        "int main(void) { int s = 0; for (int i = 0; i < 3; i++) { int x = i; int *p = &x; s += *p; }
        return s - 3; }",
        Fine,
    );
    check(
        "scope-of-switch",
        "int f(int *p) { return *p; } int main(void) { int s = 0;
        for (int i = 0; i < 3; i++) switch (i) { int x; default: x = i; s += f(&x); } return s - 3; }",
        Fine,
    );
    check(
        "alloca",
        "char *f(void) { char *p = __builtin_alloca(4); p[0] = 1; return p; }
        int main(void) { int n = 4; char a[n]; a[3] = 1; return a[3] - 1; }",
        Fine,
    );
}

/// What callers know of a buffer's size, a nested loop and a pointer that steps through a copy.
#[test]
fn buffers_of_any_size() {
    let inputs = "extern int __VERIFIER_nondet_int(void); extern char __VERIFIER_nondet_char(void);\n";
    let shrink = "void shrink(int a[], int n) { for (int i = 0; i < n; i++) while (a[i] < 0) a[i]++; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n >= 500000000) n = 1;
        int *a = __builtin_alloca(n * sizeof(int)); for (int k = 0; k < n; k++) a[k] = __VERIFIER_nondet_int();
        shrink(a, n); return 0; }";
    let step = "void walk(const char *s) { const char *p = s; while (*p++) ; }
        int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1) n = 1; char *text = __builtin_alloca(n);
        for (int i = 0; i < n - 1; i++) text[i] = __VERIFIER_nondet_char(); text[n - 1] = 0; walk(text); return 0; }";
    let property = property("any-size", &["valid-deref"]);
    for (name, body) in [("shrink", shrink), ("step", step)] {
        let path = file(&format!("memory-any-size-{name}.c"), format!("{inputs}{body}\n"));
        verdict(&path, &property, TRUE);
        let broken = body.replace("i < n; i++) while", "i <= n; i++) while").replace("text[n - 1] = 0;", "");
        let path = file(&format!("memory-any-size-{name}-broken.c"), format!("{inputs}{broken}\n"));
        verdict(&path, &property, "Verdict: FALSE (valid-deref)");
    }
}

/// An address that is computed from those of several objects belongs to the one that it leads to.
#[test]
fn links_that_are_sums_of_two_addresses() {
    let list = "struct n { size_t link; int v; };
        struct n *step(struct n *last, struct n *at) { return (struct n *)(at->link ^ (size_t)last); }
        int main(void) { struct n *head = 0, *tail = 0, *last = 0, *at; int sum = 0;
        for (int i = 0; i < 3; i++) { struct n *x = malloc(sizeof *x); x->v = i; x->link = (size_t)tail;
        if (tail) tail->link ^= (size_t)x; else head = x; tail = x; }
        for (at = head; at; ) { struct n *next = step(last, at); sum += at->v; last = at; at = next; }
        for (last = 0, at = head; at; ) { struct n *next = step(last, at); FREE last = at; at = next; }
        free(last); return sum - 3; }";
    let fine = file("memory-xor-list.c", format!("{HEADER}{}\n", list.replace("FREE", "if (last) free(last);")));
    assert_eq!(sanitizers(&fine, "detect_leaks=1", &[]), "");
    let property = property("xor-list", &["valid-free", "valid-deref", "valid-memtrack"]);
    let run = argonaut(&["verify", "--quiet", "--time-limit", "5s", "--property", &property, &fine]);
    assert!(!run.verdict().starts_with("Verdict: FALSE"), "{}{}", run.out, run.err);
    check("xor-list-broken", &list.replace("FREE", "free(at);"), Judged::Free("double-free"));
}

/// gcc lets programs use names that begin with `$`, as those of hidden parameters do.
#[test]
fn names_like_our_own() {
    let body = "struct s { int v, w; }; int f(struct s *$result) { return $result->w; }
        int main(void) { struct s *p = malloc(4); int r = f(p); free(p); return r != r; }";
    check("dollar", body, Judged::Deref("heap-buffer-overflow"));
}
