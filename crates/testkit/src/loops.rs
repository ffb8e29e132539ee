//! Generated programs with loops and recursion, of which it is known whether every execution ends. Variables are narrow
//! and inputs few, so that all states can be enumerated (`truth`), without any of what is tested: a program does not end
//! if and only if one of its states leads to itself.
//!
//! Arithmetic is C's on `int`, with values far from its limits; assignments to narrow variables wrap as gcc does.

mod shapes;
pub mod truth;

use semantics::random::Random;

/// The type of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Width {
    /// 8 or 16.
    pub bits: u32,
    /// Whether negative values are among them.
    pub signed: bool,
}

impl Width {
    fn name(self) -> &'static str {
        match (self.bits, self.signed) {
            (8, true) => "signed char",
            (8, false) => "unsigned char",
            (16, true) => "short",
            (_, _) => "unsigned short",
        }
    }

    /// What a variable of this type holds after it was assigned a number.
    pub fn wrap(self, value: i64) -> i64 {
        let shift = 64 - self.bits;
        if self.signed { value << shift >> shift } else { ((value as u64) << shift >> shift) as i64 }
    }
}

/// Operators.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `/`, by what is never 0.
    Div,
    /// `%`, by what is never 0.
    Rem,
    /// `&`
    And,
    /// `|`
    Or,
    /// `^`
    Xor,
    /// `>>`, by a constant.
    Shr,
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `>`
    Gt,
}

/// An expression of type `int`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A constant.
    Number(i64),
    /// A variable, by number.
    Variable(usize),
    /// An element of the table at a variable, which is always inside.
    Entry(usize),
    /// Two operands.
    Binary(Operator, Box<Value>, Box<Value>),
}

/// A condition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Condition {
    /// A comparison.
    Compare(Comparison, Value, Value),
    /// Both.
    And(Box<Condition>, Box<Condition>),
    /// One of both.
    Or(Box<Condition>, Box<Condition>),
    /// An input decides.
    Any,
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// To a variable.
    Assign(usize, Value),
    /// An input below this power of two.
    Input(usize, i64),
    /// A choice.
    If(Condition, Vec<Statement>, Vec<Statement>),
    /// A loop.
    While(Condition, Vec<Statement>),
}

/// What the program is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Statements of `main`.
    Loops(Vec<Statement>),
    /// A function of all variables, which calls itself with these arguments where the conditions hold, one after the
    /// other; `main` calls it with inputs below these bounds.
    Recursion(Vec<(Condition, Vec<Value>)>, Vec<i64>),
    /// Nodes with the number of the next one, or none; a pointer walks from one of the first ones, by an input.
    List(Vec<Option<usize>>, i64),
}

/// Where variables of loops live. The program means the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// They are locals.
    Locals,
    /// They are reached through pointers that never change.
    Pointers,
    /// They are members of a struct that a pointer leads to.
    Members,
    /// They are globals.
    Globals,
}

/// A generated program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Looping {
    /// Where it comes from.
    pub seed: u64,
    /// The types of variables.
    pub variables: Vec<Width>,
    /// Where they live.
    pub home: Home,
    /// A constant table of eight numbers below eight.
    pub table: [u8; 8],
    /// What happens.
    pub shape: Shape,
}

/// The program of a seed.
pub fn generate(seed: u64) -> Looping {
    shapes::shape(seed, &mut Random::new(seed.wrapping_mul(0x9E37_79B9).wrapping_add(17)))
}

impl Looping {
    /// As C.
    pub fn text(&self) -> String {
        let mut out = String::from("extern unsigned char __VERIFIER_nondet_uchar(void);\n");
        let table: Vec<String> = self.table.iter().map(u8::to_string).collect();
        match &self.shape {
            Shape::Loops(body) => {
                out += &format!("const unsigned char table[8] = {{{}}};\n", table.join(", "));
                self.main(body, &mut out);
            }
            Shape::Recursion(calls, bounds) => {
                out += &format!("const unsigned char table[8] = {{{}}};\n", table.join(", "));
                let params: Vec<String> =
                    self.variables.iter().enumerate().map(|(at, width)| format!("{} v{at}", width.name())).collect();
                out += &format!("void f({}) {{\n", params.join(", "));
                for (condition, args) in calls {
                    let args: Vec<String> = args.iter().map(value).collect();
                    out += &format!("  if ({}) f({});\n", self::condition(condition), args.join(", "));
                }
                let inputs: Vec<String> =
                    bounds.iter().map(|bound| format!("__VERIFIER_nondet_uchar() % {bound}")).collect();
                out += &format!("}}\nint main(void) {{\n  f({});\n  return 0;\n}}\n", inputs.join(", "));
            }
            Shape::List(next, starts) => {
                let count = next.len();
                out += &format!("struct node {{ struct node *next; }};\nstruct node n[{count}];\nint main(void) {{\n");
                for (at, next) in next.iter().enumerate() {
                    let to = next.map_or("0".to_owned(), |next| format!("&n[{next}]"));
                    out += &format!("  n[{at}].next = {to};\n");
                }
                out += &format!("  struct node *p = &n[__VERIFIER_nondet_uchar() % {starts}];\n");
                out += "  while (p != 0) p = p->next;\n  return 0;\n}\n";
            }
        }
        out
    }
}

impl Looping {
    /// Variables where they live, and the statements over them.
    fn main(&self, body: &[Statement], out: &mut String) {
        let mut code = String::new();
        statements(body, 1, &mut code);
        let each = |text: &dyn Fn(usize, &str) -> String| -> String {
            self.variables.iter().enumerate().map(|(at, width)| text(at, width.name())).collect()
        };
        let named = |to: &dyn Fn(usize) -> String, code: String| {
            (0..self.variables.len()).fold(code, |code, at| code.replace(&format!("v{at}"), &to(at)))
        };
        let (before, inside, code) = match self.home {
            Home::Locals => (String::new(), each(&|at, ty| format!("  {ty} v{at} = 0;\n")), code),
            Home::Globals => (each(&|at, ty| format!("{ty} v{at} = 0;\n")), String::new(), code),
            Home::Pointers => {
                let inside = each(&|at, ty| format!("  {ty} m{at} = 0;\n  {ty} *p{at} = &m{at};\n"));
                (String::new(), inside, named(&|at| format!("(*p{at})"), code))
            }
            Home::Members => {
                let members = each(&|at, ty| format!("{ty} m{at}; "));
                let before = format!("struct state {{ {members}}};\nstruct state state;\n");
                (before, "  struct state *s = &state;\n".to_owned(), named(&|at| format!("s->m{at}"), code))
            }
        };
        *out += &format!("{before}int main(void) {{\n{inside}{code}  return 0;\n}}\n");
    }
}

fn statements(body: &[Statement], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for statement in body {
        match statement {
            Statement::Assign(to, from) => *out += &format!("{pad}v{to} = {};\n", value(from)),
            Statement::Input(to, bound) => *out += &format!("{pad}v{to} = __VERIFIER_nondet_uchar() % {bound};\n"),
            Statement::If(choice, yes, no) => {
                *out += &format!("{pad}if ({}) {{\n", condition(choice));
                statements(yes, depth + 1, out);
                *out += &format!("{pad}}} else {{\n");
                statements(no, depth + 1, out);
                *out += &format!("{pad}}}\n");
            }
            Statement::While(choice, body) => {
                *out += &format!("{pad}while ({}) {{\n", condition(choice));
                statements(body, depth + 1, out);
                *out += &format!("{pad}}}\n");
            }
        }
    }
}

fn value(of: &Value) -> String {
    match of {
        Value::Number(number) if *number < 0 => format!("({number})"),
        Value::Number(number) => number.to_string(),
        Value::Variable(at) => format!("v{at}"),
        Value::Entry(at) => format!("table[v{at} & 7]"),
        Value::Binary(operator, a, b) => {
            let (a, b) = (value(a), value(b));
            match operator {
                Operator::Add => format!("({a} + {b})"),
                Operator::Sub => format!("({a} - {b})"),
                Operator::Div => format!("({a} / ({b} | 1))"),
                Operator::Rem => format!("({a} % ({b} | 1))"),
                Operator::And => format!("({a} & {b})"),
                Operator::Or => format!("({a} | {b})"),
                Operator::Xor => format!("({a} ^ {b})"),
                Operator::Shr => format!("({a} >> ({b} & 3))"),
            }
        }
    }
}

fn condition(of: &Condition) -> String {
    match of {
        Condition::Compare(how, a, b) => {
            let sign = match how {
                Comparison::Lt => "<",
                Comparison::Le => "<=",
                Comparison::Eq => "==",
                Comparison::Ne => "!=",
                Comparison::Gt => ">",
            };
            format!("{} {sign} {}", value(a), value(b))
        }
        Condition::And(a, b) => format!("({}) && ({})", condition(a), condition(b)),
        Condition::Or(a, b) => format!("({}) || ({})", condition(a), condition(b)),
        Condition::Any => "__VERIFIER_nondet_uchar() % 2".to_owned(),
    }
}
