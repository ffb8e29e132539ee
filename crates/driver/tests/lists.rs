//! Lists of unknown length by their shapes: what is proved, and above all what is not. Every program that is proved has
//! neighbours with a bug, of which an execution must be found.

mod common;

const SINGLE: &str = "struct node { struct node *next; int data; };
    typedef struct node node;
    node *new_node(int data) { node *n = malloc(sizeof *n); n->next = 0; n->data = data; return n; }";

const DOUBLE: &str = "struct node { struct node *next; struct node *prev; int data; };
    typedef struct node node;
    node *new_node(int data) { node *n = malloc(sizeof *n); n->next = n->prev = 0; n->data = data; return n; }";

const PREPEND: &str = "node *list = 0;
    while (__VERIFIER_nondet_int()) { node *n = new_node(1); n->next = list; list = n; }";

const APPEND: &str = "node *list = new_node(1), *end = list;
    while (__VERIFIER_nondet_int()) { end->next = new_node(1); end = end->next; }";

const LINKED: &str = "node *list = new_node(1), *end = list;
    while (__VERIFIER_nondet_int()) { node *n = new_node(1); end->next = n; n->prev = end; end = n; }";

fn proved(types: &str, parts: &[&str]) {
    common::proved("lists", &program(types, parts));
}

fn not_proved(types: &str, parts: &[&str]) {
    common::not_proved("lists", &program(types, parts));
}

/// An execution that reaches the error is found, also without the others.
fn found(types: &str, parts: &[&str]) {
    let source = program(types, parts);
    for model in [cfa::DataModel::Ilp32, cfa::DataModel::Lp64] {
        let verdict = common::verdict("lists", &source, model);
        assert!(matches!(verdict, verdict::Verdict::Unsafe(_)), "{model:?}: {verdict:?}\n{source}");
    }
}

fn program(types: &str, parts: &[&str]) -> String {
    format!("{types}\nint main() {{ {} return 0; }}", parts.join("\n"))
}

#[test]
fn data_of_all_nodes() {
    let all = "for (node *p = list; p; p = p->next) check(p->data == 1);";
    for build in [PREPEND, APPEND] {
        proved(SINGLE, &[build, all]);
        found(SINGLE, &[build, "for (node *p = list; p; p = p->next) check(p->data == 2);"]);
        found(SINGLE, &[build, "if (list && list->next) list->next->data = 2;", all]);
    }
    proved(SINGLE, &[APPEND, "end->data = 1;", all]);
    found(SINGLE, &[APPEND, "end->data = 2;", all]);
    found(SINGLE, &[APPEND, "end->next = new_node(7);", all]);
}

/// As addresses do, at 2^32 here: four bytes on and 2^32 - 4 more is where it began.
#[test]
fn offsets_wrap() {
    let there_and_back = "char *b = malloc(8); char *p = b + 4; unsigned long n = 4294967292UL; p = p + n;";
    proved("", &[there_and_back, "check(p == b);"]);
    let verdict = common::verdict("lists", &program("", &[there_and_back, "check(p != b);"]), cfa::DataModel::Ilp32);
    assert!(!matches!(verdict, verdict::Verdict::Safe(_)), "{verdict:?}");
}

#[test]
fn data_of_the_last_node() {
    let search = "node *p = list; while (p->data == 1) p = p->next; check(p->data == 3);";
    proved(SINGLE, &[APPEND, "end->data = 3;", search]);
    found(SINGLE, &[APPEND, "end->data = 4;", search]);
    found(SINGLE, &[APPEND, "end->next = new_node(2);", search]);
}

#[test]
fn lists_end() {
    proved(SINGLE, &[APPEND, "check(end->next == 0); check(list != 0);"]);
    found(SINGLE, &[APPEND, "check(list->next == 0);"]);
    found(SINGLE, &[APPEND, "check(list->next != 0);"]);
    found(SINGLE, &[PREPEND, "check(list != 0);"]);
    found(SINGLE, &[APPEND, "check(list == end);"]);
    found(SINGLE, &[APPEND, "check(list != end);"]);
    // Three nodes are not two or four.
    found(SINGLE, &[APPEND, "if (list->next && list->next->next) check(list->next->next->next == 0);"]);
    found(SINGLE, &[APPEND, "if (list->next && list->next->next) check(list->next->next->next != 0);"]);
}

#[test]
fn lists_are_changed() {
    let set = "for (node *p = list; p; p = p->next) p->data = 5;";
    proved(SINGLE, &[APPEND, set, "for (node *p = list; p; p = p->next) check(p->data == 5);"]);
    found(SINGLE, &[APPEND, set, "end->data = 1; for (node *p = list; p; p = p->next) check(p->data == 5);"]);
    found(SINGLE, &[APPEND, "for (node *p = list; p->next; p = p->next) p->data = 5;", "check(end->data == 5);"]);
}

#[test]
fn lists_are_reversed_and_freed() {
    let reverse = "node *back = 0; while (list) { node *n = list->next; list->next = back; back = list; list = n; }";
    proved(SINGLE, &[APPEND, reverse, "for (node *p = back; p; p = p->next) check(p->data == 1);"]);
    proved(SINGLE, &[APPEND, reverse, "check(back == end);"]);
    found(SINGLE, &[APPEND, reverse, "check(back->next != 0);"]);
    found(SINGLE, &[APPEND, reverse, "check(end->next == 0);"]);
    let free = "while (list) { node *n = list->next; free(list); list = n; }";
    proved(SINGLE, &[APPEND, free, "check(list == 0);"]);
    found(SINGLE, &[APPEND, free, "check(list != 0);"]);
}

#[test]
fn doubly_linked() {
    let forth = "for (node *p = list; p->next; p = p->next) check(p->next->prev == p);";
    let back = "for (node *p = end; p->prev; p = p->prev) check(p->prev->next == p && p->data == 1);";
    proved(DOUBLE, &[LINKED, forth]);
    proved(DOUBLE, &[LINKED, back]);
    proved(DOUBLE, &[LINKED, "node *p = end; while (p->prev) p = p->prev; check(p == list);"]);
    found(DOUBLE, &[LINKED, "if (list->next) list->next->prev = end;", forth]);
    found(DOUBLE, &[LINKED, "if (list->next) list->next->data = 2;", back]);
    found(DOUBLE, &[LINKED, "if (end->prev) end->prev->next = 0;", back]);
    found(DOUBLE, &[LINKED, "check(end->prev == 0);"]);
    found(DOUBLE, &[LINKED, "check(end->prev == list);"]);
    found(DOUBLE, &[LINKED, "if (list->next) check(list->next == end);"]);
    found(DOUBLE, &[LINKED, "if (end->prev) check(end->prev->prev == 0);"]);
}

#[test]
fn circular() {
    let build = "node *list = new_node(0), *end = list; list->next = list;
        while (__VERIFIER_nondet_int()) { end->next = new_node(1); end = end->next; end->next = list; }";
    let around = "node *p = list->next; while (p->data != 0) { check(p->data == 1); p = p->next; } check(p == list);";
    proved(SINGLE, &[build, around]);
    proved(SINGLE, &[build, "check(end->next == list);"]);
    found(SINGLE, &[build, "check(list->next == list);"]);
    found(SINGLE, &[build, "if (list->next != list) list->next->data = 2;", around]);
    found(SINGLE, &[build, "if (end != list) end->data = 0;", around]);
}

/// Each node has an object of its own; all share one; or each has one or none.
#[test]
fn nodes_with_objects() {
    let types = "struct node { struct node *next; int *own; };
        typedef struct node node;
        int *new_int(int value) { int *p = malloc(4); *p = value; return p; }
        node *new_node(int *own) { node *n = malloc(sizeof *n); n->own = own; n->next = 0; return n; }";
    let each = "node *list = 0;
        while (__VERIFIER_nondet_int()) { node *n = new_node(new_int(1)); n->next = list; list = n; }";
    let all = "for (node *p = list; p; p = p->next) check(*p->own == 1);";
    let differ = "if (list && list->next) check(list->own != list->next->own);";
    proved(types, &[each, all]);
    proved(types, &[each, differ]);
    // A change of one must not be seen in the others, nor lost.
    proved(types, &[each, "if (list && list->next) { *list->own = 2; check(*list->next->own == 1); }"]);
    found(types, &[each, "if (list && list->next) { *list->next->own = 2; }", all]);
    let shared = "int *one = new_int(1); node *list = 0;
        while (__VERIFIER_nondet_int()) { node *n = new_node(one); n->next = list; list = n; }";
    proved(types, &[shared, all]);
    found(types, &[shared, differ]);
    found(types, &[shared, "if (list) *list->own = 2;", all]);
    found(types, &[shared, "if (list && list->next) { *list->own = 2; check(*list->next->own == 1); }"]);
    let some = "node *list = 0; while (__VERIFIER_nondet_int()) {
            node *n = new_node(__VERIFIER_nondet_int() ? new_int(1) : 0); n->next = list; list = n; }";
    proved(types, &[some, "for (node *p = list; p; p = p->next) if (p->own) check(*p->own == 1);"]);
    found(types, &[some, "for (node *p = list; p; p = p->next) check(p->own != 0);"]);
    found(types, &[some, "for (node *p = list; p; p = p->next) check(p->own == 0);"]);
}

/// While a loop walks through what one node has for itself, the others are folded all the same.
#[test]
fn lists_of_lists() {
    let types = "struct node { struct node *next, *inner; int data; };
        typedef struct node node;
        node *new_node(node *next, node *inner) {
            node *n = malloc(sizeof *n); n->next = next; n->inner = inner; n->data = 1; return n; }";
    let lists = "node *list = 0; while (__VERIFIER_nondet_int()) {
            node *inner = 0; while (__VERIFIER_nondet_int()) inner = new_node(inner, 0);
            list = new_node(list, inner); }";
    let walk = |claim: &str| {
        format!("for (node *n = list; n; n = n->next) for (node *p = n->inner; p; p = p->next) {{ {claim} }}")
    };
    proved(types, &[lists, &walk("check(p->data == 1);")]);
    found(types, &[lists, &walk("check(p->next == 0);")]);
    let at_most_one = "node *list = 0; while (__VERIFIER_nondet_int())
            list = new_node(list, __VERIFIER_nondet_int() ? new_node(0, 0) : 0);";
    let count = |claim: &str| {
        format!(
            "for (node *n = list; n; n = n->next) {{
                int many = 0; for (node *p = n->inner; p; p = p->inner) {{ many++; {claim} }} check(many < 2); }}"
        )
    };
    let free_all = "while (list) { node *n = list->next; free(list->inner); free(list); list = n; }";
    proved(types, &[at_most_one, &count("check(p->data == 1);"), free_all]);
    found(types, &[at_most_one, &count("check(p->next != 0);")]);
    found(types, &[at_most_one, "if (list && list->inner) list->inner->inner = new_node(0, 0);", &count("")]);
}

/// Errors that take a list of a certain length, where its path was folded, and data that fits.
#[test]
fn errors_that_take_several_rounds() {
    let count = "int count = 0; for (node *p = list; p; p = p->next) count++;";
    found(SINGLE, &[APPEND, count, "check(count != 4);"]);
    found(SINGLE, &[PREPEND, count, "int wanted = __VERIFIER_nondet_int(); if (wanted > 2) check(count != wanted);"]);
    // The two conditions exclude each other, so the first path to the error is none.
    let both = "int x = __VERIFIER_nondet_int(); if (x > 5) list->data = 7; if (x < 3 && list->data == 7) check(0);";
    not_proved(SINGLE, &[APPEND, both]);
    found(SINGLE, &[APPEND, both, "if (x == 9 && list->next && list->data == 7) check(0);"]);
}

#[test]
fn what_is_not_followed_is_not_proved() {
    not_proved(SINGLE, &[APPEND, "node *p; p->data = 2; check(list->data == 1);"]);
    not_proved(SINGLE, &[APPEND, "free(list); check(list->data == 1);"]);
    not_proved(SINGLE, &[APPEND, "*((char *)end + __VERIFIER_nondet_int()) = 2; check(list->data == 1);"]);
    not_proved(SINGLE, &[APPEND, "memset(end, 0, 4 + __VERIFIER_nondet_int() % 4); check(end->data == 1);"]);
}

#[test]
fn offsets_wrap_as_addresses_do() {
    let twice_half = "char *p = (char *)list; p += 0x80000000ul; p += 0x80000000ul;";
    proved(SINGLE, &[APPEND, twice_half, "check(p == (char *)list);"]);
}
