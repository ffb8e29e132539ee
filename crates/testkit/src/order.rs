//! Random expressions whose operands have side effects on each other, so that what they give tells the order in which
//! they were evaluated. All side effects lie in functions, so nothing is undefined.

use semantics::random::Random;

const HEAD: &str = r#"int printf(const char *, ...);
struct S { int a, b, c, d, e; };
static unsigned trace;
static int g = 5, h = 3, a[8];
static long l = 7;
static short t = 2;
static struct S s;
static int f(int k) { trace = trace * 31 + k; g += k; return k & 7; }
static int set(int k) { trace = trace * 31 + k + 1; h = k & 3; a[k & 7] += 1; return h; }
static long wide(int k) { trace = trace * 31 + k + 2; l += k; return l & 15; }
static short narrow(int k) { trace = trace * 31 + k + 3; t ^= k; return t & 15; }
static int *at(int k) { trace = trace * 31 + k + 4; return &a[k & 7]; }
static struct S make(int k) { struct S r = { k, k + 1, 0, 0, g }; trace = trace * 31 + k + 5; s.a = k; return r; }
static int three(int x, int y, int z) { trace = trace * 31 + x + 2 * y + 3 * z; return x ^ y ^ z; }
static int both(struct S x, int y, struct S z) { return x.a + y + z.a; }
static int any(int n, ...) { return n; }
static int (*pick(int k))(int) { trace = trace * 31 + k + 6; return k & 1 ? f : set; }
static void show(int n) {
  printf("%d: %u %d %d %ld %d %d", n, trace, g, h, l, t, s.a);
  for (int i = 0; i < 8; i++) { printf(" %d", a[i]); a[i] = i; }
  printf("\n");
  trace = 0; g = 5; h = 3; l = 7; t = 2; s.a = 1;
}
"#;

/// A program that prints what `count` random statements did.
pub fn generate(random: &mut Random, count: usize) -> String {
    let body: String = (0..count).map(|at| format!("  {} show({at});\n", statement(random))).collect();
    format!("{HEAD}int main(void) {{\n  show(0);\n{body}  return 0;\n}}\n")
}

fn pick<'t>(random: &mut Random, from: &[&'t str]) -> &'t str {
    from[random.below(from.len() as u64) as usize]
}

fn statement(random: &mut Random) -> String {
    let mut e = || expression(random, 2);
    let (x, y, z) = (e(), e(), e());
    match random.below(12) {
        0 => format!("g = {x} + {y};"),
        1 => format!("a[{x} & 7] = {y};"),
        2 => format!("*at({x}) = {y};"),
        3 => format!("a[{x} & 7] {}= {y};", pick(random, &["+", "-", "^", "|"])),
        4 => format!("g {}= {x};", pick(random, &["+", "-", "^", "*"])),
        5 => format!("three({x}, {y}, {z});"),
        6 => format!("{{ int x[3] = {{ {x}, {y}, {z} }}; a[0] = x[0]; a[1] = x[1]; a[2] = x[2]; }}"),
        7 => format!("{{ struct S x = {{ .c = {x}, .a = {y}, .b = {z} }}; s = x; }}"),
        8 => format!("s = make({x});"),
        9 => match random.below(3) {
            0 => format!("l = wide({x}) + l;"),
            1 => format!("l = l + wide({x});"),
            _ => format!("l = l - wide({x});"),
        },
        10 => format!("t = {x};"),
        _ => format!("at({x})[0] = f({y});"),
    }
}

/// gcc simplifies before it decides on an order: constants and twice the same operand would not tell.
fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return pick(random, &["g", "h", "a[1]", "a[h & 7]", "s.a", "t"]).to_owned();
    }
    let mut e = || expression(random, depth - 1);
    let (x, y, z) = (e(), e(), e());
    match random.below(17) {
        0..5 if x != y => {
            format!("({x} {} {y})", pick(random, &["+", "-", "*", "&", "|", "^", "<", "==", ">=", "!="]))
        }
        0..8 => format!("f({x})"),
        8 => format!("set({x})"),
        9 => format!("three({x}, {y}, {z})"),
        10 => format!("a[{x} & 7]"),
        11 => format!("*at({x})"),
        12 => match random.below(3) {
            0 => format!("({x} ? {y} : {z})"),
            1 => format!("both(make({x}), {y}, make({z}))"),
            _ => format!("both(s, {x}, make({y}))"),
        },
        13 => match random.below(3) {
            0 => format!("({x} && {y})"),
            1 => format!("({x}, {y})"),
            _ => format!("any({x}, {y})"),
        },
        14 => format!("narrow({x})"),
        15 => format!("pick({x})({y})"),
        _ => format!("make({x}).b"),
    }
}
