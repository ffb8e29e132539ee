//! Random initialisers, with designators, ranges, elided braces and items that replace earlier ones, of random types;
//! the program prints every scalar of each object.

use semantics::random::Random;
use std::fmt::Write;

const HEAD: &str = "int printf(const char *, ...);\nstatic int calls;\nstatic int f(void) { return ++calls; }\n";

enum Ty {
    Scalar(&'static str),
    Bits(u64),
    Chars(u64),
    Array(Box<Ty>, u64),
    Record { union: bool, name: String, members: Vec<Ty> },
}

/// A program that prints what `count` random objects hold after their initialisation.
pub fn generate(random: &mut Random, count: usize) -> String {
    let mut maker = Maker { random, types: String::new(), records: 0, local: false };
    let (mut statics, mut body) = (String::new(), String::new());
    for at in 0..count {
        let ty = maker.aggregate(3);
        // Bytes of a local union outside of its member may be anything.
        maker.local = !ty.has_union() && maker.random.below(2) == 0;
        let object = format!("{} = {};\n", ty.declared(&format!("x{at}")), maker.list(&ty));
        if maker.local {
            body += &object;
        } else {
            statics += &format!("static {object}");
        }
        let mut scalars = Vec::new();
        ty.scalars(&format!("x{at}"), &mut scalars);
        write!(body, "printf(\"{at}:\");").expect("strings take all");
        for scalar in scalars.iter().take(60) {
            write!(body, " printf(\" %lld\", (long long){scalar});").expect("strings take all");
        }
        body += " printf(\" %d\\n\", calls);\n";
    }
    format!("{HEAD}{}{statics}int main(void) {{\n{body}return 0;\n}}\n", maker.types)
}

impl Ty {
    fn has_union(&self) -> bool {
        match self {
            Ty::Scalar(_) | Ty::Bits(_) | Ty::Chars(_) => false,
            Ty::Array(element, _) => element.has_union(),
            Ty::Record { union, members, .. } => *union || members.iter().any(Ty::has_union),
        }
    }

    fn declared(&self, name: &str) -> String {
        match self {
            Ty::Scalar(scalar) => format!("{scalar} {name}"),
            Ty::Bits(width) => format!("int {name} : {width}"),
            Ty::Chars(length) => format!("char {name}[{length}]"),
            Ty::Array(element, length) => element.declared(&format!("{name}[{length}]")),
            Ty::Record { union, name: tag, .. } => format!("{} {tag} {name}", keyword(*union)),
        }
    }

    fn scalars(&self, place: &str, out: &mut Vec<String>) {
        match self {
            Ty::Scalar(_) | Ty::Bits(_) => out.push(place.to_owned()),
            Ty::Chars(length) => out.extend((0..*length).map(|at| format!("{place}[{at}]"))),
            Ty::Array(element, length) => (0..*length).for_each(|at| element.scalars(&format!("{place}[{at}]"), out)),
            Ty::Record { members, .. } => {
                members.iter().enumerate().for_each(|(at, member)| member.scalars(&format!("{place}.m{at}"), out));
            }
        }
    }
}

fn keyword(union: bool) -> &'static str {
    if union { "union" } else { "struct" }
}

struct Maker<'r> {
    random: &'r mut Random,
    /// The definitions of structs and unions.
    types: String,
    records: usize,
    /// Whether the object is a local of `main`, so that its values need not be constants.
    local: bool,
}

impl Maker<'_> {
    fn one_in(&mut self, of: u64) -> bool {
        self.random.below(of) == 0
    }

    fn ty(&mut self, depth: u32) -> Ty {
        const SCALARS: [&str; 5] = ["int", "short", "signed char", "unsigned", "long long"];
        if depth == 0 || self.one_in(4) {
            return Ty::Scalar(SCALARS[self.random.below(5) as usize]);
        }
        self.aggregate(depth)
    }

    fn aggregate(&mut self, depth: u32) -> Ty {
        match self.random.below(8) {
            0 => Ty::Chars(2 + self.random.below(4)),
            1..=3 => Ty::Array(Box::new(self.ty(depth - 1)), 1 + self.random.below(4)),
            kind => self.record(depth, kind == 4),
        }
    }

    fn record(&mut self, depth: u32, union: bool) -> Ty {
        let count = 1 + self.random.below(3);
        let member = |maker: &mut Self| match maker.one_in(5) {
            true => Ty::Bits(2 + maker.random.below(8)),
            false => maker.ty(depth - 1),
        };
        let members: Vec<Ty> = (0..count).map(|_| member(self)).collect();
        let name = format!("T{}", self.records);
        self.records += 1;
        let declared = members.iter().enumerate().map(|(at, member)| member.declared(&format!("m{at}")) + "; ");
        let declared: String = declared.collect();
        writeln!(self.types, "{} {name} {{ {declared}}};", keyword(union)).expect("strings take all");
        Ty::Record { union, name, members }
    }

    /// A braced list for an aggregate.
    fn list(&mut self, ty: &Ty) -> String {
        let count = 1 + self.random.below(5);
        let items: Vec<String> = (0..count).map(|at| self.item(ty, at == 0)).collect();
        format!("{{{}}}", items.join(", "))
    }

    fn item(&mut self, ty: &Ty, first: bool) -> String {
        match self.random.below(10) {
            0..6 => {
                let (path, value) = self.designated(ty);
                format!("{path} = {value}")
            }
            // Later there may be no place left, which is an error for a list, but not for a value.
            6 if first => format!("{{{}}}", self.scalar()),
            _ => self.scalar(),
        }
    }

    /// Designators to a part of the aggregate, and what initialises it.
    fn designated(&mut self, ty: &Ty) -> (String, String) {
        let (step, part) = match ty {
            Ty::Scalar(_) | Ty::Bits(_) => unreachable!("only aggregates have parts"),
            Ty::Chars(length) => (self.index(*length, true), None),
            Ty::Array(element, length) => {
                // Compilers differ on parts of elements that a range with values that are not constant gave.
                let range = !self.local || matches!(**element, Ty::Scalar(_));
                (self.index(*length, range), Some(&**element))
            }
            Ty::Record { members, .. } => {
                let at = self.random.below(members.len() as u64);
                (format!(".m{at}"), Some(&members[at as usize]))
            }
        };
        let Some(part) = part else { return (step, self.scalar()) };
        match part {
            Ty::Scalar(_) | Ty::Bits(_) if self.one_in(8) => (step, format!("{{{}}}", self.scalar())),
            Ty::Scalar(_) | Ty::Bits(_) => (step, self.scalar()),
            _ if self.one_in(2) => {
                let (path, value) = self.designated(part);
                (step + &path, value)
            }
            // Without braces, the value is that of the part's first scalar.
            _ if self.one_in(5) => (step, self.scalar()),
            Ty::Chars(length) if !self.one_in(3) => {
                let characters = self.random.below(*length);
                let text: String = (0..characters).map(|_| ['a', 'b', 'c'][self.random.below(3) as usize]).collect();
                (step, format!("\"{text}\""))
            }
            _ => (step, self.list(part)),
        }
    }

    fn index(&mut self, length: u64, range: bool) -> String {
        let low = self.random.below(length);
        if range && self.one_in(3) {
            let high = low + self.random.below(length - low);
            return format!("[{low} ... {high}]");
        }
        format!("[{low}]")
    }

    fn scalar(&mut self) -> String {
        match self.random.below(4) {
            0 => "0".to_owned(),
            1 if self.local => "f()".to_owned(),
            _ => format!("{}", self.random.below(13) as i64 - 3),
        }
    }
}
