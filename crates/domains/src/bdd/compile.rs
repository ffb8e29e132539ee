//! Expressions and operations as diagrams, each built once. A condition is a pair: the states where it may be true,
//! and those where it may be false. A value is a list of cases: in these states it lies in those ranges.

use super::coding::{Coded, code};
use super::foreign::substitute;
use super::groups::Group;
use super::partition::Partition;
use super::questions::keeps_values;
use super::ranges::Ranges;
use super::transform::Transform;
use bdd::{BddStore, Interrupted};
use cfa::{BinOp, Expr, ExprId, Exprs, Program, Scalar, UnOp, VarId};
use semantics::scalar::{binary, mask};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A value with more cases than this is replaced by the hull of all.
const MOST_CASES: usize = 16384;
/// A set is split by the values of variables with at most so many classes.
const MOST_PARTS: usize = 64;

type Cases<F> = Rc<[(F, Ranges)]>;

/// Parts of a set with the value that a variable has in each.
type Valued<F> = Vec<(F, Option<i128>)>;

/// The diagrams of one program.
pub struct Compiler<S: BddStore> {
    /// Where diagrams live.
    pub store: S,
    /// The program's expressions, and those with known values put in.
    exprs: Exprs,
    /// The tracked variables.
    pub coded: HashMap<VarId, Coded<S::Function>>,
    conditions: HashMap<ExprId, (S::Function, S::Function)>,
    values: HashMap<ExprId, Cases<S::Function>>,
}

impl<S: BddStore> Compiler<S> {
    /// Gives every variable of every group its bits: groups in order, bits of one group interleaved.
    pub fn new(program: &Program, mut store: S, groups: &[Group]) -> Result<Self, Interrupted> {
        let mut coded = HashMap::new();
        for group in groups {
            let width = group.partitions.iter().map(Partition::bits).max().unwrap_or(0);
            let mut next = store.add_variables(group.partitions.iter().map(Partition::bits).sum());
            let mut bits: Vec<Vec<u32>> = vec![Vec::new(); group.vars.len()];
            // The most significant bit comes first in the order: it splits the classes best.
            for place in (0..width).rev() {
                for (bits, _) in bits.iter_mut().zip(&group.partitions).filter(|(_, classes)| place < classes.bits()) {
                    bits.insert(0, next);
                    next += 1;
                }
            }
            for ((var, partition), bits) in group.vars.iter().zip(&group.partitions).zip(bits) {
                coded.insert(*var, code(&store, partition.clone(), bits)?);
            }
        }
        Ok(Self { store, exprs: program.exprs.clone(), coded, conditions: HashMap::new(), values: HashMap::new() })
    }

    /// The expression with constants in the place of some of its parts.
    pub fn with_values(&mut self, root: ExprId, values: &[(ExprId, u128)]) -> ExprId {
        substitute(&mut self.exprs, root, values)
    }

    /// The states where the condition may be true, and where it may be false.
    pub fn condition(&mut self, id: ExprId) -> Result<(S::Function, S::Function), Interrupted> {
        if let Some(known) = self.conditions.get(&id) {
            return Ok(known.clone());
        }
        let result = match self.exprs.node(id) {
            Expr::Const { low, .. } => (self.store.constant(low != 0), self.store.constant(low == 0)),
            Expr::Unary(UnOp::Not, a) => {
                let (yes, no) = self.condition(a)?;
                (no, yes)
            }
            Expr::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b) => {
                let (a, b) = (self.condition(a)?, self.condition(b)?);
                self.connective(op, &a, &b)?
            }
            Expr::Binary(op @ (BinOp::Eq | BinOp::Lt | BinOp::Le), a, b) => self.comparison(op, a, b)?,
            Expr::Ite(c, a, b) => {
                let (c, a, b) = (self.condition(c)?, self.condition(a)?, self.condition(b)?);
                (self.choose(&c, &a.0, &b.0)?, self.choose(&c, &a.1, &b.1)?)
            }
            Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Load(_) | Expr::Unary(..) => self.unknown(),
            Expr::Binary(..) | Expr::Cast(_) | Expr::Living(_) => self.unknown(),
        };
        self.conditions.insert(id, result.clone());
        Ok(result)
    }

    fn unknown(&self) -> (S::Function, S::Function) {
        (self.store.constant(true), self.store.constant(true))
    }

    fn choose(
        &self,
        c: &(S::Function, S::Function),
        a: &S::Function,
        b: &S::Function,
    ) -> Result<S::Function, Interrupted> {
        let store = &self.store;
        store.or(&store.and(&c.0, a)?, &store.and(&c.1, b)?)
    }

    fn connective(
        &self,
        op: BinOp,
        a: &(S::Function, S::Function),
        b: &(S::Function, S::Function),
    ) -> Result<(S::Function, S::Function), Interrupted> {
        let store = &self.store;
        Ok(match op {
            BinOp::And => (store.and(&a.0, &b.0)?, store.or(&a.1, &b.1)?),
            BinOp::Or => (store.or(&a.0, &b.0)?, store.and(&a.1, &b.1)?),
            _ => (self.choose(a, &b.1, &b.0)?, self.choose(a, &b.0, &b.1)?),
        })
    }

    fn comparison(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Result<(S::Function, S::Function), Interrupted> {
        if self.exprs.ty(a) == Scalar::Bool {
            let (a, b) = (self.condition(a)?, self.condition(b)?);
            let (different, same) = self.connective(BinOp::Xor, &a, &b)?;
            return Ok((same, different));
        }
        let (Some(xs), Some(ys)) = (self.value(a)?, self.value(b)?) else { return Ok(self.unknown()) };
        let (mut yes, mut no) = (self.store.constant(false), self.store.constant(false));
        for (when_x, x) in xs.iter() {
            for (when_y, y) in ys.iter() {
                let both = self.store.and(when_x, when_y)?;
                let (may, may_not) = compare(op, x, y);
                if may {
                    yes = self.store.or(&yes, &both)?;
                }
                if may_not {
                    no = self.store.or(&no, &both)?;
                }
            }
        }
        Ok((yes, no))
    }

    /// The cases of an integer expression; `None` for other types.
    fn value(&mut self, id: ExprId) -> Result<Option<Cases<S::Function>>, Interrupted> {
        if let Some(known) = self.values.get(&id) {
            return Ok(Some(known.clone()));
        }
        let ty = self.exprs.ty(id);
        let Some(full) = Ranges::of_type(ty) else { return Ok(None) };
        let cases = match self.exprs.node(id) {
            Expr::Const { .. } => {
                vec![(self.store.constant(true), self.exprs.integer(id).map_or(full, Ranges::single))]
            }
            Expr::Var(var) => match self.coded.get(&var) {
                Some(coded) => coded.codes.iter().cloned().zip(coded.partition.classes.iter().cloned()).collect(),
                None => vec![(self.store.constant(true), full)],
            },
            Expr::Cast(a) if self.exprs.ty(a) == Scalar::Bool => {
                let (yes, no) = self.condition(a)?;
                vec![(yes, Ranges::single(1)), (no, Ranges::single(0))]
            }
            Expr::Cast(a) => self.map(a, &full, |a| a.wrap(ty))?,
            Expr::Unary(UnOp::Neg, a) => self.map(a, &full, |a| a.neg()?.wrap(ty))?,
            Expr::Unary(UnOp::BitNot, a) => self.map(a, &full, |a| a.neg()?.sub(&Ranges::single(1))?.wrap(ty))?,
            Expr::Binary(op, a, b) => self.zip(op, ty, a, b, &full)?,
            Expr::Ite(c, a, b) => {
                let (yes, no) = self.condition(c)?;
                let (Some(a), Some(b)) = (self.value(a)?, self.value(b)?) else { return Ok(None) };
                let mut cases = Vec::new();
                for (guard, side) in [(yes, a), (no, b)] {
                    for (when, ranges) in side.iter() {
                        cases.push((self.store.and(&guard, when)?, ranges.clone()));
                    }
                }
                cases
            }
            Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) | Expr::Living(_) => {
                vec![(self.store.constant(true), full)]
            }
        };
        let cases = self.normalise(cases)?;
        self.values.insert(id, cases.clone());
        Ok(Some(cases))
    }

    fn map(
        &mut self,
        a: ExprId,
        full: &Ranges,
        op: impl Fn(&Ranges) -> Option<Ranges>,
    ) -> Result<Vec<(S::Function, Ranges)>, Interrupted> {
        let Some(cases) = self.value(a)? else { return Ok(vec![(self.store.constant(true), full.clone())]) };
        Ok(cases.iter().map(|(when, a)| (when.clone(), op(a).unwrap_or_else(|| full.clone()))).collect())
    }

    fn zip(
        &mut self,
        op: BinOp,
        ty: Scalar,
        a: ExprId,
        b: ExprId,
        full: &Ranges,
    ) -> Result<Vec<(S::Function, Ranges)>, Interrupted> {
        let (Some(xs), Some(ys)) = (self.value(a)?, self.value(b)?) else {
            return Ok(vec![(self.store.constant(true), full.clone())]);
        };
        if xs.len() * ys.len() > MOST_CASES {
            return Ok(vec![(self.store.constant(true), full.clone())]);
        }
        let mut cases = Vec::with_capacity(xs.len() * ys.len());
        for (when_x, x) in xs.iter() {
            for (when_y, y) in ys.iter() {
                let both = self.store.and(when_x, when_y)?;
                if !self.store.is_false(&both) {
                    let result = self.exact(op, (a, x), (b, y)).or_else(|| arithmetic(op, x, y, ty));
                    cases.push((both, result.unwrap_or_else(|| full.clone())));
                }
            }
        }
        Ok(cases)
    }

    /// The result of an operation on single values, by the one evaluator.
    fn exact(&self, op: BinOp, (a, x): (ExprId, &Ranges), (b, y): (ExprId, &Ranges)) -> Option<Ranges> {
        let (ta, tb, model) = (self.exprs.ty(a), self.exprs.ty(b), self.exprs.model());
        let bits = |ty: Scalar, value: i128| value as u128 & mask(ty.bits(model));
        let result = binary(model, op, ta, tb, bits(ta, x.singleton()?), bits(tb, y.singleton()?))?;
        Ranges::single(result as i128).wrap(ta)
    }

    /// Joins the cases of equal ranges, drops the impossible ones.
    fn normalise(&self, cases: Vec<(S::Function, Ranges)>) -> Result<Cases<S::Function>, Interrupted> {
        let mut joined: BTreeMap<Ranges, S::Function> = BTreeMap::new();
        for (when, ranges) in cases {
            let all = match joined.get(&ranges) {
                Some(other) => self.store.or(other, &when)?,
                None => when,
            };
            if !self.store.is_false(&all) {
                joined.insert(ranges, all);
            }
        }
        Ok(joined.into_iter().map(|(ranges, when)| (when, ranges)).collect())
    }

    /// `var := value`.
    pub fn assign(&mut self, var: VarId, value: ExprId) -> Result<Transform<S::Function>, Interrupted> {
        if !self.coded.contains_key(&var) {
            return Ok(Transform::Keep);
        }
        if let Some(from) = self.copied(value) {
            return self.copy(var, from);
        }
        let Some(cases) = self.value(value)? else { return Ok(self.forget(var)) };
        let coded = &self.coded[&var];
        let mut images: Vec<Vec<S::Function>> = vec![Vec::new(); coded.codes.len()];
        for (when, ranges) in cases.iter() {
            for class in coded.partition.meeting(ranges) {
                images[class].push(when.clone());
            }
        }
        let mut arrows = Vec::new();
        for (class, image) in images.into_iter().enumerate().filter(|(_, image)| !image.is_empty()) {
            arrows.push((self.union(image)?, class));
        }
        self.cases(var, arrows)
    }

    /// The tracked variable whose value this is, whatever it is.
    fn copied(&self, mut value: ExprId) -> Option<VarId> {
        loop {
            match self.exprs.node(value) {
                Expr::Var(var) => return self.coded.contains_key(&var).then_some(var),
                Expr::Cast(inner) if keeps_values(self.exprs.ty(inner), self.exprs.ty(value)) => value = inner,
                _ => return None,
            }
        }
    }

    /// `to := from` for variables, of equal types or not.
    pub fn copy(&self, to: VarId, from: VarId) -> Result<Transform<S::Function>, Interrupted> {
        let Some(target) = self.coded.get(&to) else { return Ok(Transform::Keep) };
        let Some(source) = self.coded.get(&from) else { return Ok(self.forget(to)) };
        let ((low, high), (least, greatest)) = (source.partition.span(), target.partition.span());
        if low < least || greatest < high {
            return Ok(self.forget(to));
        }
        let classes: Vec<Vec<usize>> =
            source.partition.classes.iter().map(|class| target.partition.meeting(class)).collect();
        let mut images: Vec<Vec<S::Function>> = vec![Vec::new(); target.codes.len()];
        for (code, classes) in source.codes.iter().zip(&classes) {
            for &class in classes {
                images[class].push(code.clone());
            }
        }
        // The class that most lead to is the one that all others do not lead to.
        let largest = (0..images.len())
            .max_by_key(|&class| images[class].len())
            .filter(|_| classes.iter().all(|classes| classes.len() == 1));
        let mut arrows = Vec::new();
        let mut others = Vec::new();
        for (class, image) in
            images.into_iter().enumerate().filter(|(class, image)| Some(*class) != largest && !image.is_empty())
        {
            let from = self.union(image)?;
            others.push(from.clone());
            arrows.push((from, class));
        }
        if let Some(class) = largest {
            arrows.push((self.store.not(&self.union(others)?)?, class));
        }
        self.cases(to, arrows)
    }

    /// One assignment of a class to every tracked variable, as a set. The set must not be empty.
    pub fn pick(&self, set: &S::Function) -> Result<S::Function, Interrupted> {
        let Some(assignment) = self.store.pick(set) else { return Ok(set.clone()) };
        let values: Vec<bool> = assignment.into_iter().map(|value| value == Some(true)).collect();
        self.store.element(&values)
    }

    /// A value of the class that the variable has in this element; `None` if it is not tracked.
    pub fn example(&self, element: &S::Function, var: VarId) -> Option<i128> {
        let coded = self.coded.get(&var)?;
        let assignment = self.store.pick(element)?;
        let bit = |at: &u32| usize::from(assignment[*at as usize] == Some(true));
        let bits = coded.bits.iter().enumerate().map(|(place, at)| bit(at) << place).sum::<usize>();
        let class = coded.class_of(bits)?;
        Some(coded.partition.classes[class].example())
    }

    /// Parts of a set in which a variable has one value each; what has no single value is one more part.
    pub fn split(&self, set: &S::Function, var: VarId) -> Result<Valued<S::Function>, Interrupted> {
        let Some(coded) = self.coded.get(&var).filter(|coded| coded.codes.len() <= MOST_PARTS) else {
            return Ok(vec![(set.clone(), None)]);
        };
        let mut parts = Vec::new();
        let mut rest = self.store.constant(false);
        for (code, class) in coded.codes.iter().zip(&coded.partition.classes) {
            let part = self.store.and(set, code)?;
            match class.singleton() {
                _ if self.store.is_false(&part) => {}
                Some(value) => parts.push((part, Some(value))),
                None => rest = self.store.or(&rest, &part)?,
            }
        }
        if !self.store.is_false(&rest) {
            parts.push((rest, None));
        }
        Ok(parts)
    }

    /// What a set says about some of the variables.
    pub fn project(&self, set: &S::Function, keep: impl Fn(VarId) -> bool) -> Result<S::Function, Interrupted> {
        let mut cube = self.store.constant(true);
        for (_, coded) in self.coded.iter().filter(|(var, _)| !keep(**var)) {
            cube = self.store.and(&cube, &coded.cube)?;
        }
        self.store.exists(set, &cube)
    }
}

/// Whether the comparison may hold, and whether it may fail.
fn compare(op: BinOp, x: &Ranges, y: &Ranges) -> (bool, bool) {
    match op {
        BinOp::Lt => (x.lowest() < y.highest(), x.highest() >= y.lowest()),
        BinOp::Le => (x.lowest() <= y.highest(), x.highest() > y.lowest()),
        _ => (x.meets(y), x.singleton().is_none() || x.singleton() != y.singleton()),
    }
}

/// `x op y` as values of type `ty`, for shifts `y` of any type; `None` if nothing is known.
fn arithmetic(op: BinOp, x: &Ranges, y: &Ranges, ty: Scalar) -> Option<Ranges> {
    let unbounded = match op {
        BinOp::Add => x.add(y),
        BinOp::Sub => x.sub(y),
        BinOp::Mul => x.mul(y),
        BinOp::Div => x.div(y),
        BinOp::Rem => x.rem(y),
        BinOp::And if y.lowest() >= 0 && y.singleton().is_some() => Ranges::union(vec![(0, y.highest())]),
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => None,
        BinOp::Eq | BinOp::Lt | BinOp::Le | BinOp::PtrAdd => None,
    }?;
    unbounded.wrap(ty)
}
