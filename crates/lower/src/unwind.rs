//! Jumps out of functions: `longjmp`, and `goto` out of a function inside another.
//!
//! A jump sets the global register `$unwind` to the activation it wants, and the function returns. After every call
//! control asks for it: in that activation it goes on where the jump leads, elsewhere the function returns as well.
//! Activations with such places have numbers of their own, so one that has ended is never found again; the start of
//! the program says then that this is not modelled. Programs without such jumps never see any of it.

use crate::body::{Body, Label};
use crate::context::{Lowering, Lowers, Value};
use crate::ends::{Destination, Position};
use base::{Span, Symbol};
use cfa::types::{IntKind, Type};
use cfa::{BinOp, ExprId, Node, Op, Scalar, Storage, VarId, VarKind, Variable};
use syntax::ast::{self, DeclKind, List, StmtKind};

/// The global registers of jumps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unwinding {
    /// The activation that is wanted; 0 if none is.
    target: VarId,
    /// Which of its places.
    site: VarId,
    /// What `setjmp` returns there.
    value: VarId,
    /// The number of the last activation.
    last: VarId,
}

/// Numbers of activations.
const NUMBER: Scalar = Scalar::Int { bits: 64, signed: false };

/// Where `setjmp` keeps the place, after the activation.
const SITE_OFFSET: u64 = 8;

/// Functions that jump, and those that say where to.
const NAMES: &[&str] = &[
    "setjmp",
    "_setjmp",
    "sigsetjmp",
    "__sigsetjmp",
    "__builtin_setjmp",
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__builtin_longjmp",
];

impl Lowering<'_> {
    /// Makes the registers if the program may jump out of functions.
    pub fn find_unwinding(&mut self) {
        if !NAMES.iter().any(|name| self.is_named(name)) && !self.units.iter().any(may_leave_inner_functions) {
            return;
        }
        let (int, wide) = (self.basic.int, self.intern(Type::Int(IntKind::ULongLong)));
        self.unwinding = Some(Unwinding {
            target: self.hidden_register("$unwind", wide, NUMBER),
            site: self.hidden_register("$site", int, Scalar::INT),
            value: self.hidden_register("$jumped", int, Scalar::INT),
            last: self.hidden_register("$activations", wide, NUMBER),
        });
    }

    /// Nothing jumps when the program starts.
    pub fn initial_unwinding(&mut self) {
        let Some(Unwinding { target, site, value, last }) = self.unwinding else { return };
        for register in [target, site, value, last] {
            let scalar = self.program.register(register).expect("made as registers");
            let zero = self.number(scalar, 0);
            self.emit(Op::Assign(register, zero));
        }
    }

    /// After a call: goes on only if nothing jumps.
    pub fn ask_for_jumps(&mut self) {
        let Some(Unwinding { target, .. }) = self.unwinding else { return };
        let (wanted, none) = (self.var(target), self.number(NUMBER, 0));
        let calm = self.binary(BinOp::Eq, wanted, none);
        let (on, out) = (self.node(), self.way_out());
        self.fork_to(calm, on, out);
        self.body.at = on;
    }

    /// Where control goes in this function when something jumps.
    fn way_out(&mut self) -> Node {
        match self.body.way_out {
            Some(node) => node,
            None => {
                let node = self.node();
                self.body.way_out = Some(node);
                node
            }
        }
    }

    fn jump_out(&mut self) {
        let out = self.way_out();
        self.jump(out);
    }

    /// The body is complete: jumps that came here go on at their places, others to the caller.
    pub fn finish_jumps_out(&mut self) {
        let Some(Unwinding { target, site, last, .. }) = self.unwinding else { return };
        if let Some(own) = self.body.activation {
            let (old, first) = (self.body.entry, self.node());
            (self.body.entry, self.body.at) = (first, first);
            let (count, one) = (self.var(last), self.number(NUMBER, 1));
            let next = self.binary(BinOp::Add, count, one);
            self.emit(Op::Assign(last, next));
            self.emit(Op::Assign(own, count));
            let at = self.body.at;
            self.join(at, old);
        }
        let Some(out) = self.body.way_out else { return };
        self.body.at = out;
        if let Some(own) = self.body.activation {
            let (wanted, own) = (self.var(target), self.var(own));
            let mine = self.binary(BinOp::Eq, wanted, own);
            let (here, elsewhere) = self.fork(mine);
            self.body.at = here;
            let none = self.number(NUMBER, 0);
            self.emit(Op::Assign(target, none));
            for (number, place) in std::mem::take(&mut self.body.sites).into_iter().enumerate() {
                let (wanted, number) = (self.var(site), self.number(Scalar::INT, number as i128));
                let same = self.binary(BinOp::Eq, wanted, number);
                let (yes, no) = self.fork(same);
                self.body.at = yes;
                self.arrive(place);
                self.body.at = no;
            }
            self.unsupported("jump to a place that does not exist");
            self.halt(None);
            self.body.at = elsewhere;
        }
        self.return_to_jump();
    }

    /// What is returned is never seen.
    fn return_to_jump(&mut self) {
        match self.body.result {
            Some(result) => {
                let value = self.scalar(result).map(|scalar| self.program.exprs.bits(scalar, 0));
                self.leave_at_once(value);
            }
            None => {
                self.unsupported("jump to a function that has returned");
                self.halt(None);
            }
        }
    }

    /// The register with the activation of an enclosing function, or of the one at hand.
    fn activation(&mut self, level: usize) -> VarId {
        let body = self.body_at(level);
        if let Some(var) = body.activation {
            return var;
        }
        let function = body.function;
        let name = self.program.names.intern("$activation");
        let (ty, span) = (self.intern(Type::Int(IntKind::ULongLong)), self.here);
        let (kind, storage) = (VarKind::Temporary, Storage::Register(NUMBER));
        let var = self.program.vars.push(Variable { name, function, kind, ty, storage, init: Box::default(), span });
        let body = self.body_at(level);
        body.locals.push(var);
        body.activation = Some(var);
        var
    }

    fn body_at(&mut self, level: usize) -> &mut Body {
        self.enclosing.get_mut(level).unwrap_or(&mut self.body)
    }

    /// A new place to jump to; its number.
    fn new_site(&mut self, level: usize, place: Destination) -> ExprId {
        let sites = &mut self.body_at(level).sites;
        sites.push(place);
        let number = sites.len() as i128 - 1;
        self.number(Scalar::INT, number)
    }

    /// The level of the enclosing function whose label a name means here, if it is not one of this function.
    pub fn outer_label(&self, name: Symbol) -> Option<usize> {
        if self.body.labels.contains_key(&name) || self.body.own_labels.contains(&name) {
            return None;
        }
        self.enclosing.iter().rposition(|body| body.own_labels.contains(&name))
    }

    /// That label, made at its first use.
    pub fn label_at(&mut self, level: usize, name: Symbol, span: Span) -> &mut Label {
        let body = self.body_at(level);
        if !body.labels.contains_key(&name) {
            let position = Position::default();
            let label = Label { node: body.node(), defined: false, position, span, address: None };
            body.labels.insert(name, label);
        }
        body.labels.get_mut(&name).expect("just made")
    }

    /// `goto` a label of an enclosing function.
    pub fn goto_outer(&mut self, level: usize, name: Symbol, span: Span) {
        let Some(Unwinding { target, site, .. }) = self.unwinding else {
            unreachable!("labels of enclosing functions are found before")
        };
        self.body.outer_labels.insert(name);
        self.label_at(level, name, span);
        let number = self.new_site(level, Destination::Label(name));
        let activation = self.activation(level);
        let activation = self.var(activation);
        self.emit(Op::Assign(target, activation));
        self.emit(Op::Assign(site, number));
        self.jump_out();
    }

    /// `setjmp(buffer)`: returns 0, and again after every jump there.
    pub fn set_jump(&mut self, args: List<ast::ExprId>) -> Lowers<Value> {
        let (int, void_ptr) = (self.basic.int, self.basic.void_ptr);
        let buffer = self.converted(args, &[void_ptr])?[0];
        let Some(Unwinding { value, .. }) = self.unwinding else {
            return Ok(self.unsupported_value("setjmp", int));
        };
        self.assume(
            "variables that changed between setjmp and longjmp keep their values (C guarantees this only for volatile ones)",
        );
        let again = self.node();
        let level = self.enclosing.len();
        let place = Destination::Known(again, self.position());
        let (own, number) = (self.activation(level), self.new_site(level, place));
        let own = self.var(own);
        self.emit(Op::Store { to: buffer, value: own });
        let to = self.offset(buffer, SITE_OFFSET);
        self.emit(Op::Store { to, value: number });
        let result = self.temporary(int, Scalar::INT);
        let zero = self.number(Scalar::INT, 0);
        self.emit(Op::Assign(result, zero));
        let (at, jumped) = (self.body.at, self.var(value));
        self.body.at = again;
        self.emit(Op::Assign(result, jumped));
        let after = self.body.at;
        self.join(at, after);
        Ok(Value { ty: int, expr: self.var(result) })
    }

    /// `longjmp(buffer, value)`
    pub fn long_jump(&mut self, args: List<ast::ExprId>) -> Lowers<Value> {
        let (int, void_ptr) = (self.basic.int, self.basic.void_ptr);
        let values = self.converted(args, &[void_ptr, int])?;
        let Some(Unwinding { target, site, value, .. }) = self.unwinding else {
            self.unsupported("longjmp");
            return Ok(self.void_value());
        };
        let [zero, one] = [0, 1].map(|number| self.number(Scalar::INT, number));
        let is_zero = self.binary(BinOp::Eq, values[1], zero);
        let given = self.ite(is_zero, one, values[1]);
        self.emit(Op::Assign(value, given));
        let at = self.offset(values[0], SITE_OFFSET);
        let number = self.load(at, Scalar::INT);
        self.emit(Op::Assign(site, number));
        let activation = self.load(values[0], NUMBER);
        self.emit(Op::Assign(target, activation));
        let (wanted, none) = (self.var(target), self.number(NUMBER, 0));
        let unset = self.binary(BinOp::Eq, wanted, none);
        let (yes, no) = self.fork(unset);
        self.body.at = yes;
        self.unsupported("longjmp to where no setjmp was");
        self.halt(None);
        self.body.at = no;
        self.jump_out();
        Ok(self.void_value())
    }
}

/// Whether a unit has functions inside functions and labels that these may jump to.
fn may_leave_inner_functions(unit: &syntax::Ast) -> bool {
    let functions = unit.decls.iter().filter(|(_, decl)| matches!(decl.kind, DeclKind::Function { .. })).count();
    let outer = unit.items.iter().filter(|&&item| matches!(unit[item].kind, DeclKind::Function { .. })).count();
    functions > outer && unit.stmts.iter().any(|(_, stmt)| matches!(stmt.kind, StmtKind::LocalLabels(_)))
}
