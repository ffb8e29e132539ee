//! What a program is like, as numbers with names, and conditions on them, which plans use to choose analyses:
//! `arrays`, `!recursion`, `nodes < 5000`, `discrete >= 50`.

use cfa::types::{Field, RecordId, Type};
use cfa::{Allocation, BinOp, Check, Expr, Living, Op, Program, Source};
use flow::Prepared;
use flow::classes::Class;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

/// Features by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Features {
    numbers: BTreeMap<&'static str, u64>,
}

/// All features, each with what its number means.
pub const FEATURES: &[(&str, &str)] = &[
    ("arrays", "places where memory is accessed at an index"),
    ("discrete", "percent of variables that are only assigned and compared for equality"),
    ("endless", "1 if no execution returns from where the program starts, as in machines that react for ever"),
    ("floats", "variables and operations of floating-point types"),
    ("functions", "functions that are called"),
    ("heap", "places that allocate memory"),
    ("heap-checks", "checks of pointers whose object is only known at run time, and of lost memory"),
    ("inputs", "places that read an input"),
    ("links", "types of records that point to records of their type"),
    ("loops", "loops"),
    ("memory", "places that access memory"),
    ("nodes", "locations"),
    ("overflow-checks", "checks that signed results fit their types"),
    ("quotients", "divisions of integers by other numbers than powers of two"),
    ("recursion", "functions that call themselves, perhaps through others"),
    ("targets", "errors"),
    ("termination", "1 if the question is whether executions end"),
    ("variables", "scalar variables that live in no memory"),
];

impl Features {
    /// Looks at every operation once.
    pub fn new(program: &Prepared) -> Features {
        let (calls, loops) = (program.calls(), program.loops());
        let classes = program.classes();
        let reachable: Vec<_> = program.functions.ids().filter(|&id| calls.is_reachable(id)).collect();
        let (mut arrays, mut memory, mut floats) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut questions, mut quotients) = (BTreeSet::new(), BTreeSet::new());
        let (mut heap, mut inputs) = (0, 0);
        for (_, edge) in program.edges.iter() {
            if let Op::Store { to, .. } = edge.op {
                memory.insert(to);
            }
            heap += u64::from(matches!(edge.op, Op::Allocate { how, .. } if how != Allocation::Stack));
            inputs += u64::from(matches!(edge.op, Op::Havoc(_, Source::Input(_))));
            for operand in edge.op.operands() {
                program.exprs.visit(operand, |id, node| {
                    if program.exprs.ty(id).is_float() {
                        floats.insert(id);
                    }
                    match node {
                        Expr::Load(pointer) => {
                            memory.insert(pointer);
                        }
                        Expr::Binary(BinOp::PtrAdd, _, by) if program.exprs.constant(by).is_none() => {
                            arrays.insert(id);
                        }
                        Expr::Binary(BinOp::Div | BinOp::Rem, _, by) if program.exprs.ty(id).is_int() => {
                            let divisor = program.exprs.constant(by);
                            if !divisor.is_some_and(u128::is_power_of_two) {
                                quotients.insert(id);
                            }
                        }
                        Expr::Living(Living::Written(_)) => {}
                        Expr::Living(question) => {
                            questions.insert(question);
                        }
                        _ => {}
                    }
                });
            }
        }
        // Nodes that no path leads to are gone.
        let returns = program
            .edges
            .iter()
            .any(|(_, edge)| matches!(edge.op, Op::Halt(_)) && program.nodes[edge.from].function == program.entry);
        let registers: Vec<_> = program.vars.ids().filter(|&var| program.register(var).is_some()).collect();
        let discrete = registers.iter().filter(|&&var| classes.class(var) <= Class::Equality).count();
        let overflow = program.targets.iter().filter(|target| target.check() == Some(Check::Overflow)).count();
        let count = |number: usize| number as u64;
        let numbers = BTreeMap::from([
            ("arrays", count(arrays.len())),
            ("discrete", count(discrete * 100 / registers.len().max(1))),
            ("endless", u64::from(!returns)),
            ("floats", count(floats.len())),
            ("functions", count(reachable.len())),
            ("heap", heap),
            ("heap-checks", count(questions.len())),
            ("inputs", inputs),
            ("links", count(links(program))),
            ("loops", count(loops.loops.len())),
            ("memory", count(memory.len())),
            ("nodes", count(program.nodes.len())),
            ("overflow-checks", count(overflow)),
            ("quotients", count(quotients.len())),
            ("recursion", count(reachable.iter().filter(|&&id| calls.is_recursive(id)).count())),
            ("targets", count(program.targets.len())),
            ("termination", u64::from(program.termination.is_some())),
            ("variables", count(registers.len())),
        ]);
        Features { numbers }
    }

    /// Whether a condition holds.
    pub fn satisfy(&self, condition: &Condition) -> bool {
        let number = self.numbers[condition.feature];
        match condition.relation {
            Relation::Some => number > 0,
            Relation::None => number == 0,
            Relation::Less(bound) => number < bound,
            Relation::AtLeast(bound) => number >= bound,
        }
    }
}

fn links(program: &Program) -> usize {
    let types = &program.types;
    let leads_to = |field: &Field, record: RecordId| match *types.get(types.unqualified(field.ty)) {
        Type::Pointer(to) => *types.get(types.unqualified(to)) == Type::Record(record),
        _ => false,
    };
    let records = types.records.iter();
    records.filter(|(id, record)| record.fields.iter().flatten().any(|field| leads_to(field, *id))).count()
}

/// `arrays 12, discrete 30, ...`: those that are not zero.
impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let present = self.numbers.iter().filter(|(_, number)| **number > 0);
        let texts: Vec<String> = present.map(|(name, number)| format!("{name} {number}")).collect();
        f.write_str(&texts.join(", "))
    }
}

/// Reads what is shown of features: those that it does not name are zero.
impl FromStr for Features {
    type Err = String;

    fn from_str(text: &str) -> Result<Features, String> {
        let mut numbers: BTreeMap<_, _> = FEATURES.iter().map(|&(name, _)| (name, 0)).collect();
        for part in text.split(", ").filter(|part| !part.is_empty()) {
            let (name, value) =
                part.split_once(' ').ok_or_else(|| format!("`{part}` is not a feature and its number"))?;
            numbers.insert(known(name)?, number(value)?);
        }
        Ok(Features { numbers })
    }
}

/// The feature of a name.
fn known(name: &str) -> Result<&'static str, String> {
    let known = FEATURES.iter().find(|(known, _)| *known == name);
    known.map(|(name, _)| *name).ok_or_else(|| format!("no feature is called `{name}`"))
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number"))
}

/// A condition on one feature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Condition {
    feature: &'static str,
    relation: Relation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Some,
    None,
    Less(u64),
    AtLeast(u64),
}

impl Condition {
    /// Reads `feature`, `!feature`, `feature < number` or `feature >= number`.
    pub fn parse(text: &str) -> Result<Condition, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let (name, relation) = match words[..] {
            [name] => match name.strip_prefix('!') {
                Some(name) => (name, Relation::None),
                None => (name, Relation::Some),
            },
            [name, "<", bound] => (name, Relation::Less(number(bound)?)),
            [name, ">=", bound] => (name, Relation::AtLeast(number(bound)?)),
            _ => return Err(format!("`{text}` is not a condition on a feature")),
        };
        Ok(Condition { feature: known(name)?, relation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(number: u64, condition: &str, expected: bool) {
        let features = Features { numbers: BTreeMap::from([("loops", number)]) };
        let condition = Condition::parse(condition).expect("it is well formed");
        assert_eq!(features.satisfy(&condition), expected, "{number}: {condition:?}");
    }

    #[test]
    fn conditions() {
        check(0, "loops", false);
        check(1, "loops", true);
        check(0, "!loops", true);
        check(7, "loops < 7", false);
        check(7, "loops >= 7", true);
        assert!(Condition::parse("loop").is_err());
        assert!(Condition::parse("loops = 7").is_err());
        assert!(Condition::parse("loops < many").is_err());
    }

    #[test]
    fn features_are_read_as_they_are_shown() {
        for text in ["", "loops 3", "arrays 12, discrete 30, nodes 5000"] {
            assert_eq!(text.parse::<Features>().map(|features| features.to_string()), Ok(text.to_owned()));
        }
        for text in ["loops", "loops many", "colour 3"] {
            assert!(text.parse::<Features>().is_err(), "{text}");
        }
    }

    #[test]
    fn features_are_sorted() {
        assert!(FEATURES.is_sorted());
    }
}
