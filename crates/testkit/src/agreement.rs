//! Programs whose verdict is known because of how they are made, for the question whether all presets agree with it and
//! with each other.
//!
//! - `Loop`: counters that keep a linear relation modulo 2^32; the error says that it breaks, or that a value that the
//!   loop does reach is reached.
//! - `Depth`: an error after a given number of right inputs, or after one more than the loop reads.
//! - `State`: a small machine with an unreachable or a reachable state.
//! - `Array`: an array is filled and checked, in full or beyond one element left out.
//! - `Checksum`: a program of csmith, whose checksum is gcc's, or is not.

use crate::{csmith, gcc};
use cfa::DataModel;
use semantics::random::Random;
use std::time::Duration;

/// A program and whether its error can be reached.
#[derive(Clone, Debug)]
pub struct Known {
    /// C.
    pub text: String,
    /// Whether an execution reaches the error.
    pub fails: bool,
    /// What kind of program, and the seed.
    pub name: String,
}

const HEAD: &str = "extern void reach_error(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n";

/// The program of a seed; every fifth is csmith's where that is installed. The verdicts alternate.
pub fn generate(seed: u64) -> Option<Known> {
    let mut random = Random::new(seed);
    let fails = (seed / 5).is_multiple_of(2);
    let (kind, body) = match seed % 5 {
        0 => ("loop", linear(&mut random, fails)),
        1 => ("depth", depth(&mut random, fails)),
        2 => ("state", machine(&mut random, fails)),
        3 => ("array", array(&mut random, fails)),
        _ => return checksum(seed, fails),
    };
    Some(Known { text: format!("{HEAD}{body}"), fails, name: format!("{kind}-{seed}") })
}

fn pick(random: &mut Random, least: u64, most: u64) -> u64 {
    least + random.next() % (most - least + 1)
}

fn linear(random: &mut Random, fails: bool) -> String {
    let (a, b, steps) = (pick(random, 1, 9), pick(random, 1, 9), pick(random, 1, 12));
    let error = match fails {
        true => format!("x == {}u", a * steps),
        false => format!("{b}u * x != {a}u * y"),
    };
    format!(
        "int main(void) {{
    unsigned n = __VERIFIER_nondet_uint(), x = 0, y = 0;
    for (unsigned i = 0; i < n; i++) {{
        x += {a}; y += {b};
        if ({error}) reach_error();
    }}
    return 0;
}}\n"
    )
}

fn depth(random: &mut Random, fails: bool) -> String {
    let (key, reads) = (pick(random, 0, 1000), pick(random, 1, 6));
    let depth = if fails { pick(random, 1, reads) } else { reads + 1 };
    format!(
        "int main(void) {{
    unsigned right = 0;
    for (int i = 0; i < {reads}; i++) if (__VERIFIER_nondet_uint() == {key}) right++;
    if (right == {depth}) reach_error();
    return 0;
}}\n"
    )
}

fn machine(random: &mut Random, fails: bool) -> String {
    let states = pick(random, 3, 7);
    let mut cases = String::new();
    for state in 0..states {
        let next = (state + 1) % states;
        cases += &format!("        case {state}: if (in == {}) s = {next}; break;\n", pick(random, 0, 3));
    }
    let error = if fails { pick(random, 1, states - 1) } else { states };
    format!(
        "int main(void) {{
    int s = 0;
    while (1) {{
        unsigned in = __VERIFIER_nondet_uint();
        switch (s) {{
{cases}        }}
        if (s == {error}) reach_error();
    }}
}}\n"
    )
}

fn array(random: &mut Random, fails: bool) -> String {
    let (length, value) = (pick(random, 2, 6), pick(random, 1, 99));
    let filled = if fails { length - 1 } else { length };
    format!(
        "int a[{length}];
int main(void) {{
    for (int i = 0; i < {filled}; i++) a[i] = {value};
    for (int i = 0; i < {length}; i++) if (a[i] != {value}) reach_error();
    return 0;
}}\n"
    )
}

/// A small program of csmith; `None` where csmith or gcc is missing, or the program does not end.
fn checksum(seed: u64, fails: bool) -> Option<Known> {
    let text = csmith::generate_small(seed).ok()?;
    let ran = gcc::run(&text, DataModel::Lp64, &[csmith::INCLUDE], Duration::from_secs(2)).ok()??;
    let sum = ran.output.lines().find_map(|line| line.strip_prefix("checksum = "))?.trim().to_owned();
    let end = "platform_main_end(";
    let relation = if fails { "==" } else { "!=" };
    let check = format!("if ((unsigned)(crc32_context ^ 0xFFFFFFFFUL) {relation} 0x{sum}u) reach_error();\n    {end}");
    let at = text.rfind(end)?;
    let text = format!("{HEAD}{}{check}{}", &text[..at], &text[at + end.len()..]);
    Some(Known { text, fails, name: format!("checksum-{seed}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program;

    /// Without inputs that matter the interpreter is the judge: arrays have none.
    #[test]
    fn the_interpreter_agrees_about_arrays() {
        for seed in (3..63).step_by(5) {
            let known = generate(seed).expect("arrays need no tool");
            let text = known
                .text
                .replace("extern void reach_error(void);", "extern void exit(int);\n#define reach_error() exit(7)");
            let text = gcc::preprocess(&text, DataModel::Lp64, &[]);
            let Ok(text) = text else { return };
            let finished = program::interpret(&text, DataModel::Lp64).expect("it runs");
            assert_eq!(finished.status == 7, known.fails, "{}", known.text);
        }
    }
}
