//! Functions that generated programs may call: those of the C library, by prototype, and small ones of their own.

use cfa::DataModel;

/// Names and prototypes; `SIZE` stands for the data model's `size_t`. Headers would cost a preprocessor for each run.
const LIBRARY: &[(&str, &str)] = &[
    ("reach_error", "extern void reach_error(void);"),
    ("__VERIFIER_nondet_uchar", "extern unsigned char __VERIFIER_nondet_uchar(void);"),
    ("__VERIFIER_nondet_uint", "extern unsigned __VERIFIER_nondet_uint(void);"),
    ("__VERIFIER_nondet_int", "extern int __VERIFIER_nondet_int(void);"),
    ("__VERIFIER_nondet_short", "extern short __VERIFIER_nondet_short(void);"),
    ("printf", "extern int printf(const char *, ...);"),
    ("malloc", "extern void *malloc(SIZE);"),
    ("calloc", "extern void *calloc(SIZE, SIZE);"),
    ("realloc", "extern void *realloc(void *, SIZE);"),
    ("free", "extern void free(void *);"),
    ("memcpy", "extern void *memcpy(void *, const void *, SIZE);"),
    ("memmove", "extern void *memmove(void *, const void *, SIZE);"),
    ("memset", "extern void *memset(void *, int, SIZE);"),
    ("memcmp", "extern int memcmp(const void *, const void *, SIZE);"),
    ("memchr", "extern void *memchr(const void *, int, SIZE);"),
    ("strlen", "extern SIZE strlen(const char *);"),
    ("strcpy", "extern char *strcpy(char *, const char *);"),
    ("strncpy", "extern char *strncpy(char *, const char *, SIZE);"),
    ("strcat", "extern char *strcat(char *, const char *);"),
    ("strcmp", "extern int strcmp(const char *, const char *);"),
    ("strncmp", "extern int strncmp(const char *, const char *, SIZE);"),
    ("strchr", "extern char *strchr(const char *, int);"),
];

/// What the text calls, declared.
pub(super) fn prototypes(text: &str, model: DataModel) -> String {
    let size = match model {
        DataModel::Ilp32 => "unsigned int",
        DataModel::Lp64 => "unsigned long",
    };
    let used = LIBRARY.iter().filter(|(name, _)| text.contains(&format!("{name}(")));
    used.map(|(_, prototype)| prototype.replace("SIZE", size) + "\n").collect()
}

/// Names and definitions of the program's own functions.
const OWN: &[(&str, &str)] = &[
    ("put", "static void put(void *d, const void *s, unsigned n) { memcpy(d, s, n); }"),
    ("fill", "static void fill(void *d, int c, unsigned n) { memset(d, c, n); }"),
    ("shift", "static void shift(void *d, const void *s, unsigned n) { memmove(d, s, n); }"),
    (
        "swap",
        "static void swap(void *a, void *b, unsigned n) {
    char t[8];
    memcpy(t, a, n);
    memcpy(a, b, n);
    memcpy(b, t, n);
}",
    ),
    (
        "copy_bytes",
        "static void copy_bytes(void *d, const void *s, unsigned n) {
    unsigned char *to = d;
    const unsigned char *from = s;
    while (n--) *to++ = *from++;
}",
    ),
    (
        "sum",
        "static unsigned sum(const void *s, unsigned n) {
    unsigned r = 0;
    for (unsigned i = 0; i < n; i++) r = r * 3 + ((const unsigned char *)s)[i];
    return r;
}",
    ),
    ("byte_at", "static unsigned char byte_at(const void *s, unsigned i) { return *((const unsigned char *)s + i); }"),
    ("store", "static int store(void *d, int v) { *(unsigned char *)d = v; return v + 1; }"),
    (
        "down",
        "static int down(int n, int *up) {
    int own = n + 1;
    if (n <= 0) return *up;
    *up += own;
    return down(n - 1, &own) * 2 + own;
}",
    ),
    (
        "keep",
        "static int *keep(int v) {
    static int last[2] = {3, 4};
    last[1] = last[0];
    last[0] = v;
    return last;
}",
    ),
];

/// The definition of one of the program's own functions.
pub(super) fn own(name: &str) -> &'static str {
    OWN.iter().find(|(own, _)| *own == name).expect("only these are asked for").1
}
