//! Side-effect-free typed expressions, hash-consed: equal expressions have equal ids, and the
//! operands of an expression have smaller ids than the expression itself.

use crate::program::{FunctionId, VarId};
use crate::scalar::{DataModel, Scalar};
use base::{Id, define_id};
use rustc_hash::FxHashMap;

define_id!(
    /// An expression of one [`Exprs`] store.
    ExprId,
    "e"
);

/// Operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnOp {
    /// Logical not, on `Bool`.
    Not,
    /// Arithmetic negation, on integers (wraps) and floats.
    Neg,
    /// Bitwise complement, on integers.
    BitNot,
    /// Absolute value of a float.
    Abs,
    /// Square root of a float, correctly rounded.
    Sqrt,
    /// Largest integral float not above.
    Floor,
    /// Smallest integral float not below.
    Ceil,
    /// Integral float towards zero.
    Trunc,
    /// Nearest integral float, halves away from zero (C's `round`).
    Round,
    /// Nearest integral float, halves to even (C's `rint`).
    RoundEven,
    /// Sign bit of a float (also of zeros and NaNs), as `Bool`.
    SignBit,
}

/// Operators of two operands. Both have the same type except for shifts and `PtrAdd`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BinOp {
    /// Addition, on integers (wraps) and floats.
    Add,
    /// Subtraction, on integers (wraps) and floats.
    Sub,
    /// Multiplication, on integers (wraps) and floats.
    Mul,
    /// Division; integers truncate. By integer zero, or `MIN / -1`: by zero arbitrary, `MIN / -1` wraps.
    Div,
    /// Remainder with the dividend's sign (integers; floats: C's `fmod`). By integer zero: arbitrary.
    Rem,
    /// Left shift of an integer by an integer of any type. Over-wide or negative: arbitrary.
    Shl,
    /// Right shift, arithmetic if the left operand is signed. Over-wide or negative: arbitrary.
    Shr,
    /// Bitwise and on integers, logical and on `Bool` (both operands are always defined: no short circuit needed).
    And,
    /// Bitwise or on integers, logical or on `Bool`.
    Or,
    /// Bitwise exclusive or on integers, inequality on `Bool`.
    Xor,
    /// Equality, on any type; IEEE equality on floats. Gives `Bool`.
    Eq,
    /// Less than, on integers, floats and pointers (unsigned). Gives `Bool`.
    Lt,
    /// Less than or equal, on integers, floats and pointers (unsigned). Gives `Bool`.
    Le,
    /// Pointer plus a byte offset of [`DataModel::offset_type`]; stays within the pointer's object.
    PtrAdd,
}

impl BinOp {
    /// Whether the result is a truth value whatever the operands are.
    pub fn is_comparison(self) -> bool {
        matches!(self, BinOp::Eq | BinOp::Lt | BinOp::Le)
    }

    /// How C spells it.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add | BinOp::PtrAdd => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Eq => "==",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
        }
    }
}

/// One node of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Expr {
    /// A constant: the bits of its encoding, zero above the type's width. Read it with [`Exprs::constant`].
    Const {
        /// Bits 0 to 63.
        low: u64,
        /// Bits 64 to 127.
        high: u64,
    },
    /// The value of a register variable.
    Var(VarId),
    /// The address of a memory variable's first byte.
    Addr(VarId),
    /// The address of a function.
    Function(FunctionId),
    /// The value in memory at a pointer, as the type of this expression.
    Load(ExprId),
    /// An operator applied to one operand.
    Unary(UnOp, ExprId),
    /// An operator applied to two operands.
    Binary(BinOp, ExprId, ExprId),
    /// Conversion to the type of this expression: between integers (by the source's signedness), integers and
    /// floats (to integer: towards zero, arbitrary if out of range), floats, pointers and integers of any width,
    /// and from `Bool` to integer (0 or 1).
    Cast(ExprId),
    /// `if .0 then .1 else .2`, without evaluating a trap: all three are defined.
    Ite(ExprId, ExprId, ExprId),
    /// What is asked about the objects that live now.
    Living(Living),
}

/// Questions about living objects. Their answers are defined whatever a pointer is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Living {
    /// How many bytes from this pointer on lie inside one living object, the one that the pointer belongs to: 0 for null,
    /// dead objects and whatever lies before, after or outside. Of [`DataModel::size_type`].
    Room(ExprId),
    /// How many bytes from this pointer on were written since their object came into being, up to the first that was not,
    /// at most [`Living::MOST_WRITTEN`]: what was copied counts as its source does; static objects, what comes from
    /// outside and what lies in no living object count as written. Of [`DataModel::size_type`].
    Written(ExprId),
    /// Whether this pointer is null or the first byte of a living heap object. A `Bool`.
    Freeable(ExprId),
    /// Whether the living object that this pointer points into ends with a zero byte, as one with a terminated text in it
    /// does. A `Bool`.
    Ended(ExprId),
    /// Whether the living object that this pointer points into may be written: not a string literal, and not defined
    /// `const`. What points into none may. A `Bool`.
    Writable(ExprId),
    /// How many heap objects live. Of [`DataModel::size_type`].
    Heap,
    /// Whether no heap object lives. A `Bool`.
    NoHeap,
    /// Whether pointers, to a byte or to the end of an object, lead from globals and living frames to every living heap
    /// object. A `Bool`.
    Tracked,
}

impl Living {
    /// No scalar has more bytes.
    pub const MOST_WRITTEN: u64 = 16;

    /// Every question, those about a pointer about this one.
    pub fn all(pointer: ExprId) -> impl Iterator<Item = Living> {
        let about = [Living::Room, Living::Written, Living::Freeable, Living::Ended, Living::Writable];
        about.into_iter().map(move |question| question(pointer)).chain([Living::Heap, Living::NoHeap, Living::Tracked])
    }

    /// What texts call it.
    pub fn name(self) -> &'static str {
        match self {
            Living::Room(_) => "room",
            Living::Written(_) => "written",
            Living::Freeable(_) => "freeable",
            Living::Ended(_) => "ended",
            Living::Writable(_) => "writable",
            Living::Heap => "heap",
            Living::NoHeap => "no_heap",
            Living::Tracked => "tracked",
        }
    }

    /// The pointer that is asked about.
    pub fn pointer(self) -> Option<ExprId> {
        match self {
            Living::Room(pointer) | Living::Written(pointer) => Some(pointer),
            Living::Freeable(pointer) | Living::Ended(pointer) | Living::Writable(pointer) => Some(pointer),
            Living::Heap | Living::NoHeap | Living::Tracked => None,
        }
    }

    /// The same question about another pointer.
    pub fn about(self, pointer: impl FnOnce(ExprId) -> ExprId) -> Living {
        match self {
            Living::Room(old) => Living::Room(pointer(old)),
            Living::Written(old) => Living::Written(pointer(old)),
            Living::Freeable(old) => Living::Freeable(pointer(old)),
            Living::Ended(old) => Living::Ended(pointer(old)),
            Living::Writable(old) => Living::Writable(pointer(old)),
            Living::Heap | Living::NoHeap | Living::Tracked => self,
        }
    }
}

impl Expr {
    /// The direct operands.
    pub fn operands(self) -> impl Iterator<Item = ExprId> {
        let (all, count) = match self {
            Expr::Const { .. } | Expr::Var(_) | Expr::Addr(_) | Expr::Function(_) => ([ExprId(0); 3], 0),
            Expr::Load(a) | Expr::Unary(_, a) | Expr::Cast(a) => ([a; 3], 1),
            Expr::Binary(_, a, b) => ([a, b, b], 2),
            Expr::Ite(a, b, c) => ([a, b, c], 3),
            Expr::Living(question) => match question.pointer() {
                Some(pointer) => ([pointer; 3], 1),
                None => ([ExprId(0); 3], 0),
            },
        };
        all.into_iter().take(count)
    }
}

/// The store of all expressions of a program. Constructors check types and only do what needs no arithmetic;
/// constant folding belongs to the one evaluator, in `semantics`.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: Vec<(Expr, Scalar)>,
    index: FxHashMap<(Expr, Scalar), ExprId>,
    model: DataModel,
}

impl Exprs {
    /// An empty store.
    pub fn new(model: DataModel) -> Self {
        Self { model, ..Self::default() }
    }

    /// The data model, which fixes the width of pointers.
    pub fn model(&self) -> DataModel {
        self.model
    }

    /// How many different expressions there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// All expressions, operands first.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.nodes.len()).map(ExprId::new)
    }

    /// Whether there is no expression yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node behind an id.
    pub fn node(&self, id: ExprId) -> Expr {
        self.nodes[id.index()].0
    }

    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> Scalar {
        self.nodes[id.index()].1
    }

    /// The bits of a constant; `None` for everything else.
    pub fn constant(&self, id: ExprId) -> Option<u128> {
        match self.node(id) {
            Expr::Const { low, high } => Some(u128::from(low) | u128::from(high) << 64),
            _ => None,
        }
    }

    /// The value of an integer constant of at most 64 bits; `None` for everything else.
    pub fn integer(&self, id: ExprId) -> Option<i128> {
        let bits = self.constant(id)?;
        match self.ty(id) {
            Scalar::Int { bits: width, signed } if width <= 64 => {
                let shift = 128 - u32::from(width);
                Some(if signed { (bits << shift) as i128 >> shift } else { bits as i128 })
            }
            Scalar::Int { .. } | Scalar::Bool | Scalar::Float(_) | Scalar::Ptr => None,
        }
    }

    fn intern(&mut self, expr: Expr, ty: Scalar) -> ExprId {
        *self.index.entry((expr, ty)).or_insert_with(|| {
            self.nodes.push((expr, ty));
            ExprId::new(self.nodes.len() - 1)
        })
    }

    /// A constant of type `ty` with these bits (cut to the type's width).
    pub fn bits(&mut self, ty: Scalar, bits: u128) -> ExprId {
        let width = ty.bits(self.model);
        let bits = if width == 128 { bits } else { bits & ((1 << width) - 1) };
        self.intern(Expr::Const { low: bits as u64, high: (bits >> 64) as u64 }, ty)
    }

    /// An integer (or pointer) constant.
    pub fn int(&mut self, ty: Scalar, value: i128) -> ExprId {
        debug_assert!(ty.is_int() || ty == Scalar::Ptr, "integer constant of type {ty}");
        self.bits(ty, value as u128)
    }

    /// A truth value.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.bits(Scalar::Bool, u128::from(value))
    }

    /// The value of a register variable of type `ty`.
    pub fn var(&mut self, var: VarId, ty: Scalar) -> ExprId {
        self.intern(Expr::Var(var), ty)
    }

    /// The address of a memory variable.
    pub fn addr(&mut self, var: VarId) -> ExprId {
        self.intern(Expr::Addr(var), Scalar::Ptr)
    }

    /// The address of a function.
    pub fn function(&mut self, function: FunctionId) -> ExprId {
        self.intern(Expr::Function(function), Scalar::Ptr)
    }

    /// The value of type `ty` that memory holds at `pointer`.
    pub fn load(&mut self, pointer: ExprId, ty: Scalar) -> ExprId {
        assert_eq!(self.ty(pointer), Scalar::Ptr, "load through a pointer");
        assert_ne!(ty, Scalar::Bool, "truth values are not stored");
        self.intern(Expr::Load(pointer), ty)
    }

    /// The type of an operator's result; `None` if it has none for such an operand.
    pub(crate) fn unary_type(op: UnOp, ty: Scalar) -> Option<Scalar> {
        match op {
            UnOp::Not => (ty == Scalar::Bool).then_some(ty),
            UnOp::Neg => (ty.is_int() || ty.is_float()).then_some(ty),
            UnOp::BitNot => ty.is_int().then_some(ty),
            UnOp::Abs | UnOp::Sqrt | UnOp::Floor | UnOp::Ceil | UnOp::Trunc | UnOp::Round | UnOp::RoundEven => {
                ty.is_float().then_some(ty)
            }
            UnOp::SignBit => ty.is_float().then_some(Scalar::Bool),
        }
    }

    /// An operator applied to one operand.
    pub fn unary(&mut self, op: UnOp, a: ExprId) -> ExprId {
        if op == UnOp::Not {
            return self.not(a);
        }
        let ty = self.ty(a);
        let result = Self::unary_type(op, ty).unwrap_or_else(|| panic!("{op:?} of {ty}"));
        self.intern(Expr::Unary(op, a), result)
    }

    /// Logical negation. Comparisons of integers and pointers turn around, double negation goes away.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        assert_eq!(self.ty(a), Scalar::Bool, "not of a truth value");
        match self.node(a) {
            Expr::Const { low, .. } => self.bool(low == 0),
            Expr::Unary(UnOp::Not, inner) => inner,
            Expr::Binary(BinOp::Lt, x, y) if !self.ty(x).is_float() => self.binary(BinOp::Le, y, x),
            Expr::Binary(BinOp::Le, x, y) if !self.ty(x).is_float() => self.binary(BinOp::Lt, y, x),
            _ => self.intern(Expr::Unary(UnOp::Not, a), Scalar::Bool),
        }
    }

    /// The type of an operator's result; `None` if it has none for such operands.
    pub(crate) fn binary_type(&self, op: BinOp, a: Scalar, b: Scalar) -> Option<Scalar> {
        let number = a.is_int() || a.is_float();
        let (fits, result) = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div | BinOp::Rem => (number && a == b, a),
            BinOp::Shl | BinOp::Shr => (a.is_int() && b.is_int(), a),
            BinOp::And | BinOp::Or | BinOp::Xor => ((a.is_int() || a == Scalar::Bool) && a == b, a),
            BinOp::Eq => (a == b, Scalar::Bool),
            BinOp::Lt | BinOp::Le => ((number || a == Scalar::Ptr) && a == b, Scalar::Bool),
            BinOp::PtrAdd => (a == Scalar::Ptr && b == self.model.offset_type(), a),
        };
        fits.then_some(result)
    }

    /// An operator applied to two operands.
    pub fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let (ta, tb) = (self.ty(a), self.ty(b));
        let result = self.binary_type(op, ta, tb).unwrap_or_else(|| panic!("{op:?} of {ta} and {tb}"));
        self.intern(Expr::Binary(op, a, b), result)
    }

    /// Whether values of one type convert to the other.
    pub(crate) fn may_cast(from: Scalar, to: Scalar) -> bool {
        from == to
            || match (from, to) {
                (_, Scalar::Bool) => false,
                (Scalar::Bool | Scalar::Ptr, to) => to.is_int(),
                (from, Scalar::Ptr) => from.is_int(),
                (Scalar::Int { .. } | Scalar::Float(_), Scalar::Int { .. } | Scalar::Float(_)) => true,
            }
    }

    /// Conversion to `ty`; nothing if the type is that already.
    pub fn cast(&mut self, a: ExprId, ty: Scalar) -> ExprId {
        let from = self.ty(a);
        if from == ty {
            return a;
        }
        assert!(Self::may_cast(from, ty), "cast from {from} to {ty}");
        self.intern(Expr::Cast(a), ty)
    }

    /// A choice between two values of one type.
    pub fn ite(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        assert_eq!(self.ty(condition), Scalar::Bool, "condition of a choice");
        assert_eq!(self.ty(a), self.ty(b), "branches of a choice");
        match self.constant(condition) {
            Some(0) => b,
            Some(_) => a,
            None if a == b => a,
            None => self.intern(Expr::Ite(condition, a, b), self.ty(a)),
        }
    }

    /// The answer to a question about the objects that live.
    pub fn living(&mut self, question: Living) -> ExprId {
        if let Some(pointer) = question.pointer() {
            assert_eq!(self.ty(pointer), Scalar::Ptr, "{question:?} of a pointer");
        }
        let ty = match question {
            Living::Room(_) | Living::Written(_) | Living::Heap => self.model.size_type(),
            Living::Freeable(_) | Living::Ended(_) | Living::Writable(_) => Scalar::Bool,
            Living::NoHeap | Living::Tracked => Scalar::Bool,
        };
        self.intern(Expr::Living(question), ty)
    }

    /// Whether `size` bytes (of the size type) from `pointer` on lie inside one living object; always if there are none.
    pub fn valid(&mut self, pointer: ExprId, size: ExprId) -> ExprId {
        let room = self.living(Living::Room(pointer));
        self.binary(BinOp::Le, size, room)
    }

    /// Whether this many bytes from `pointer` on, those of a scalar, were written.
    pub fn written(&mut self, pointer: ExprId, bytes: u64) -> ExprId {
        debug_assert!(bytes <= Living::MOST_WRITTEN, "a scalar is read");
        let (size, written) = (self.int(self.model.size_type(), bytes.into()), self.living(Living::Written(pointer)));
        self.binary(BinOp::Le, size, written)
    }

    /// The pointer that a sum of a pointer and offsets starts from.
    pub fn root(&self, mut pointer: ExprId) -> ExprId {
        while let Expr::Binary(BinOp::PtrAdd, base, _) = self.node(pointer) {
            pointer = base;
        }
        pointer
    }

    /// What an expression is before it is cast.
    pub fn without_casts(&self, mut id: ExprId) -> ExprId {
        while let Expr::Cast(a) = self.node(id) {
            id = a;
        }
        id
    }

    /// Whether two operands are pointers, whatever they are cast to.
    pub fn are_pointers(&self, a: ExprId, b: ExprId) -> bool {
        [a, b].iter().all(|&id| self.ty(self.without_casts(id)) == Scalar::Ptr)
    }

    /// Calls `visit` on every expression below `root`, each once, operands first. Does not recurse.
    pub fn visit(&self, root: ExprId, mut visit: impl FnMut(ExprId, Expr)) {
        let mut seen = std::collections::HashSet::new();
        let mut stack = vec![(root, false)];
        while let Some((id, done)) = stack.pop() {
            if done {
                visit(id, self.node(id));
            } else if seen.insert(id) {
                stack.push((id, true));
                stack.extend(self.node(id).operands().map(|operand| (operand, false)));
            }
        }
    }
}
