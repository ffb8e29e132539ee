//! Formulas over boxes: every variable lies in a range, and what follows for each term is computed once from the bottom to
//! the top, floats by [`crate::float_range`] and bit vectors by [`crate::interval`]. A box is excluded if that suffices to
//! see that no assignment in it satisfies the question; otherwise it may be split [HMK97].
//!
//! A range is one of *codes*: numbers that are in the order of the values. Those of a bit vector are its bits, those of
//! a float count from minus infinity to infinity, with -0 just before +0, and NaN at the end. So every range can be halved,
//! and the halves are all of it.

use crate::Encoder;
use crate::float_range::{FloatRange, Truth};
use crate::interval::{self, Interval};
use crate::precision::Precision;
use rustc_hash::FxHashMap;
use smt::{BitVec, Model, Op, RoundingMode, Sort, TermId, Terms, Value, VarId};

/// A range of codes for each variable: the first and the last.
pub type InputBox = Box<[(u64, u64)]>;

/// What is known about the question in a box.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    /// No assignment satisfies it.
    Excluded,
    /// All assignments do that satisfy the definitions, of which there may be none.
    Satisfied,
    /// Neither is shown.
    Open,
}

/// What is known about a term in a box.
#[derive(Clone, Copy, Debug)]
enum Known {
    Truth(Truth),
    Bits(Interval),
    Float(FloatRange),
    /// Nothing: memory, and formats and widths that the machine does not have.
    Anything,
}

/// What a variable may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Bool,
    Bits(u32),
    Float(Precision),
}

impl Kind {
    fn of(sort: Sort) -> Option<Kind> {
        match sort {
            Sort::Bool => Some(Kind::Bool),
            Sort::BitVec(width) => (width <= interval::WIDEST).then_some(Kind::Bits(width)),
            Sort::Float(format) => Precision::of(format).map(Kind::Float),
            Sort::Array { .. } => None,
        }
    }

    /// The last code; the first is 0.
    fn last(self) -> u64 {
        match self {
            Kind::Bool => 1,
            Kind::Bits(width) => u64::MAX >> (interval::WIDEST - width),
            Kind::Float(precision) => 2 * precision.infinity() + 2,
        }
    }

    /// The bits of a code; of NaN, some.
    fn bits(self, code: u64) -> u64 {
        let Kind::Float(precision) = self else { return code };
        let infinity = precision.infinity();
        match code.checked_sub(infinity + 1) {
            Some(magnitude) => magnitude,
            None => (infinity - code) | 1 << (precision.width() - 1),
        }
    }

    fn known(self, (low, high): (u64, u64)) -> Known {
        match self {
            Kind::Bool => Known::Truth(Truth { may_hold: high == 1, may_fail: low == 0 }),
            Kind::Bits(width) => Interval::full(width)
                .and_then(|all| all.meet_unsigned(low.into(), high.into()))
                .map_or(Known::Anything, Known::Bits),
            Kind::Float(precision) => {
                let nan = high == self.last();
                if low == high && nan {
                    return Known::Float(FloatRange::exactly(f64::NAN));
                }
                let number = |code: u64| precision.decode(self.bits(code));
                let numbers = FloatRange::between(number(low), number(high - u64::from(nan)));
                Known::Float(numbers.with_nan(nan))
            }
        }
    }
}

/// A variable of the question.
#[derive(Clone, Copy, Debug)]
struct Variable {
    term: TermId,
    var: VarId,
    kind: Kind,
    /// Where it is among the nodes.
    node: usize,
}

/// A term, with arguments by their places among the nodes.
#[derive(Debug)]
struct TermNode {
    op: Op,
    sort: Sort,
    args: Box<[usize]>,
    /// The bits of this node, which is a float, are what the node stands for: a variable that is defined so.
    bits_of: Option<usize>,
}

/// A question over boxes.
pub struct Boxes {
    nodes: Vec<TermNode>,
    known: Vec<Known>,
    /// Nodes that depend on variables, arguments first.
    depends: Vec<usize>,
    variables: Vec<Variable>,
    /// Variables that are the bits of floats, in the order of the terms.
    images: Vec<(VarId, TermId)>,
    /// Conditions that hold in all assignments that count.
    conditions: Vec<usize>,
    /// The condition that is asked about.
    goal: usize,
}

impl Boxes {
    /// The question whether a formula holds in some assignment that satisfies the definitions of the encoder.
    pub fn new(encoder: &Encoder, goal: TermId) -> Boxes {
        Boxes::of_formula(&encoder.terms, &encoder.definitions, goal)
    }

    fn of_formula(terms: &Terms, definitions: &[(TermId, TermId)], goal: TermId) -> Boxes {
        let mut roots = vec![goal];
        roots.extend(definitions.iter().map(|(_, definition)| *definition));
        let order = terms.reachable(&roots);
        let places: FxHashMap<TermId, usize> = order.iter().enumerate().map(|(at, &term)| (term, at)).collect();
        let bits: FxHashMap<TermId, TermId> = definitions
            .iter()
            .filter_map(|&(variable, definition)| Some((variable, float_with_bits(terms, variable, definition)?)))
            .collect();
        let mut boxes = Boxes {
            nodes: Vec::new(),
            known: Vec::new(),
            depends: Vec::new(),
            variables: Vec::new(),
            images: Vec::new(),
            conditions: definitions.iter().map(|(_, definition)| places[definition]).collect(),
            goal: places[&goal],
        };
        let mut moves = vec![false; order.len()];
        for (at, &term) in order.iter().enumerate() {
            let bits_of = bits.get(&term).map(|float| places[float]);
            let args: Box<[usize]> = terms.args(term).iter().map(|arg| places[arg]).collect();
            let op = terms.op(term);
            match (op, bits.get(&term), Kind::of(terms.sort(term))) {
                (Op::Var(var), Some(&float), _) => boxes.images.push((var, float)),
                (Op::Var(var), None, Some(kind)) => boxes.variables.push(Variable { term, var, kind, node: at }),
                _ => {}
            }
            boxes.nodes.push(TermNode { op, sort: terms.sort(term), args, bits_of });
            let known = boxes.computed(terms, at);
            boxes.known.push(known);
            moves[at] = bits_of.is_some() || boxes.nodes[at].args.iter().any(|&arg| moves[arg]);
            if moves[at] {
                boxes.depends.push(at);
            }
            moves[at] |= matches!(op, Op::Var(_));
        }
        boxes
    }

    /// The box of all assignments.
    pub fn whole(&self) -> InputBox {
        self.variables.iter().map(|variable| (0, variable.kind.last())).collect()
    }

    /// How many assignments a box has, modulo 2^128.
    pub fn size(part: &InputBox) -> u128 {
        part.iter().fold(1, |size: u128, &(low, high)| size.wrapping_mul(u128::from(high - low) + 1))
    }

    /// How many terms are looked at for each box.
    pub fn terms(&self) -> usize {
        self.depends.len()
    }

    /// Looks at a box.
    pub fn decide(&mut self, terms: &Terms, part: &InputBox) -> Decision {
        for (variable, range) in self.variables.iter().zip(part) {
            self.known[variable.node] = variable.kind.known(*range);
        }
        for index in 0..self.depends.len() {
            let at = self.depends[index];
            self.known[at] = self.computed(terms, at);
        }
        let truth = |at: usize| truth_of(self.known[at]);
        let goal = truth(self.goal);
        if !goal.may_hold || self.conditions.iter().any(|&at| !truth(at).may_hold) {
            return Decision::Excluded;
        }
        if goal.may_fail { Decision::Open } else { Decision::Satisfied }
    }

    /// Both halves of the box that was decided last, by the variable with most values of those on which what is open
    /// depends; `None` if they have one value each. NaN is a half of its own.
    pub fn halves(&self, part: &InputBox) -> Option<[InputBox; 2]> {
        let open = self.open();
        let width = |at: &usize| part[*at].1 - part[*at].0;
        let candidates = (0..self.variables.len()).filter(|&at| open[self.variables[at].node] && width(&at) > 0);
        let at = candidates.max_by_key(|at| (width(at), usize::MAX - at))?;
        let (low, high) = part[at];
        let kind = self.variables[at].kind;
        let middle = match kind {
            Kind::Float(_) if high == kind.last() => high - 1,
            _ => low + (high - low) / 2,
        };
        let with = |range: (u64, u64)| {
            let mut half = part.clone();
            half[at] = range;
            half
        };
        Some([with((low, middle)), with((middle + 1, high))])
    }

    /// Which nodes what is open depends on.
    fn open(&self) -> Vec<bool> {
        let mut open = vec![false; self.nodes.len()];
        for &at in self.conditions.iter().chain([&self.goal]) {
            open[at] = truth_of(self.known[at]).is_open();
        }
        for at in (0..self.nodes.len()).rev().filter(|&at| !self.is_settled(at)) {
            if !open[at] {
                continue;
            }
            let node = &self.nodes[at];
            let condition = match (node.op, &node.args[..]) {
                (Op::Ite, &[condition, ..]) => Some(truth_of(self.known[condition])),
                _ => None,
            };
            for (position, &arg) in node.args.iter().enumerate().chain(node.bits_of.iter().map(|at| (0, at))) {
                let is_taken = match (condition, position) {
                    (Some(truth), 1) => truth.may_hold,
                    (Some(truth), 2) => truth.may_fail,
                    _ => true,
                };
                open[arg] |= is_taken && !self.is_settled(arg);
            }
        }
        open
    }

    /// Whether a node has one value in the box.
    fn is_settled(&self, at: usize) -> bool {
        match self.known[at] {
            Known::Truth(truth) => !truth.is_open(),
            Known::Bits(interval) => interval.single().is_some(),
            Known::Float(range) => range.is_single(),
            Known::Anything => false,
        }
    }

    /// A box with one assignment, in the middle of a box.
    pub fn middle(&self, part: &InputBox) -> InputBox {
        let middle = |(variable, &(low, high)): (&Variable, &(u64, u64))| {
            let last = if high == variable.kind.last() && high > low { high - 1 } else { high };
            let code = low + (last - low) / 2;
            (code, code)
        };
        self.variables.iter().zip(part).map(middle).collect()
    }

    /// A box with one assignment of a box; `draw` gives a number below its argument.
    pub fn drawn(&self, part: &InputBox, draw: &mut dyn FnMut(u64) -> u64) -> InputBox {
        let one = |&(low, high): &(u64, u64)| {
            let code = low + if high - low == u64::MAX { draw(u64::MAX) } else { draw(high - low + 1) };
            (code, code)
        };
        part.iter().map(one).collect()
    }

    /// The first and the last assignment of a box, as boxes.
    pub fn corners(&self, part: &InputBox) -> [InputBox; 2] {
        [part.iter().map(|range| (range.0, range.0)).collect(), part.iter().map(|range| (range.1, range.1)).collect()]
    }

    /// The first assignment of a box, with what is defined by it.
    pub fn assignment(&self, terms: &Terms, part: &InputBox) -> Model {
        let mut model = Model::default();
        for (variable, &(code, _)) in self.variables.iter().zip(part) {
            model.variables.insert(variable.var, value(variable.kind, code));
        }
        for &(var, float) in &self.images {
            if let Some(Value::Float(_, bits)) = terms.eval(float, &model) {
                model.variables.insert(var, Value::BitVec(bits));
            }
        }
        model
    }

    /// That the variables lie in a box, as a formula.
    pub fn formula(&self, terms: &mut Terms, part: &InputBox) -> TermId {
        let mut all = Vec::new();
        for (variable, &range) in self.variables.iter().zip(part) {
            if range != (0, variable.kind.last()) {
                all.push(inside(terms, variable, range));
            }
        }
        terms.and(all)
    }

    /// What a node is, by its arguments.
    fn computed(&self, terms: &Terms, at: usize) -> Known {
        let node = &self.nodes[at];
        let found = match node.bits_of {
            Some(float) => self.bits_of(float, node.sort),
            None => self.apply(terms, node),
        };
        found.unwrap_or(match node.sort {
            Sort::Bool => Known::Truth(Truth::OPEN),
            Sort::BitVec(width) => Interval::full(width).map_or(Known::Anything, Known::Bits),
            Sort::Float(format) if Precision::of(format).is_some() => Known::Float(FloatRange::ALL),
            Sort::Float(_) | Sort::Array { .. } => Known::Anything,
        })
    }

    fn bits_of(&self, float: usize, sort: Sort) -> Option<Known> {
        let (Known::Float(range), Sort::BitVec(32 | 64)) = (self.known[float], sort) else { return None };
        range.to_bits(precision_of(self.nodes[float].sort)?).map(Known::Bits)
    }

    /// What an operator gives; `None` if nothing is known.
    fn apply(&self, terms: &Terms, node: &TermNode) -> Option<Known> {
        let arg = |at: usize| self.known[node.args[at]];
        match node.op {
            Op::Bool(value) => return Some(Known::Truth(Truth::known(value))),
            Op::Bv(value) => return Interval::exactly(terms.value(value)).map(Known::Bits),
            Op::Fp(format, value) => return FloatRange::of_constant(format, terms.value(value)).map(Known::Float),
            Op::Not => return Some(Known::Truth(truth_of(arg(0)).not())),
            Op::And | Op::Or => return Some(Known::Truth(self.connected(node))),
            Op::Ite => return self.chosen(node),
            Op::Eq if node.args[0] == node.args[1] => return Some(Known::Truth(Truth::known(true))),
            _ => {}
        }
        let precision = precision_of(self.nodes[*node.args.first()?].sort);
        match (node.args.len(), arg(0)) {
            (1, Known::Bits(a)) => of_bits(node, a),
            (1, Known::Float(a)) => of_float(node, precision?, a),
            (2, a) => of_two(node, precision, (a, arg(1))),
            _ => None,
        }
    }

    fn connected(&self, node: &TermNode) -> Truth {
        let all = node.args.iter().map(|&arg| truth_of(self.known[arg]));
        let both = |all: &mut dyn Iterator<Item = Truth>| {
            all.fold(Truth::known(true), |a, b| Truth {
                may_hold: a.may_hold && b.may_hold,
                may_fail: a.may_fail || b.may_fail,
            })
        };
        match node.op {
            Op::And => both(&mut { all }),
            _ => both(&mut all.map(Truth::not)).not(),
        }
    }

    fn chosen(&self, node: &TermNode) -> Option<Known> {
        let [condition, yes, no] = [0, 1, 2].map(|at| self.known[node.args[at]]);
        let condition = truth_of(condition);
        match (yes, no) {
            _ if !condition.may_fail => Some(yes),
            _ if !condition.may_hold => Some(no),
            (Known::Float(yes), Known::Float(no)) => Some(Known::Float(yes.join(no))),
            (Known::Bits(yes), Known::Bits(no)) => Some(Known::Bits(yes.join(no))),
            (Known::Truth(yes), Known::Truth(no)) => Some(Known::Truth(Truth {
                may_hold: yes.may_hold || no.may_hold,
                may_fail: yes.may_fail || no.may_fail,
            })),
            _ => None,
        }
    }
}

/// The float whose bits a variable is defined to be.
fn float_with_bits(terms: &Terms, variable: TermId, definition: TermId) -> Option<TermId> {
    if terms.op(definition) != Op::Eq {
        return None;
    }
    let is_image = |term: TermId| matches!(terms.op(term), Op::FpFromBits(_)) && terms.args(term)[0] == variable;
    match *terms.args(definition) {
        // The variable comes after what it stands for, or there would be a circle.
        [a, b] if is_image(a) && b < variable => Some(b),
        [a, b] if is_image(b) && a < variable => Some(a),
        _ => None,
    }
}

fn truth_of(known: Known) -> Truth {
    match known {
        Known::Truth(truth) => truth,
        Known::Bits(_) | Known::Float(_) | Known::Anything => Truth::OPEN,
    }
}

fn precision_of(sort: Sort) -> Option<Precision> {
    match sort {
        Sort::Float(format) => Precision::of(format),
        Sort::Bool | Sort::BitVec(_) | Sort::Array { .. } => None,
    }
}

/// Operators of one bit vector.
fn of_bits(node: &TermNode, a: Interval) -> Option<Known> {
    match (node.op, node.sort) {
        (Op::FpFromBits(_), sort) => Some(Known::Float(FloatRange::from_bits(a.unsigned(), precision_of(sort)?))),
        (Op::FpFromSbv(RoundingMode::NearestEven, _), sort) => {
            Some(Known::Float(FloatRange::from_integers(a.signed(), precision_of(sort)?)))
        }
        (Op::FpFromUbv(RoundingMode::NearestEven, _), sort) => {
            let (low, high) = a.unsigned();
            Some(Known::Float(FloatRange::from_integers((low.into(), high.into()), precision_of(sort)?)))
        }
        (op, Sort::BitVec(width)) => interval::unary(op, a, width).map(Known::Bits),
        _ => None,
    }
}

/// Operators of one float.
fn of_float(node: &TermNode, precision: Precision, a: FloatRange) -> Option<Known> {
    let power = |exponent: u32| 2f64.powi(exponent as i32);
    Some(match node.op {
        Op::FpAbs => Known::Float(a.abs()),
        Op::FpNeg => Known::Float(a.neg()),
        Op::FpSqrt(RoundingMode::NearestEven) => Known::Float(a.sqrt(precision)),
        Op::FpRound(mode) => Known::Float(a.round(mode)),
        Op::FpFromFp(RoundingMode::NearestEven, to) => Known::Float(a.convert(Precision::of(to)?)),
        Op::FpToSbv(mode, width) => {
            let (low, high) = a.to_integers(mode, (-power(width - 1), power(width - 1)))?;
            Known::Bits(Interval::full(width)?.meet_signed(low, high)?)
        }
        Op::FpToUbv(mode, width) => {
            let (low, high) = a.to_integers(mode, (0.0, power(width)))?;
            Known::Bits(Interval::full(width)?.meet_unsigned(low, high)?)
        }
        Op::FpIsNan => Known::Truth(a.is_nan()),
        Op::FpIsInf => Known::Truth(a.is_infinite()),
        Op::FpIsZero => Known::Truth(a.is_zero()),
        Op::FpIsNormal => Known::Truth(a.is_normal(precision)),
        Op::FpIsSubnormal => Known::Truth(a.is_subnormal(precision)),
        Op::FpIsNegative => Known::Truth(a.is_negative()),
        Op::FpIsPositive => Known::Truth(a.is_positive()),
        _ => return None,
    })
}

/// Operators of two arguments of one sort.
fn of_two(node: &TermNode, precision: Option<Precision>, args: (Known, Known)) -> Option<Known> {
    match args {
        (Known::Bits(a), Known::Bits(b)) => match (node.op, node.sort) {
            (Op::Eq, _) => Some(Known::Truth(Truth::of(a.equal(b)))),
            (Op::BvUlt, _) => Some(Known::Truth(Truth::of(a.unsigned_less(b)))),
            (Op::BvUle, _) => Some(Known::Truth(Truth::of(b.unsigned_less(a)).not())),
            (Op::BvSlt, _) => Some(Known::Truth(Truth::of(a.signed_less(b)))),
            (Op::BvSle, _) => Some(Known::Truth(Truth::of(b.signed_less(a)).not())),
            (op, Sort::BitVec(width)) => interval::binary(op, a, b, width).map(Known::Bits),
            _ => None,
        },
        (Known::Truth(a), Known::Truth(b)) if node.op == Op::Eq => {
            let may_hold = a.may_hold && b.may_hold || a.may_fail && b.may_fail;
            let may_fail = a.may_hold && b.may_fail || a.may_fail && b.may_hold;
            Some(Known::Truth(Truth { may_hold, may_fail }))
        }
        (Known::Float(a), Known::Float(b)) => of_two_floats(node, precision?, (a, b)),
        _ => None,
    }
}

/// The same term twice is the same value twice.
fn of_two_floats(node: &TermNode, precision: Precision, (a, b): (FloatRange, FloatRange)) -> Option<Known> {
    const EVEN: RoundingMode = RoundingMode::NearestEven;
    let is_same = node.args[0] == node.args[1];
    Some(match node.op {
        Op::FpAdd(EVEN) => Known::Float(a.add(b, precision)),
        Op::FpSub(EVEN) if is_same => Known::Float(a.minus_itself()),
        Op::FpSub(EVEN) => Known::Float(a.sub(b, precision)),
        Op::FpMul(EVEN) if is_same => Known::Float(a.square(precision)),
        Op::FpMul(EVEN) => Known::Float(a.mul(b, precision)),
        Op::FpDiv(EVEN) if is_same => Known::Float(a.by_itself()),
        Op::FpDiv(EVEN) => Known::Float(a.div(b, precision)),
        Op::FpRem => Known::Float(a.rem(b)),
        Op::FpEq if is_same => Known::Truth(a.is_nan().not()),
        Op::FpEq => Known::Truth(a.equal(b)),
        Op::FpLt if is_same => Known::Truth(Truth::known(false)),
        Op::FpLt => Known::Truth(a.less(b)),
        Op::FpLe if is_same => Known::Truth(a.is_nan().not()),
        Op::FpLe => Known::Truth(a.less_or_equal(b)),
        Op::Eq => Known::Truth(a.same(b)),
        _ => return None,
    })
}

fn value(kind: Kind, code: u64) -> Value {
    let bits = kind.bits(code);
    match kind {
        Kind::Bool => Value::Bool(code == 1),
        Kind::Bits(width) => Value::BitVec(BitVec::new(width, bits.into())),
        Kind::Float(precision) => {
            let format = match precision {
                Precision::Half => smt::FloatFormat::HALF,
                Precision::Single => smt::FloatFormat::SINGLE,
                Precision::Double => smt::FloatFormat::DOUBLE,
            };
            let bits = BitVec::new(format.width(), bits.into());
            Value::Float(format, smt::float::canonical(format, bits))
        }
    }
}

/// That a variable has a code in a range.
fn inside(terms: &mut Terms, variable: &Variable, (low, high): (u64, u64)) -> TermId {
    let Variable { term, kind, .. } = *variable;
    let [first, last] = [low, high].map(|code| terms.value_term(&value(kind, code)));
    if low == high {
        return terms.eq(term, first);
    }
    let Kind::Float(precision) = kind else {
        let (above, below) = (terms.bv_ule(first, term), terms.bv_ule(term, last));
        return terms.and([above, below]);
    };
    let is_nan = terms.fp_is_nan(term);
    if high == kind.last() {
        let numbers = inside(terms, variable, (low, high - 1));
        return terms.or([numbers, is_nan]);
    }
    let mut all = vec![terms.fp_le(first, term), terms.fp_le(term, last)];
    // Comparisons do not tell zeros apart.
    if precision.decode(kind.bits(low)).to_bits() == 0 {
        all.push(terms.fp_is_positive(term));
    }
    if precision.decode(kind.bits(high)).to_bits() == 1 << 63 {
        all.push(terms.fp_is_negative(term));
    }
    terms.and(all)
}

#[cfg(test)]
mod tests;
