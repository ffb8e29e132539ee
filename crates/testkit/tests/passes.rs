//! Passes over the automata against runs of the interpreter.

use cfa::DataModel;
use testkit::{csmith, passes};

fn check(text: &str) {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        passes::check(text, model).unwrap_or_else(|how| panic!("{model:?}: {how}\n{text}"));
    }
}

#[test]
fn pointers_through_memory_and_integers() {
    check(
        "struct s { int a; int *p; struct s *next; } x, y; int g, h, v[10];
         void set(int **where, int *what) { *where = what; }
         int main(void) {
             struct s copy;
             x.p = &g; y.next = &x; set(&y.p, &h);
             copy = y;
             *copy.next->p = 1; *copy.p = 2;
             unsigned long n = (unsigned long)v; n += 8; *(int *)n = 3;
             for (int *q = v; q < v + 10; q++) *q += 1;
             char *from = (char *)&x.p, *to = (char *)&y.p;
             for (int i = 0; i < (int)sizeof(int *); i++) to[i] = from[i];
             *y.p = 7;
             return g + h + v[2];
         }",
    );
}

#[test]
fn functions_through_tables() {
    check(
        "int one(int x) { return x + 1; } int two(int x) { return x * 2; }
         struct ops { int (*f)(int); int (*g)(int); } table[2] = { { one, two }, { two, one } };
         int main(void) {
             int s = 0;
             for (int i = 0; i < 2; i++) s += table[i].f(i) * table[1 - i].g(s);
             return s;
         }",
    );
}

#[test]
fn heap_lists() {
    check(
        "void *malloc(unsigned long); void free(void *);
         struct n { struct n *next; int v; } *head; int sum;
         int main(void) {
             for (int i = 0; i < 5; i++) { struct n *p = malloc(sizeof *p); p->next = head; p->v = i; head = p; }
             while (head) { struct n *p = head; sum += p->v; head = p->next; free(p); }
             return sum;
         }",
    );
}

#[test]
fn random_programs() {
    if !csmith::is_available() {
        println!("skipped: csmith is not installed");
        return;
    }
    for seed in [2, 3, 11] {
        passes::check_csmith(seed, DataModel::Lp64).unwrap_or_else(|how| panic!("seed {seed}: {how}"));
    }
}
