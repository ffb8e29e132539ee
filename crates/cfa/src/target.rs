//! What must not be reached, and why: calls, failed assertions, labels, and checks that C's undefined behaviour does not
//! happen. The words for kinds of errors live here and nowhere else.

use crate::expr::ExprId;
use crate::program::{Node, Program};
use base::{Span, Symbol};

/// A kind of undefined behaviour (or of lost memory) that is checked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Check {
    /// Signed arithmetic whose result is not representable.
    Overflow,
    /// Division by zero, and of the least number by -1 unless that counts as overflow.
    Division,
    /// Shifts by a count outside the width; left shifts of a negative value or with a value that is not representable.
    Shift,
    /// A float that no value of the integer type stands for.
    Conversion,
    /// The value of an object that was never written.
    Uninitialised,
    /// An access that does not lie in one living object.
    Deref,
    /// An access through a null pointer.
    Null,
    /// An access outside the object that the pointer leads to.
    Bounds,
    /// A write to a string literal, or to an object that is defined `const`.
    ReadOnly,
    /// `free` or `realloc` of anything but null or the start of a living heap object.
    Free,
    /// A heap object to which no pointer leads any more.
    Track,
    /// A heap object that is not free when the program ends.
    Cleanup,
    /// Arithmetic that leaves the object, comparison and difference of pointers into different objects.
    Pointer,
    /// A variable-length array without elements.
    Length,
    /// An integer that changes its value when it is converted without a cast, which C defines.
    Lossy,
    /// Arguments that a library function is not defined for, and what is said to be never reached.
    Argument,
    /// A byte that is read as `_Bool` and neither 0 nor 1.
    Value,
    /// A subscript outside an array that is a part of an object.
    Subscript,
}

impl Check {
    /// Every kind.
    pub const ALL: [Check; 18] = [
        Check::Overflow,
        Check::Division,
        Check::Shift,
        Check::Conversion,
        Check::Uninitialised,
        Check::Deref,
        Check::Null,
        Check::Bounds,
        Check::ReadOnly,
        Check::Free,
        Check::Track,
        Check::Cleanup,
        Check::Pointer,
        Check::Length,
        Check::Lossy,
        Check::Argument,
        Check::Value,
        Check::Subscript,
    ];

    /// One word, as the text form of programs and the store have it.
    pub fn word(self) -> &'static str {
        match self {
            Check::Overflow => "overflow",
            Check::Division => "division",
            Check::Shift => "shift",
            Check::Conversion => "conversion",
            Check::Uninitialised => "uninitialised",
            Check::Deref => "deref",
            Check::Null => "null",
            Check::Bounds => "bounds",
            Check::ReadOnly => "read-only",
            Check::Free => "free",
            Check::Track => "leak",
            Check::Cleanup => "cleanup",
            Check::Pointer => "pointer",
            Check::Length => "length",
            Check::Lossy => "lossy",
            Check::Argument => "argument",
            Check::Value => "value",
            Check::Subscript => "subscript",
        }
    }

    /// Its numbers in the Common Weakness Enumeration.
    pub fn weaknesses(self) -> &'static [u16] {
        match self {
            Check::Overflow => &[190, 191],
            Check::Division => &[369],
            Check::Shift => &[1335],
            Check::Conversion => &[681],
            Check::Uninitialised => &[457],
            Check::Deref => &[125, 787, 416, 476],
            Check::Null => &[476],
            Check::Bounds | Check::Subscript => &[125, 787],
            Check::ReadOnly => &[758],
            Check::Free => &[415, 590, 761],
            Check::Track | Check::Cleanup => &[401],
            Check::Pointer => &[823, 469],
            Check::Length => &[131, 789],
            Check::Lossy => &[197, 195],
            Check::Argument => &[628],
            Check::Value => &[843],
        }
    }

    /// What is wrong where it fails, without the values of an execution.
    pub fn describe(self) -> &'static str {
        match self {
            Check::Overflow => "the result is outside the range of its type",
            Check::Division => "division by zero, or of the least number by -1",
            Check::Shift => "undefined shift",
            Check::Conversion => "the number is outside the range of the integer type",
            Check::Uninitialised => "an uninitialised value is read",
            Check::Deref => "the access does not lie in one live object",
            Check::Null => "a null pointer is dereferenced",
            Check::Bounds => "the access is outside the object",
            Check::ReadOnly => "a string literal or a const object is written",
            Check::Free => "free() of something that is not the start of a live heap object",
            Check::Track => "allocated memory is lost",
            Check::Cleanup => "allocated memory is not freed when the program ends",
            Check::Pointer => "pointer arithmetic or comparison beyond the object",
            Check::Length => "the length of the array is not positive",
            Check::Lossy => "the conversion changes the value",
            Check::Argument => "the function is not defined for these arguments, or not to be reached",
            Check::Value => "a _Bool is read that is neither 0 nor 1",
            Check::Subscript => "the subscript is outside the array",
        }
    }
}

/// A set of kinds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Checks(u32);

impl Checks {
    /// No kind.
    pub const NONE: Checks = Checks(0);

    /// The set of these kinds.
    pub const fn of(kinds: &[Check]) -> Checks {
        let (mut bits, mut at) = (0, 0);
        while at < kinds.len() {
            bits |= 1 << kinds[at] as u32;
            at += 1;
        }
        Checks(bits)
    }

    /// Whether the kind is among them.
    pub const fn has(self, kind: Check) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Those of both sets.
    pub const fn and(self, other: Checks) -> Checks {
        Checks(self.0 | other.0)
    }

    /// Those that are not in the other set.
    pub const fn without(self, other: Checks) -> Checks {
        Checks(self.0 & !other.0)
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = Check> {
        Check::ALL.into_iter().filter(move |&kind| self.has(kind))
    }
}

impl std::fmt::Debug for Checks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What became of checks before the analyses.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct CheckCounts {
    /// Operations that were looked at.
    pub made: u32,
    /// Those that never fail, as lowering saw by constants and types.
    pub constant: u32,
    /// Those that never fail, as intervals show.
    pub proved: u32,
    /// Whether every access to memory is checked, so that none is taken to be valid.
    pub accesses: bool,
    /// Whether calls through pointers are checked to reach a function of a type that fits.
    pub calls: bool,
}

/// Why a node is a target.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TargetKind {
    /// A call of the function that the property names.
    Call(Symbol),
    /// A failed `assert`.
    Assertion,
    /// A label named `ERROR`.
    Label,
    /// Undefined behaviour, or memory that is lost.
    Check(Check),
    /// The execution repeats itself, so it need never end.
    Repetition,
}

/// A location that must not be reached; it has no leaving edge.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The location.
    pub node: Node,
    /// What makes it an error.
    pub kind: TargetKind,
    /// The statement, or the expression that is checked.
    pub span: Span,
    /// What a report shows of an execution that comes here: the operands of what is checked.
    pub values: [Option<ExprId>; 2],
    /// The operator between them, as C spells it; `call` where a pointer is called.
    pub symbol: &'static str,
}

impl Target {
    /// A target of which no values are shown.
    pub fn new(node: Node, kind: TargetKind, span: Span) -> Self {
        Self { node, kind, span, values: [None; 2], symbol: "" }
    }

    /// The kind of check that fails here.
    pub fn check(&self) -> Option<Check> {
        match self.kind {
            TargetKind::Check(check) => Some(check),
            TargetKind::Call(_) | TargetKind::Assertion | TargetKind::Label | TargetKind::Repetition => None,
        }
    }
}

impl Program {
    /// Whether its text names any error, also one that no path leads to or that was proved not to happen.
    pub fn names_errors(&self) -> bool {
        !self.targets.is_empty() || self.dead_targets > 0 || self.checks.made > 0
    }

    /// What is wrong at a target: `reach_error() is called`.
    pub fn describe_target(&self, target: &Target) -> String {
        match target.kind {
            TargetKind::Call(function) => format!("{}() is called", self.text(function)),
            TargetKind::Assertion => "assertion fails".into(),
            TargetKind::Label => {
                let text = self.sources.snippet(target.span);
                let label = text.split(':').next().map(str::trim).filter(|label| !label.is_empty()).unwrap_or("ERROR");
                format!("label {label} is reached")
            }
            TargetKind::Check(check) => check.describe().into(),
            TargetKind::Repetition => "the loop is back in an earlier state, and may repeat forever".into(),
        }
    }

    /// The kind of a target as the text form of programs has it: `reach_error()`, `overflow`.
    pub fn target_word(&self, kind: TargetKind) -> String {
        match kind {
            TargetKind::Call(function) => format!("{}()", self.text(function)),
            TargetKind::Assertion => "assertion".into(),
            TargetKind::Label => "label".into(),
            TargetKind::Check(check) => check.word().into(),
            TargetKind::Repetition => "repetition".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_kinds_are_listed_in_order() {
        assert!(Check::ALL.iter().enumerate().all(|(at, &kind)| kind as usize == at));
        assert!(Check::ALL.iter().all(|&kind| Checks::of(&Check::ALL).has(kind)));
        let few = Checks::of(&[Check::Shift, Check::Pointer]);
        assert_eq!(few.iter().collect::<Vec<_>>(), [Check::Shift, Check::Pointer]);
        assert_eq!(few.without(Checks::of(&[Check::Shift])), Checks::of(&[Check::Pointer]));
        assert!(few.without(few).is_empty());
    }
}
