//! SV-COMP's property language. Supported are `G ! call(F())` and `G ! label(L)`; every other property of the
//! competition is recognised by name, so that the answer can say what is missing.

use crate::SpecError;

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
    /// A property that Argonaut does not check yet, by its usual name.
    Unsupported(String),
}

impl Property {
    /// The name that verdicts carry: `unreach-call` for all that is supported.
    pub fn name(&self) -> &str {
        match self {
            Property::NoError | Property::NoFailure | Property::NoCall(_) | Property::NoLabel(_) => "unreach-call",
            Property::Unsupported(name) => name,
        }
    }
}

/// The content of a `.prp` file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Where executions start, from `init(F())`.
    pub entry: String,
    /// What must not happen.
    pub property: Property,
}

impl Check {
    /// Reads a `.prp` file. Several different properties in one file are their usual common name
    /// (`valid-memsafety`), hence unsupported.
    pub fn parse(text: &str) -> Result<Check, SpecError> {
        let mut parser = Parser { text, at: 0 };
        let mut checks: Vec<Check> = Vec::new();
        parser.skip_blanks();
        while checks.is_empty() || parser.at < text.len() {
            let check = parser.check()?;
            if !checks.contains(&check) {
                checks.push(check);
            }
            parser.skip_blanks();
        }
        let first = checks[0].clone();
        if checks.len() == 1 {
            return Ok(first);
        }
        let memory =
            |check: &Check| matches!(&check.property, Property::Unsupported(name) if name.starts_with("valid-"));
        let name = if checks.iter().all(memory) { "valid-memsafety" } else { "several properties at once" };
        Ok(Check { entry: first.entry, property: Property::Unsupported(name.into()) })
    }
}

/// Reads the text from left to right; `at` is a byte offset.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    /// `CHECK( init(F()), LTL(formula) )` or `COVER( ... )`.
    fn check(&mut self) -> Result<Check, SpecError> {
        let start = self.at;
        match self.word() {
            "CHECK" => {}
            "COVER" => {
                let property = Property::Unsupported("coverage".into());
                self.balanced()?;
                return Ok(Check { entry: "main".into(), property });
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
        Ok(Check { entry, property })
    }

    fn formula(&mut self) -> Result<Property, SpecError> {
        let start = self.at;
        let text = self.balanced()?.trim();
        let after = self.at;
        let words: Vec<&str> = text.split_whitespace().collect();
        let property = match words.join(" ").as_str() {
            "G ! overflow" => Property::Unsupported("no-overflow".into()),
            "G ! data-race" => Property::Unsupported("no-data-race".into()),
            "F end" => Property::Unsupported("termination".into()),
            "" => {
                self.at = start;
                return Err(self.expected("a formula such as `(G ! call(reach_error()))`"));
            }
            other if other.starts_with("G valid-") || other == "G def-behavior" => {
                Property::Unsupported(other["G ".len()..].into())
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
        let expected = expected.map(|(entry, property)| Check { entry: entry.into(), property });
        assert_eq!(Check::parse(text).map_err(|error| error.to_string()), expected.map_err(str::to_owned), "{text}");
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
    fn other_properties_are_recognised() {
        check("CHECK( init(main()), LTL(G ! overflow) )", Ok(("main", unsupported("no-overflow"))));
        check("CHECK( init(main()), LTL(F end) )", Ok(("main", unsupported("termination"))));
        check("CHECK( init(main()), LTL(G valid-memcleanup) )", Ok(("main", unsupported("valid-memcleanup"))));
        check("CHECK( init(main()), LTL(G def-behavior) )", Ok(("main", unsupported("def-behavior"))));
        check("CHECK( init(main()), LTL(G ! data-race) )", Ok(("main", unsupported("no-data-race"))));
        check("COVER( init(main()), FQL(COVER EDGES(@CALL(f))) )", Ok(("main", unsupported("coverage"))));
        check("CHECK( init(main()), LTL(G (x -> F y)) )", Ok(("main", unsupported("G (x -> F y)"))));
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\n";
        check(memory, Ok(("main", unsupported("valid-memsafety"))));
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
