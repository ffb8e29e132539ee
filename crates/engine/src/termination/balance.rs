//! Two sums of numbers of fixed width, compared in enough bits that nothing wraps. Adders make this hard for solvers, and mostly
//! they are not needed:
//!
//! 1. What is on both sides does not count.
//! 2. Where a number is one of two, by a condition, each case is a comparison of its own, in which more is on both sides.
//! 3. `x + 1` is `x` and 1, and less where it wraps: `match: x + c` `result: x, c, x > max - c ? -2^w : 0`. That is worth
//!    it where `x` is on the other side.

use smt::{BitVec, Op, TermId, Terms};

/// The value of a summand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    pub value: TermId,
    pub signed: bool,
}

/// Conditions by which cases are told apart, one inside of the other.
const MOST_CONDITIONS: u32 = 4;

/// That the sum of some parts is less than that of others, and that it is the same.
pub fn compare(terms: &mut Terms, small: Vec<Part>, large: Vec<Part>) -> (TermId, TermId) {
    cases(terms, [small, large], MOST_CONDITIONS)
}

/// Two sides, of which the first may be less.
type Sides = [Vec<Part>; 2];

fn cases(terms: &mut Terms, mut sides: Sides, conditions: u32) -> (TermId, TermId) {
    cancel_out(&mut sides); // 1
    let choice = sides.iter().flatten().find(|part| terms.op(part.value) == Op::Ite);
    let Some(condition) = choice.map(|part| terms.args(part.value)[0]).filter(|_| conditions > 0) else {
        return plain(terms, sides);
    };
    let [yes, no] = [1, 2].map(|side| {
        let chosen = |part: &Part| match (terms.op(part.value), terms.args(part.value)) {
            (Op::Ite, args) if args[0] == condition => Part { value: args[side], ..*part },
            _ => *part,
        };
        let sides = sides.clone().map(|parts| parts.iter().map(chosen).collect());
        cases(terms, sides, conditions - 1)
    }); // 2
    (terms.ite(condition, yes.0, no.0), terms.ite(condition, yes.1, no.1))
}

fn cancel_out([small, large]: &mut Sides) {
    small.retain(|part| {
        let both = large.iter().position(|other| other == part);
        both.map(|at| large.swap_remove(at)).is_none()
    });
}

fn plain(terms: &mut Terms, sides: Sides) -> (TermId, TermId) {
    let mut opened = sides.clone();
    let mut further: [Vec<Further>; 2] = Default::default();
    for (parts, further) in opened.iter_mut().zip(&mut further) {
        parts.iter_mut().for_each(|part| open(terms, part, further)); // 3
    }
    cancel_out(&mut opened);
    if opened[0].len() < sides[0].len() {
        return widely(terms, &opened, &further);
    }
    if let ([a], [b]) = (sides[0].as_slice(), sides[1].as_slice())
        && a.signed == b.signed
        && terms.width(a.value) == terms.width(b.value)
    {
        let less = if a.signed { terms.bv_slt(a.value, b.value) } else { terms.bv_ult(a.value, b.value) };
        return (less, terms.eq(a.value, b.value));
    }
    widely(terms, &sides, &Default::default())
}

/// A number that counts where a condition holds, or always, and the bits that it fits into.
#[derive(Clone, Copy)]
struct Further {
    condition: Option<TermId>,
    number: i128,
    bits: u32,
}

/// A sum with a constant becomes what it is added to; the rest goes to `further`.
fn open(terms: &mut Terms, part: &mut Part, further: &mut Vec<Further>) {
    let bits = terms.width(part.value);
    let constant = |terms: &Terms, term: TermId| terms.as_bv(term).and_then(BitVec::to_i128);
    while bits <= 64 && terms.op(part.value) == Op::BvAdd {
        let (base, by) = match *terms.args(part.value) {
            [a, b] if constant(terms, b).is_some() => (a, b),
            [a, b] if constant(terms, a).is_some() => (b, a),
            _ => return,
        };
        let by = constant(terms, by).expect("it was just looked at");
        let (least, most) =
            if part.signed { (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
        // It wraps beyond the number that just does not.
        let last = terms.bv(BitVec::from_signed(bits, if by > 0 { most - by } else { least - by }));
        let wraps = match (by > 0, part.signed) {
            (true, true) => terms.bv_sgt(base, last),
            (true, false) => terms.bv_ugt(base, last),
            (false, true) => terms.bv_slt(base, last),
            (false, false) => terms.bv_ult(base, last),
        };
        let turn = if by > 0 { -(1i128 << bits) } else { 1i128 << bits };
        further.push(Further { condition: None, number: by, bits });
        further.push(Further { condition: Some(wraps), number: turn, bits });
        part.value = base;
    }
}

fn widely(terms: &mut Terms, sides: &Sides, further: &[Vec<Further>; 2]) -> (TermId, TermId) {
    let [small, large] = sums(terms, [&sides[0], &sides[1]], further);
    (terms.bv_slt(small, large), terms.eq(small, large))
}

/// The difference of two sums.
pub fn difference(terms: &mut Terms, plus: &[Part], minus: &[Part]) -> TermId {
    let [plus, minus] = sums(terms, [plus, minus], &Default::default());
    terms.bv_sub(plus, minus)
}

/// Two sums, in enough bits that neither they nor their difference wrap.
fn sums(terms: &mut Terms, both: [&[Part]; 2], further: &[Vec<Further>; 2]) -> [TermId; 2] {
    let widths = both.iter().copied().flatten().map(|part| terms.width(part.value));
    let bits = widths.chain(further.iter().flatten().map(|one| one.bits)).max().unwrap_or(1);
    let count = (both[0].len() + further[0].len()).max(both[1].len() + further[1].len()) as u32;
    // Each is at most 2^bits; so many of them take so many bits more, their difference one more, and the sign another.
    let width = bits + 3 + u32::BITS - count.leading_zeros();
    let zero = terms.bv_u64(width, 0);
    [0, 1].map(|side| {
        let mut all = zero;
        for part in both[side] {
            let wide = if part.signed {
                terms.bv_resize_signed(part.value, width)
            } else {
                terms.bv_resize_unsigned(part.value, width)
            };
            all = terms.bv_add(all, wide);
        }
        for one in &further[side] {
            let number = terms.bv(BitVec::from_signed(width, one.number));
            let counted = one.condition.map_or(number, |condition| terms.ite(condition, number, zero));
            all = terms.bv_add(all, counted);
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smt::{Model, Sort, Value};

    /// All sums of two numbers of 3 bits, one of them with a constant added or chosen by a condition, against integers.
    #[test]
    fn comparisons_are_those_of_integers() {
        for signed in [false, true] {
            let mut terms = Terms::new();
            let [x, y] = ["x", "y"].map(|name| terms.var(name, Sort::BitVec(3)));
            let number = |value: u64| if signed && value > 3 { value as i64 - 8 } else { value as i64 };
            for by in 0..8u64 {
                let constant = terms.bv_u64(3, by);
                let more = terms.bv_add(x, constant);
                let condition = terms.bv_ult(x, y);
                let either = terms.ite(condition, more, y);
                let [x, y, either] = [x, y, either].map(|value| Part { value, signed });
                let (less, same) = compare(&mut terms, vec![either, y], vec![x, y]);
                for (a, b) in (0..64u64).map(|both| (both / 8, both % 8)) {
                    let mut model = Model::default();
                    for (part, value) in [(x, a), (y, b)] {
                        let Op::Var(variable) = terms.op(part.value) else { unreachable!("it is a variable") };
                        model.variables.insert(variable, Value::BitVec(BitVec::new(3, value.into())));
                    }
                    let chosen = number(if a < b { (a + by) % 8 } else { b });
                    let expected = (chosen < number(a), chosen == number(a));
                    let found = [less, same].map(|term| terms.eval(term, &model) == Some(Value::Bool(true)));
                    assert_eq!((found[0], found[1]), expected, "{signed} {a} {b} + {by}");
                }
            }
        }
    }
}
