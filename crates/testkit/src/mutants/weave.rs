//! Puts many mutants into one text, each behind a switch of its own.

use super::{Site, Wrap};
use std::ops::Range;

/// What a crate needs once, in its root: whether a mutant is the active one.
pub const SWITCH: &str = "
#[doc(hidden)]
pub(crate) fn __mutant(number: usize) -> bool {
    static ACTIVE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    let read = || std::env::var(\"MUTANT\").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    *ACTIVE.get_or_init(read) == number
}
";

/// The text with all these sites, which have numbers; a mutant's text holds no other mutants.
pub fn weave(text: &str, sites: &[(usize, Site)]) -> String {
    let mut sites: Vec<&(usize, Site)> = sites.iter().collect();
    // Outer ones first.
    sites.sort_by_key(|(_, site)| (site.range.start, std::cmp::Reverse(site.range.end), site.wrap != Wrap::Statement));
    within(text, 0..text.len(), &sites)
}

fn within(text: &str, range: Range<usize>, sites: &[&(usize, Site)]) -> String {
    let (mut woven, mut at, mut rest) = (String::new(), range.start, sites);
    while let [first, others @ ..] = rest {
        let (number, site) = first;
        let inside = others.iter().take_while(|(_, other)| other.range.end <= site.range.end).count();
        let (inner, behind) = others.split_at(inside);
        woven += &text[at..site.range.start];
        let kept = within(text, site.range.clone(), inner);
        let mutated = &site.mutated;
        woven += &match site.wrap {
            Wrap::Expression => format!("(if crate::__mutant({number}) {{ {mutated} }} else {{ {kept} }})"),
            Wrap::True => format!("(crate::__mutant({number}) || {{ {kept} }})"),
            Wrap::False => format!("(!crate::__mutant({number}) && {{ {kept} }})"),
            Wrap::Statement => format!("if !crate::__mutant({number}) {{ {kept} }}"),
        };
        (at, rest) = (site.range.end, behind);
    }
    woven + &text[at..range.end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::sites;

    fn check(text: &str, expected: &str) {
        let numbered: Vec<(usize, Site)> = sites(text).expect("it is Rust").into_iter().enumerate().collect();
        assert_eq!(weave(text, &numbered), expected);
    }

    #[test]
    fn mutants_nest() {
        check(
            "fn f(a: u8) -> bool { a + 1 == 2 }",
            "fn f(a: u8) -> bool { (if crate::__mutant(0) { a + 1 != 2 } else { \
             (if crate::__mutant(1) { a - 1 } else { a + (if crate::__mutant(2) { 2 } else { 1 }) }) == \
             (if crate::__mutant(3) { 3 } else { 2 }) }) }",
        );
    }

    #[test]
    fn statements_are_left_out() {
        check("fn f() { g(); }", "fn f() { if !crate::__mutant(0) { g(); } }");
    }
}
