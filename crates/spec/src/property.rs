//! What must not happen: SV-COMP's property language, and the checks that people ask for by `--check`.

use crate::SpecError;
use cfa::{Check, Checks, TargetKind};

/// What must not happen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Property {
    /// No property was given: calls of `reach_error` and `__VERIFIER_error`, failed assertions, labels `ERROR`.
    #[default]
    NoError,
    /// As `NoError`, but labels are just labels: what ends a run of the program.
    NoFailure,
    /// `G ! call(F())`: exactly the calls of this function.
    NoCall(String),
    /// `G ! label(L)`: exactly the labels of this name.
    NoLabel(String),
    /// `G ! overflow`
    NoOverflow,
    /// `G valid-deref`, `G valid-free`, `G valid-memtrack`: one to three of them.
    ValidMemory(Checks),
    /// `G valid-memcleanup`
    ValidCleanup,
    /// `G def-behavior`
    DefinedBehaviour,
    /// `F end`
    Termination,
    /// `--check LIST`
    Checked {
        /// Whether what `NoError` forbids is forbidden as well.
        errors: bool,
        /// The kinds of undefined behaviour.
        kinds: Checks,
    },
    /// A property that Argonaut does not check, by its usual name.
    Unsupported(String),
}

/// What C11 leaves undefined, as far as it is checked.
const UNDEFINED: Checks = Checks::of(&[
    Check::Overflow,
    Check::Division,
    Check::Shift,
    Check::Conversion,
    Check::Uninitialised,
    Check::Deref,
    Check::ReadOnly,
    Check::Free,
    Check::Pointer,
    Check::Length,
    Check::Argument,
    Check::Value,
    Check::Subscript,
]);

/// The properties that are known, for messages.
pub const KNOWN: &str = "`G ! call(F())`, `G ! label(L)`, `G ! overflow`, `G valid-deref`, `G valid-free`, \
                         `G valid-memtrack`, `G valid-memcleanup`, `G def-behavior` and `F end`";

impl Property {
    /// The property's name, `unreach-call` where targets are calls, assertions and labels.
    pub fn name(&self) -> &str {
        match self {
            Property::NoError | Property::NoFailure | Property::NoCall(_) | Property::NoLabel(_) => "unreach-call",
            Property::NoOverflow => "no-overflow",
            Property::ValidMemory(parts) => {
                let mut parts = parts.iter();
                match (parts.next(), parts.next()) {
                    (Some(only), None) => violated_part(only),
                    _ => "valid-memsafety",
                }
            }
            Property::ValidCleanup => "valid-memcleanup",
            Property::DefinedBehaviour => "def-behavior",
            Property::Termination => "termination",
            Property::Checked { .. } => "checks",
            Property::Unsupported(name) => name,
        }
    }

    /// What a FALSE says: the part of the property that an execution to such a target violates.
    pub fn violated(&self, kind: TargetKind) -> &str {
        match (self, kind) {
            (Property::ValidMemory(_) | Property::Checked { .. }, TargetKind::Check(check)) => violated_part(check),
            (Property::Checked { .. }, TargetKind::Call(_) | TargetKind::Assertion | TargetKind::Label) => {
                "unreach-call"
            }
            (_, TargetKind::Repetition) => "termination",
            (_, TargetKind::Call(_) | TargetKind::Assertion | TargetKind::Label | TargetKind::Check(_)) => self.name(),
        }
    }

    /// The kinds of checks that decide it.
    pub fn checks(&self) -> Checks {
        match self {
            Property::NoError | Property::NoFailure | Property::NoCall(_) | Property::NoLabel(_) => Checks::NONE,
            Property::NoOverflow => Checks::of(&[Check::Overflow]),
            Property::ValidMemory(parts) => *parts,
            Property::ValidCleanup => Checks::of(&[Check::Cleanup]),
            Property::DefinedBehaviour => UNDEFINED,
            Property::Checked { kinds, .. } => *kinds,
            Property::Termination | Property::Unsupported(_) => Checks::NONE,
        }
    }

    /// The property of `--check LIST`: words with commas between them.
    pub fn checked(list: &str) -> Result<Property, String> {
        let (mut errors, mut kinds) = (false, Checks::NONE);
        if list.trim() == "termination" {
            return Ok(Property::Termination);
        }
        for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
            let Some((_, more)) = WORDS.iter().find(|(known, _)| *known == word) else {
                if word == "termination" {
                    return Err("`termination` cannot be combined with other checks".into());
                }
                let known: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
                return Err(format!("unknown check `{word}`, expected some of {}, or termination", known.join(", ")));
            };
            errors |= matches!(word, "assertions" | "all");
            kinds = kinds.and(*more);
        }
        if !errors && kinds.is_empty() {
            return Err("expected at least one check, such as `overflow` or `all`".into());
        }
        if kinds.is_empty() {
            return Ok(Property::NoError);
        }
        Ok(Property::Checked { errors, kinds })
    }
}

/// The words of `--check`.
const WORDS: [(&str, Checks); 16] = [
    ("assertions", Checks::NONE),
    ("overflow", Checks::of(&[Check::Overflow])),
    ("memory", Checks::of(&[Check::Deref, Check::ReadOnly, Check::Free])),
    ("read-only", Checks::of(&[Check::ReadOnly])),
    ("leaks", Checks::of(&[Check::Track])),
    ("cleanup", Checks::of(&[Check::Cleanup])),
    ("division", Checks::of(&[Check::Division])),
    ("shift", Checks::of(&[Check::Shift])),
    ("conversion", Checks::of(&[Check::Conversion])),
    ("lossy", Checks::of(&[Check::Lossy])),
    ("uninitialised", Checks::of(&[Check::Uninitialised])),
    ("null", Checks::of(&[Check::Null])),
    ("bounds", Checks::of(&[Check::Bounds, Check::Length, Check::Subscript])),
    ("pointer", Checks::of(&[Check::Pointer])),
    ("undefined", UNDEFINED),
    ("all", UNDEFINED.and(Checks::of(&[Check::Track]))),
];

/// The name of what a failed check violates; checks that are not a property of the competition have their own word.
pub fn violated_part(check: Check) -> &'static str {
    match check {
        Check::Overflow => "no-overflow",
        Check::Deref | Check::Null | Check::Bounds => "valid-deref",
        Check::Free => "valid-free",
        Check::Track => "valid-memtrack",
        Check::Cleanup => "valid-memcleanup",
        Check::Division | Check::Shift | Check::Conversion | Check::Uninitialised => check.word(),
        Check::ReadOnly
        | Check::Pointer
        | Check::Length
        | Check::Lossy
        | Check::Argument
        | Check::Value
        | Check::Subscript => check.word(),
    }
}

/// The content of a `.prp` file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification {
    /// Where executions start, from `init(F())`.
    pub entry: String,
    /// What must not happen.
    pub property: Property,
}

impl Specification {
    /// Reads a `.prp` file. Several properties in one file are checked together if all are about validity of memory;
    /// any other mixture is unsupported.
    pub fn parse(text: &str) -> Result<Specification, SpecError> {
        let mut parser = Parser { text, at: 0 };
        let mut all: Vec<Specification> = Vec::new();
        parser.skip_blanks();
        while all.is_empty() || parser.at < text.len() {
            let one = parser.check()?;
            if !all.contains(&one) {
                all.push(one);
            }
            parser.skip_blanks();
        }
        let first = all[0].clone();
        let together = all[1..].iter().try_fold(first.property.clone(), |sum, one| match (sum, &one.property) {
            (Property::ValidMemory(a), Property::ValidMemory(b)) if one.entry == first.entry => {
                Some(Property::ValidMemory(a.and(*b)))
            }
            _ => None,
        });
        let property = together.unwrap_or_else(|| {
            let names: Vec<&str> = all.iter().map(|one| one.property.name()).collect();
            Property::Unsupported(format!("{} in one file", names.join(" and ")))
        });
        Ok(Specification { entry: first.entry, property })
    }
}

/// Reads the text from left to right; `at` is a byte offset.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// `CHECK( init(F()), LTL(formula) )` or `COVER( ... )`.
    fn check(&mut self) -> Result<Specification, SpecError> {
        let start = self.at;
        match self.word() {
            "CHECK" => {}
            "COVER" => {
                let property = Property::Unsupported("coverage".into());
                self.balanced()?;
                return Ok(Specification { entry: "main".into(), property });
            }
            _ => {
                self.at = start;
                return Err(self.expected("`CHECK( init(main()), LTL(G ! call(reach_error())) )`"));
            }
        }
        self.token("(")?;
        self.keyword("init")?;
        self.token("(")?;
        let entry = self.name()?;
        self.token("(")?;
        self.token(")")?;
        self.token(")")?;
        self.token(",")?;
        self.keyword("LTL")?;
        let property = self.formula()?;
        self.token(")")?;
        Ok(Specification { entry, property })
    }

    fn formula(&mut self) -> Result<Property, SpecError> {
        let start = self.at;
        let text = self.balanced()?.trim();
        let after = self.at;
        let words: Vec<&str> = text.split_whitespace().collect();
        let property = match words.join(" ").as_str() {
            "G ! overflow" => Property::NoOverflow,
            "G valid-deref" => Property::ValidMemory(Checks::of(&[Check::Deref])),
            "G valid-free" => Property::ValidMemory(Checks::of(&[Check::Free])),
            "G valid-memtrack" => Property::ValidMemory(Checks::of(&[Check::Track])),
            "G valid-memcleanup" => Property::ValidCleanup,
            "G def-behavior" => Property::DefinedBehaviour,
            "F end" => Property::Termination,
            "G ! data-race" => Property::Unsupported("no-data-race".into()),
            "" => {
                self.at = start;
                return Err(self.expected("a formula such as `(G ! call(reach_error()))`"));
            }
            other => {
                self.at = start;
                let parsed = self.never();
                self.at = after;
                return Ok(parsed.unwrap_or_else(|_| Property::Unsupported(other.into())));
            }
        };
        Ok(property)
    }

    /// `(G ! call(F()))` or `(G ! label(L))`.
    fn never(&mut self) -> Result<Property, SpecError> {
        self.token("(")?;
        self.keyword("G")?;
        self.token("!")?;
        let property = match self.word() {
            "call" => {
                self.token("(")?;
                let name = self.name()?;
                self.skip_blanks();
                if self.text[self.at..].starts_with('(') {
                    self.balanced()?;
                }
                Property::NoCall(name)
            }
            "label" => {
                self.token("(")?;
                Property::NoLabel(self.name()?)
            }
            _ => return Err(self.expected("`call` or `label`")),
        };
        self.token(")")?;
        self.token(")")?;
        Ok(property)
    }

    /// What stands between a parenthesis and its partner.
    fn balanced(&mut self) -> Result<&'a str, SpecError> {
        self.token("(")?;
        let start = self.at;
        let mut depth = 1;
        for (offset, byte) in self.text[start..].bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at = start + offset + 1;
                return Ok(&self.text[start..start + offset]);
            }
        }
        self.at = self.text.len();
        Err(self.expected("`)`"))
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), SpecError> {
        let start = self.at;
        if self.word() == keyword {
            return Ok(());
        }
        self.at = start;
        Err(self.expected(&format!("`{keyword}`")))
    }

    fn name(&mut self) -> Result<String, SpecError> {
        let start = self.at;
        let name = self.word().to_owned();
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            self.at = start;
            return Err(self.expected("a name of C"));
        }
        Ok(name)
    }

    fn token(&mut self, token: &str) -> Result<(), SpecError> {
        self.skip_blanks();
        if self.text[self.at..].starts_with(token) {
            self.at += token.len();
            return Ok(());
        }
        Err(self.expected(&format!("`{token}`")))
    }

    /// The longest identifier here; empty if there is none.
    fn word(&mut self) -> &'a str {
        self.skip_blanks();
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Blanks, and comments from `//` or `#` to the end of the line.
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blanks = rest.len() - rest.trim_start().len();
            self.at += blanks;
            let rest = &rest[blanks..];
            if !rest.starts_with("//") && !rest.starts_with('#') {
                return;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    fn expected(&mut self, what: &str) -> SpecError {
        self.skip_blanks();
        let before = &self.text[..self.at];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let found = match self.text[self.at..].chars().next() {
            Some(found) => format!("found `{found}`"),
            None => "the text ends".into(),
        };
        SpecError {
            line: before.matches('\n').count() + 1,
            column: self.at - line_start + 1,
            message: format!("expected {what}, but {found}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(&str, Property), &str>) {
        let expected = expected.map(|(entry, property)| Specification { entry: entry.into(), property });
        assert_eq!(
            Specification::parse(text).map_err(|error| error.to_string()),
            expected.map_err(str::to_owned),
            "{text}"
        );
    }

    fn unsupported(name: &str) -> Property {
        Property::Unsupported(name.into())
    }

    #[test]
    fn the_function_counts_not_the_file_name() {
        check(
            "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
            Ok(("main", Property::NoCall("reach_error".into()))),
        );
        check("CHECK(init(start()),LTL(G!call(f)))", Ok(("start", Property::NoCall("f".into()))));
        check("// c\nCHECK( init(main()), LTL(G ! label(BAD)) )", Ok(("main", Property::NoLabel("BAD".into()))));
    }

    #[test]
    fn every_property_of_the_competition_is_known() {
        check("CHECK( init(main()), LTL(G ! overflow) )", Ok(("main", Property::NoOverflow)));
        check("CHECK( init(main()), LTL(F end) )", Ok(("main", Property::Termination)));
        check("CHECK( init(main()), LTL(G valid-memcleanup) )", Ok(("main", Property::ValidCleanup)));
        check("CHECK( init(main()), LTL(G  def-behavior) )", Ok(("main", Property::DefinedBehaviour)));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n";
        let parts = Checks::of(&[Check::Free, Check::Deref]);
        check(memory, Ok(("main", Property::ValidMemory(parts))));
        assert_eq!(Property::ValidMemory(parts).name(), "valid-memsafety");
        assert_eq!(Property::ValidMemory(parts).violated(TargetKind::Check(Check::Free)), "valid-free");
        assert_eq!(Property::ValidMemory(Checks::of(&[Check::Track])).name(), "valid-memtrack");
    }

    #[test]
    fn other_properties_are_recognised() {
        check("CHECK( init(main()), LTL(G ! data-race) )", Ok(("main", unsupported("no-data-race"))));
        check("COVER( init(main()), FQL(COVER EDGES(@CALL(f))) )", Ok(("main", unsupported("coverage"))));
        check("CHECK( init(main()), LTL(G (x -> F y)) )", Ok(("main", unsupported("G (x -> F y)"))));
        check("CHECK( init(main()), LTL(G valid-foo) )", Ok(("main", unsupported("G valid-foo"))));
        let mixed = "CHECK( init(main()), LTL(G ! overflow) )\nCHECK( init(main()), LTL(F end) )";
        check(mixed, Ok(("main", unsupported("no-overflow and termination in one file"))));
        let starts = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(f()), LTL(G valid-deref) )";
        check(starts, Ok(("main", unsupported("valid-free and valid-deref in one file"))));
    }

    #[test]
    fn checks_are_words() {
        let kinds = Checks::of(&[Check::Overflow, Check::Shift]);
        assert_eq!(Property::checked("shift, overflow"), Ok(Property::Checked { errors: false, kinds }));
        assert_eq!(Property::checked("assertions,shift,overflow"), Ok(Property::Checked { errors: true, kinds }));
        assert_eq!(Property::checked("assertions"), Ok(Property::NoError));
        let known = "assertions, overflow, memory, read-only, leaks, cleanup, division, shift, conversion, lossy, \
                     uninitialised, null, bounds, pointer, undefined, all, or termination";
        assert_eq!(Property::checked("shifts"), Err(format!("unknown check `shifts`, expected some of {known}")));
        assert!(Property::checked(" ,").is_err());
    }

    #[test]
    fn errors_say_where_and_what() {
        check("", Err("1:1: expected `CHECK( init(main()), LTL(G ! call(reach_error())) )`, but the text ends"));
        check("\n int x;", Err("2:2: expected `CHECK( init(main()), LTL(G ! call(reach_error())) )`, but found `i`"));
        check("CHECK( init(main), LTL(G ! overflow) )", Err("1:17: expected `(`, but found `)`"));
        check("CHECK( init(main()), LTL(G ! call(f())", Err("1:39: expected `)`, but the text ends"));
        check(
            "CHECK( init(main()), LTL() )",
            Err("1:25: expected a formula such as `(G ! call(reach_error()))`, but found `(`"),
        );
    }
}
