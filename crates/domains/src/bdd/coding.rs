//! How the classes of a variable are numbered in bits: a truncated binary code, in which every assignment of the bits
//! stands for just one class.

use super::partition::Partition;
use bdd::{BddStore, Interrupted};

/// A tracked variable: class number `i` is the bit pattern `codes[i]`.
pub struct Coded<F> {
    /// Its classes.
    pub partition: Partition,
    /// One conjunction of literals for each class; every assignment of the bits satisfies just one.
    pub codes: Vec<F>,
    /// The literals of each code.
    words: Vec<Word>,
    /// The conjunction of its bits, for quantification.
    pub cube: F,
    /// The numbers of its bits, least significant first.
    pub bits: Vec<u32>,
}

impl<F> Coded<F> {
    /// The class that an assignment of the bits stands for.
    pub fn class_of(&self, bits: usize) -> Option<usize> {
        self.words.iter().position(|word| bits & word.fixed == word.value)
    }

    /// Whether a bit is set in the code of a class; bits that the code leaves open count as not set.
    pub fn has_bit(&self, class: usize, place: usize) -> bool {
        self.words[class].value >> place & 1 == 1
    }
}

/// Which bits a code fixes, and to what.
#[derive(Clone, Copy)]
struct Word {
    fixed: usize,
    value: usize,
}

/// Codes for the classes of a partition in these bits, least significant first.
pub fn code<S: BddStore>(store: &S, partition: Partition, bits: Vec<u32>) -> Result<Coded<S::Function>, Interrupted> {
    let mut cube = store.constant(true);
    for &bit in &bits {
        cube = store.and(&cube, &store.variable(bit)?)?;
    }
    let words: Vec<Word> = (0..partition.classes.len()).map(|class| word(class, partition.classes.len())).collect();
    assert!(words.iter().all(|word| word.fixed >> bits.len() == 0), "codes have as many bits as there are");
    let mut codes = Vec::with_capacity(words.len());
    for word in &words {
        let mut pattern = store.constant(true);
        for (at, &bit) in bits.iter().enumerate().filter(|(at, _)| word.fixed >> at & 1 == 1) {
            let positive = store.variable(bit)?;
            let literal = if word.value >> at & 1 == 1 { positive } else { store.not(&positive)? };
            pattern = store.and(&pattern, &literal)?;
        }
        codes.push(pattern);
    }
    Ok(Coded { partition, codes, words, cube, bits })
}

/// The truncated binary code of a class: where the number of classes is not a power of two, the first ones do without the
/// last bit, so that no pattern is left over that means nothing.
fn word(class: usize, classes: usize) -> Word {
    assert!(class < classes, "{class} of {classes} classes");
    let full = classes.next_power_of_two();
    let short = full - classes;
    if class < short {
        Word { fixed: (full - 1) & !1, value: class << 1 }
    } else {
        Word { fixed: full - 1, value: class + short }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every pattern is the code of one class, and every class has one.
    #[test]
    fn no_pattern_is_left_over() {
        for classes in 2..40usize {
            let words: Vec<Word> = (0..classes).map(|class| word(class, classes)).collect();
            for bits in 0..classes.next_power_of_two() {
                let meant = words.iter().filter(|word| bits & word.fixed == word.value).count();
                assert_eq!(meant, 1, "{bits:b} of {classes}");
            }
        }
    }
}
