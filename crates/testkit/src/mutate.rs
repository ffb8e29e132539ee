//! Deterministic mutation of C programs. Half of the inputs change bytes and mostly test the parser; the other half
//! change whole tokens, groups and statements, so that most of them still parse and test what comes behind it.

mod pieces;
mod tokens;

pub use pieces::SNIPPETS;
use pieces::TOKENS;
use semantics::random::Random;

/// Between the texts of two units of one program.
pub const NEXT_UNIT: &str = "//~ next unit\n";

/// Less than `bound`; 0 if that is 0.
fn below(random: &mut Random, bound: usize) -> usize {
    if bound == 0 { 0 } else { random.below(bound as u64) as usize }
}

fn pick<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[below(random, from.len())]
}

/// A new input made of some of `seeds`.
pub fn mutate(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    let mut text = mutate_one(random, seeds);
    if below(random, 16) == 0 {
        text = text + "\n" + NEXT_UNIT + &mutate_one(random, seeds);
    }
    text
}

fn mutate_one(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    match below(random, 6) {
        0 => mutate_bytes(random, seeds),
        _ => tokens::mutate(random, seeds),
    }
}

/// Cut, repeated, spliced and sprinkled with tokens, without regard to structure.
pub fn mutate_bytes(random: &mut Random, seeds: &[Vec<u8>]) -> String {
    let mut text = seeds[below(random, seeds.len())].clone();
    for _ in 0..1 + below(random, 6) {
        let from = below(random, text.len() + 1);
        let to = (from + below(random, 40)).min(text.len());
        match below(random, 8) {
            0 => drop(text.drain(from..to)),
            1 => {
                let piece = text[from..to].to_vec();
                text.splice(from..from, piece.repeat(1 + below(random, 3)));
            }
            2 => {
                // A few inputs nest deep.
                let times = if below(random, 50) == 0 { 1 + below(random, 3000) } else { 2 };
                let token = pick(random, TOKENS).as_bytes().repeat(times);
                text.splice(from..from, token);
            }
            3 | 4 => drop(text.splice(from..from, pick(random, TOKENS).bytes())),
            5 => drop(text.splice(from..to, pick(random, TOKENS).bytes())),
            6 => {
                if let Some(byte) = text.get_mut(from) {
                    *byte ^= 1 << below(random, 8);
                }
            }
            _ => {
                let other = &seeds[below(random, seeds.len())];
                let cut = below(random, other.len() + 1);
                text.truncate(from);
                text.extend_from_slice(&other[cut..]);
            }
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}
