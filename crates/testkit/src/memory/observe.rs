//! What a generated program looks at in the end. More than is needed: what varies with the inputs is kept.

use super::Observed;
use super::maker::Maker;
use super::statements::solid;

/// How many candidates there are.
const CANDIDATES: usize = 5;

pub(super) fn observe(maker: &mut Maker) {
    for at in 0..CANDIDATES {
        let expression = expression(maker);
        maker.program.observed.push(Observed { name: format!("r{at}"), expression });
    }
}

fn expression(maker: &mut Maker) -> String {
    match maker.below(8) {
        0..=3 => maker.place().text,
        4 => {
            let range = solid(maker);
            format!("((unsigned char *){})[{}]", range.start, maker.index(range.size))
        }
        5 => {
            let (sum, range) = (maker.own("sum"), solid(maker));
            format!("{sum}({}, {})", range.start, range.size)
        }
        6 => {
            let (one, other) = (solid(maker), solid(maker));
            format!("memcmp({}, {}, {}) > 0", one.start, other.start, one.size.min(other.size))
        }
        _ => {
            let (one, other) = (maker.place().text, maker.place().text);
            format!("{one} == {other}")
        }
    }
}
