//! Arrays by distinguished cells: what is proved, and above all what is not.

mod common;

fn proved(body: &str) {
    common::proved("cells", body);
}

fn not_proved(body: &str) {
    common::not_proved("cells", body);
}

#[test]
fn whole_arrays() {
    proved(
        "int a[100000];
         int main() {
             for (int i = 0; i < 100000; i++) a[i] = 42;
             for (int x = 0; x < 100000; x++) check(a[x] == 42);
         }",
    );
    proved(
        "int main() {
             int n = __VERIFIER_nondet_int();
             if (n < 1 || n > 1000000) return 0;
             int *a = malloc(n * sizeof(int));
             for (int i = 0; i < n; i++) a[i] = i;
             for (int i = 0; i < n; i++) check(a[i] >= i);
         }",
    );
}

#[test]
fn several_arrays() {
    proved(
        "int a[1000], b[1000];
         int main() {
             for (int i = 0; i < 1000; i++) a[i] = __VERIFIER_nondet_int();
             for (int i = 0; i < 1000; i++) b[i] = a[i];
             for (int i = 0; i < 1000; i++) check(b[i] == a[i]);
         }",
    );
}

#[test]
fn conditions_on_the_index() {
    proved(
        "int a[1000], b[1000];
         int main() {
             for (int i = 0; i < 1000; i += 2) { a[i] = __VERIFIER_nondet_int(); if (a[i] == 10) b[i] = 20; }
             for (int i = 0; i < 1000; i += 2) if (a[i] == 10) check(b[i] == 20);
         }",
    );
}

/// What is true from the second iteration on.
#[test]
fn writes_ahead() {
    proved(
        "int main() {
             int n = __VERIFIER_nondet_int();
             if (n < 2 || n > 100000) return 0;
             int *a = malloc(n * sizeof(int));
             for (int i = n - 2; i >= 0; i--) { a[i] = i; a[i + 1] = i + 1; }
             for (int i = 0; i < n; i++) check(a[i] >= i);
         }",
    );
    not_proved(
        "int main() {
             int n = __VERIFIER_nondet_int();
             if (n < 1 || n > 100000) return 0;
             int *a = malloc(n * sizeof(int));
             for (int i = n - 2; i >= 0; i--) { a[i] = i; a[i + 1] = i + 1; }
             for (int i = 0; i < n; i++) check(a[i] >= i);
         }",
    );
}

/// The array itself need not fit into the address space.
#[test]
fn large_arrays() {
    proved(
        "int main() {
             int n = 1000;
             int a[n][n][n];
             for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) a[i][j][k] = 7;
             for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) check(a[i][j][k] == 7);
         }",
    );
}

/// To give up where another element than the guessed one is read would lose these errors.
#[test]
fn reads_of_other_elements_matter() {
    not_proved(
        "int a[100];
         int main() {
             int seen = 0;
             for (int i = 0; i < 100; i++) a[i] = i;
             for (int i = 0; i < 100; i++) if (a[i] == 5) seen = 1;
             check(!seen);
         }",
    );
    not_proved(
        "int a[100];
         int main() {
             a[3] = 1;
             for (int i = 0; i < 100; i++) { int x = a[3]; check(a[i] >= x || i != 50); }
         }",
    );
    not_proved(
        "int a[100], b[100];
         int main() {
             for (int i = 0; i < 100; i++) b[i] = 99 - i;
             a[b[20]] = 1;
             for (int i = 0; i < 100; i++) check(a[i] == 0);
         }",
    );
}

/// The cell must stay where it is, whatever happens to the variables that its index came from.
#[test]
fn indices_that_change() {
    not_proved(
        "int a[100]; int n = 10;
         int main() {
             for (int i = 0; i < 10; i++) a[n - i] = 1;
             n = 50;
             for (int i = 0; i < 10; i++) check(a[n - i] == 1);
         }",
    );
    not_proved(
        "int a[100];
         int main() {
             for (int i = 0; i < 99; i++) a[i] = 1;
             for (int i = 0; i < 100; i++) check(a[i] == 1);
         }",
    );
    not_proved(
        "int a[300];
         int main() {
             for (int i = 0; i < 300; i++) { unsigned char small = i; a[small] = i; }
             for (int i = 0; i < 300; i++) check(a[i] == i);
         }",
    );
}

#[test]
fn other_ways_to_write() {
    not_proved(
        "int a[100];
         int main() {
             int *p = a + 7;
             *p = 1;
             for (int i = 0; i < 100; i++) check(a[i] == 0);
         }",
    );
    not_proved(
        "int a[100];
         int main() {
             for (int i = 0; i < 100; i++) a[i] = 1;
             memset(a + 3, 0, 8);
             for (int i = 0; i < 100; i++) check(a[i] == 1);
         }",
    );
    not_proved(
        "int a[100];
         int main() {
             for (int i = 0; i < 100; i++) a[i] = 1;
             ((char *)a)[13] = 1;
             for (int i = 0; i < 100; i++) check(a[i] == 1);
         }",
    );
    not_proved(
        "int a[4] = {0, 0, 1, 0};
         int main() { for (int i = 0; i < 4; i++) check(a[i] == 0); }",
    );
}

#[test]
fn arrays_that_are_several() {
    not_proved(
        "static void fill(int *p, int value) { for (int i = 0; i < 50; i++) p[i] = value; }
         int a[50], b[50];
         int main() {
             fill(a, 1); fill(b, 2);
             for (int i = 0; i < 50; i++) check(a[i] == b[i]);
         }",
    );
    not_proved(
        "static int last(int n) {
             int a[10];
             for (int i = 0; i < 10; i++) a[i] = n;
             if (n > 0) last(n - 1);
             for (int i = 0; i < 10; i++) check(a[i] == 0);
             return 0;
         }
         int main() { last(3); }",
    );
    not_proved(
        "int *rows[10];
         int main() {
             for (int r = 0; r < 10; r++) {
                 int *row = malloc(5 * sizeof(int));
                 for (int i = 0; i < 5; i++) row[i] = r;
                 rows[r] = row;
             }
             for (int i = 0; i < 5; i++) check(rows[0][i] == 9);
         }",
    );
    not_proved(
        "static void twice(int n) {
             int a[10];
             if (n) for (int i = 0; i < 10; i++) a[i] = 1;
             for (int i = 0; i < 10; i++) check(a[i] == 1);
         }
         int main() { twice(1); twice(0); }",
    );
}

#[test]
fn several_dimensions() {
    proved(
        "int main() {
             int m = 100, n = 150, c = __VERIFIER_nondet_int();
             int a[m][n];
             for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] = c;
             for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) check(a[i][j] == c);
         }",
    );
    proved(
        "int a[100][100], b[100][100];
         int main() {
             for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) a[i][j] = __VERIFIER_nondet_int();
             for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) b[j][i] = a[i][j];
             for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) check(b[j][i] == a[i][j]);
         }",
    );
}

/// Indices that differ may be the same place, and the last row or column may be left out.
#[test]
fn several_dimensions_with_errors() {
    not_proved(
        "int main() {
             int m = 8, n = 16, c = __VERIFIER_nondet_int();
             int a[m][n];
             for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i][j] = c;
             int *flat = &a[0][0];
             flat[17] = c + 1;
             for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) check(a[i][j] == c);
         }",
    );
    not_proved(
        "int main() {
             int m = 8, n = 16;
             int a[m * n];
             for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) a[i * 16 + j] = i;
             for (int i = 0; i < m - 1; i++) for (int j = 0; j <= n; j++) check(a[i * 16 + j] == i);
         }",
    );
    not_proved(
        "int a[100][100];
         int main() {
             for (int i = 0; i < 100; i++) for (int j = 0; j < 99; j++) a[i][j] = 1;
             for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) check(a[i][j] == 1);
         }",
    );
    not_proved(
        "int a[100][100], b[100][100];
         int main() {
             for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) a[i][j] = __VERIFIER_nondet_int();
             for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) b[j][i] = a[i][j];
             for (int i = 0; i < 100; i++) for (int j = 0; j < 100; j++) check(b[i][j] == a[i][j]);
         }",
    );
    not_proved(
        "int a[400];
         int main() {
             for (unsigned char i = 0; i < 200; i++) a[(unsigned char)(i * 2)] = i;
             for (int i = 0; i < 100; i++) check(a[i * 2] == i);
         }",
    );
}

/// An arbitrary value in the place of an address would lead nowhere, and the write through it would be lost.
#[test]
fn arrays_of_addresses() {
    not_proved(
        "struct bits { short f : 7; unsigned g : 8; int : 0; int h : 14; unsigned k : 2; signed char plain; }
             __attribute__((packed));
         int main() {
             unsigned x = __VERIFIER_nondet_int() & 3, y = __VERIFIER_nondet_int() & 7;
             struct bits b = {0, -1, 0x40, 0, 0x40};
             unsigned char *t[3] = {(unsigned char *)&b.plain, (unsigned char *)&b.plain, (unsigned char *)&b.plain};
             t[(unsigned char)(y * 256 + 258)][0] = x * 214 + 40;
             b.h += t[(unsigned char)(y * 1024 + 257)][0];
             check(b.plain != -44);
         }",
    );
    not_proved(
        "int g;
         unsigned t[100];
         int main() {
             for (int i = 0; i < 100; i++) t[i] = (unsigned)&g;
             for (int i = 0; i < 100; i++) *(int *)t[i] = 1;
             check(g == 0);
         }",
    );
}

/// The error is reached after more steps than a run usually takes.
#[test]
fn runs_through_large_arrays() {
    let source = "int a[300000];
         int main() {
             for (int i = 0; i < 300000; i++) a[i] = __VERIFIER_nondet_int();
             for (int i = 0; i < 300000; i++) if (i != 150000) a[i] = 1;
             for (int i = 0; i < 300000; i++) check(a[i] == 1);
         }";
    let verdict = common::verdict("random", source, cfa::DataModel::Ilp32);
    assert!(matches!(verdict, verdict::Verdict::Unsafe(_)), "{verdict:?}");
}
