//! Expressions whose value depends on where objects lie: order and distance of different objects, arithmetic on
//! addresses, comparisons with numbers. Objects have constant addresses in formulas, which is one of many layouts, so
//! the value of such an expression is arbitrary there, except where only offsets into one object matter.
//!
//! Two questions are answered for every expression of the program, by a flow-insensitive analysis: is it an *address*,
//! a value that moves when objects move; and, where an operator makes a number of addresses, does that number depend
//! on the layout. What depends on it becomes arbitrary, and hence is not an address any more.

use crate::layout::is_far_from_objects;
use crate::reuse::{Once, Reuse};
use base::{Id, IdVec};
use cfa::{BinOp, Expr, ExprId, Op, Program, Scalar, Storage, UnOp, VarId};
use flow::Prepared;
use flow::points_to::{ObjectKind, PointsTo, PointsToSet};
use rustc_hash::FxHashMap;

/// How a value depends on the layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Observation {
    /// It does not where both operands point into one object.
    Pair,
    /// It does.
    Alone,
}

/// All expressions of a program whose value depends on the layout.
#[derive(Default)]
pub struct Observed {
    kinds: FxHashMap<ExprId, Observation>,
    /// Whether some pair of pointers must be known to point into one object.
    pub pairs: bool,
}

impl Observed {
    /// Looks at all expressions of a program.
    pub fn new(program: &Prepared, points_to: &PointsTo) -> Observed {
        let once = Once::new(program);
        let mut scan = Scan {
            program,
            points_to,
            reuse: Reuse::new(program, points_to, &once),
            once,
            loads: FxHashMap::default(),
            holds: IdVec::filled(program.vars.len(), false),
            address: Vec::new(),
            kinds: FxHashMap::default(),
        };
        for (id, _) in program.vars.iter() {
            scan.holds[id] = program.register(id) == Some(Scalar::Ptr);
        }
        loop {
            scan.expressions();
            if !scan.assignments() {
                break;
            }
        }
        let pairs = scan.kinds.values().any(|kind| *kind == Observation::Pair);
        Observed { kinds: scan.kinds, pairs }
    }

    /// How the value of an expression depends on the layout, if it does.
    pub fn get(&self, id: ExprId) -> Option<Observation> {
        self.kinds.get(&id).copied()
    }
}

struct Scan<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    reuse: Reuse<'a>,
    once: Once,
    /// Whether an integer in memory may be an address.
    loads: FxHashMap<ExprId, bool>,
    /// Registers that may hold addresses.
    holds: IdVec<VarId, bool>,
    /// By expression.
    address: Vec<bool>,
    kinds: FxHashMap<ExprId, Observation>,
}

impl Scan<'_> {
    fn is_address(&self, id: ExprId) -> bool {
        debug_assert!(id.index() < self.address.len(), "operands come first");
        self.address[id.index()]
    }

    /// Operands have smaller numbers than what uses them.
    fn expressions(&mut self) {
        self.address.clear();
        self.kinds.clear();
        for at in 0..self.program.exprs.len() {
            let id = ExprId::new(at);
            let address = self.expression(id);
            self.address.push(address);
        }
    }

    /// Whether an expression is an address; notes if its value depends on the layout otherwise.
    fn expression(&mut self, id: ExprId) -> bool {
        let exprs = &self.program.exprs;
        match exprs.node(id) {
            Expr::Const { .. } => self.observe(id, self.is_somewhere(id), Observation::Alone),
            Expr::Var(var) => self.holds[var],
            Expr::Addr(_) | Expr::Function(_) => true,
            Expr::Load(_) => match exprs.ty(id) {
                Scalar::Ptr => true,
                Scalar::Int { .. } => {
                    let points_to = self.points_to;
                    *self.loads.entry(id).or_insert_with(|| !points_to.targets(id).places.is_empty())
                }
                Scalar::Bool | Scalar::Float(_) => false,
            },
            Expr::Unary(UnOp::Neg | UnOp::BitNot, a) => self.observe(id, self.is_address(a), Observation::Alone),
            Expr::Unary(..) | Expr::Living(_) => false,
            Expr::Cast(a) => self.cast(id, a),
            Expr::Ite(_, a, b) => self.is_address(a) || self.is_address(b),
            Expr::Binary(op, a, b) => self.binary(id, op, a, b),
        }
    }

    fn observe(&mut self, id: ExprId, observed: bool, how: Observation) -> bool {
        if observed {
            self.kinds.insert(id, how);
        }
        false
    }

    /// Whether a constant pointer may lead to an object of the program: in which layout is not known.
    fn is_somewhere(&self, id: ExprId) -> bool {
        let (exprs, model) = (&self.program.exprs, self.program.model);
        let far = |bits: u128| is_far_from_objects(model, model.pointer_bits(), bits);
        self.points_to.exposed && exprs.ty(id) == Scalar::Ptr && !exprs.constant(id).is_none_or(far)
    }

    fn cast(&mut self, id: ExprId, a: ExprId) -> bool {
        let (from, to) = (self.program.exprs.ty(a), self.program.exprs.ty(id));
        let bits = |ty: Scalar| ty.bits(self.program.model);
        match to {
            // The number may have been compared with an address: it is that of an object in another layout.
            Scalar::Ptr if self.points_to.exposed && from.is_int() && !self.is_address(a) => {
                self.observe(id, self.points_to.targets(id).unknown, Observation::Alone)
            }
            // What is as wide as before is the same address.
            Scalar::Ptr | Scalar::Int { .. } if bits(to) >= bits(from) => self.is_address(a),
            Scalar::Ptr | Scalar::Int { .. } | Scalar::Float(_) | Scalar::Bool => {
                self.observe(id, self.is_address(a), Observation::Alone)
            }
        }
    }

    fn binary(&mut self, id: ExprId, op: BinOp, a: ExprId, b: ExprId) -> bool {
        let (x, y) = (self.is_address(a), self.is_address(b));
        if !x && !y {
            return false;
        }
        match op {
            BinOp::Add | BinOp::PtrAdd if x && y => self.observe(id, true, Observation::Alone),
            BinOp::Add | BinOp::PtrAdd => true,
            BinOp::Sub | BinOp::Eq | BinOp::Lt | BinOp::Le if x && y && self.reuse.matters(self.program, a, b) => {
                self.observe(id, true, Observation::Alone)
            }
            BinOp::Sub if x && y => self.observe(id, !self.one_object(a, b), self.pair([a, b])),
            BinOp::Sub if x => true,
            // No pointer past the end of an object is compared: that is listed with the verdict.
            BinOp::Eq if x && y && self.is_whole(a) => false,
            BinOp::Lt | BinOp::Le if x && y && self.is_whole(a) => {
                self.observe(id, !self.one_object(a, b), self.pair([a, b]))
            }
            BinOp::Eq | BinOp::Lt | BinOp::Le => {
                let number = self.program.exprs.constant(if x { b } else { a });
                let width = self.program.exprs.ty(a).bits(self.program.model);
                let far = number.is_some_and(|bits| is_far_from_objects(self.program.model, width, bits));
                self.observe(id, !(far && self.is_whole(a)), Observation::Alone)
            }
            BinOp::And | BinOp::Or | BinOp::Rem if self.is_whole(a) => match self.masked(op, a, b) {
                Some(Masked::Address) => true,
                Some(Masked::Offset) => false,
                None => self.observe(id, true, Observation::Alone),
            },
            BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Or => {
                self.observe(id, true, Observation::Alone)
            }
            BinOp::Xor | BinOp::Shl | BinOp::Shr => self.observe(id, true, Observation::Alone),
        }
    }

    /// Functions have no slots of their own.
    fn pair(&self, operands: [ExprId; 2]) -> Observation {
        let is_function = |kind: ObjectKind| matches!(kind, ObjectKind::Function(_));
        let places = operands.map(|operand| self.points_to.targets(operand).places);
        let mut objects = places.iter().flatten().map(|place| self.points_to.objects[place.object].kind);
        if objects.any(is_function) { Observation::Alone } else { Observation::Pair }
    }

    fn is_whole(&self, id: ExprId) -> bool {
        let model = self.program.model;
        self.program.exprs.ty(id).bits(model) >= model.pointer_bits()
    }

    /// What `pointer & mask` and `pointer | mask` keep, where the mask ends within the bits that are 0 in the address of
    /// every object that the pointer may point to: tags of pointers are set, removed and looked at that way. The rest of
    /// a division by a power of two is such a mask, too, if nothing is negative.
    fn masked(&self, op: BinOp, a: ExprId, b: ExprId) -> Option<Masked> {
        let (pointer, mask) = match (self.program.exprs.constant(a), self.program.exprs.constant(b)) {
            (None, Some(mask)) => (a, mask),
            (Some(mask), None) if op != BinOp::Rem => (b, mask),
            (Some(_), Some(_) | None) | (None, None) => return None,
        };
        let all = u128::MAX >> (128 - self.program.exprs.ty(pointer).bits(self.program.model));
        let targets = self.points_to.targets(pointer);
        let least = targets.places.iter().map(|place| self.alignment(place.object)).min();
        let least = least.filter(|_| !targets.unknown)?;
        match op {
            BinOp::Or if mask < least => Some(Masked::Address),
            BinOp::And if all & !mask < least => Some(Masked::Address),
            BinOp::And if mask < least => Some(Masked::Offset),
            BinOp::Rem if self.is_unsigned(pointer) && mask.is_power_of_two() && mask <= least => Some(Masked::Offset),
            _ => None,
        }
    }

    fn is_unsigned(&self, id: ExprId) -> bool {
        matches!(self.program.exprs.ty(id), Scalar::Ptr | Scalar::Int { signed: false, .. })
    }

    fn alignment(&self, object: flow::points_to::ObjectId) -> u128 {
        match self.points_to.objects[object].kind {
            ObjectKind::Variable(var) => match self.program.vars[var].storage {
                Storage::Memory { align, .. } => u128::from(align),
                Storage::Register(_) => 1,
            },
            ObjectKind::Allocation(_) => 16,
            ObjectKind::Function(_) | ObjectKind::Unknown => 1,
        }
    }

    /// Whether both operands always point into the same one object.
    fn one_object(&self, a: ExprId, b: ExprId) -> bool {
        let only = |targets: &PointsToSet| match targets.places.first() {
            Some(first) if !targets.unknown && targets.places.iter().all(|place| place.object == first.object) => {
                Some(first.object)
            }
            _ => None,
        };
        let (a, b) = (only(&self.points_to.targets(a)), only(&self.points_to.targets(b)));
        a.is_some() && a == b && a.is_some_and(|object| self.once.is_single(self.points_to.objects[object].kind))
    }

    /// Addresses flow into registers; says whether one more may hold one.
    fn assignments(&mut self) -> bool {
        let mut changed = false;
        let program = self.program;
        let mut flow = |holds: &mut IdVec<VarId, bool>, to: VarId, address: bool| {
            changed |= address && !std::mem::replace(&mut holds[to], true);
        };
        for (_, edge) in program.edges.iter() {
            match &edge.op {
                Op::Assign(var, value) => flow(&mut self.holds, *var, self.address[value.index()]),
                Op::Call { function, args, result } => {
                    let callee = &program.functions[*function];
                    for (param, arg) in callee.params.iter().zip(args) {
                        flow(&mut self.holds, *param, self.address[arg.index()]);
                    }
                    if let (Some(to), Some(from)) = (result, callee.result) {
                        let address = self.holds[from];
                        flow(&mut self.holds, *to, address);
                    }
                }
                Op::Return(Some(value)) => {
                    if let Some(result) = program.functions[program.nodes[edge.from].function].result {
                        flow(&mut self.holds, result, self.address[value.index()]);
                    }
                }
                Op::Skip | Op::Assume(_) | Op::Havoc(..) | Op::Init(_) | Op::Declare(_) | Op::Store { .. } => {}
                Op::Copy { .. } | Op::Fill { .. } | Op::HavocMemory { .. } | Op::Allocate { .. } | Op::Free(_) => {}
                Op::End(_) => {}
                Op::CallPointer { .. } | Op::Return(None) | Op::Library { .. } => {}
                Op::Halt(_) | Op::Unsupported(_) => {}
            }
        }
        changed
    }
}

/// What is left of an address.
enum Masked {
    /// An address.
    Address,
    /// Bits of the offset in its object.
    Offset,
}
