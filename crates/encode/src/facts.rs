//! Facts of other analyses: truth values over the program's variables, in expression stores of their own.

use crate::Encoder;
use crate::path::PathFormula;
use cfa::{Expr, ExprId, Exprs, Living};
use flow::uses::direct;
use rustc_hash::FxHashMap;
use smt::TermId;

/// Which memory a fact may read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// Pieces of variables that are only accessed by name.
    Pieces,
    /// These, and arrays through the program's own pointers.
    Arrays,
}

impl Encoder<'_> {
    /// The expression `root` of another store as one of this encoder; `None` if it reads memory that the program does
    /// not read in the same way, for which no region is known, or memory in arrays.
    pub fn import(&mut self, exprs: &Exprs, root: ExprId) -> Option<ExprId> {
        self.import_reading(Reads::Pieces, exprs, root)
    }

    /// [`Encoder::import`], also of what reads arrays through pointers that the program uses, for facts that are
    /// dropped where they do not hold: outside the object that is read, they need not hold.
    pub fn import_guess(&mut self, exprs: &Exprs, root: ExprId) -> Option<ExprId> {
        self.import_reading(Reads::Arrays, exprs, root)
    }

    fn import_reading(&mut self, reads: Reads, exprs: &Exprs, root: ExprId) -> Option<ExprId> {
        let mut order = Vec::new();
        exprs.visit(root, |id, node| order.push((id, node)));
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for (id, node) in order {
            let ty = exprs.ty(id);
            let own = &mut self.exprs;
            let new = match node {
                Expr::Const { .. } => own.bits(ty, exprs.constant(id).expect("the node is a constant")),
                Expr::Var(var) => own.var(var, ty),
                Expr::Addr(var) => own.addr(var),
                Expr::Function(function) => own.function(function),
                Expr::Load(pointer) => {
                    let pointer = known[&pointer];
                    let through = reads == Reads::Arrays && self.model.regions.is_accessed(pointer);
                    if !through && !self.is_piece(pointer, ty.bytes(self.program.model)) {
                        return None;
                    }
                    self.exprs.load(pointer, ty)
                }
                Expr::Unary(op, a) => own.unary(op, known[&a]),
                Expr::Binary(op, a, b) => own.binary(op, known[&a], known[&b]),
                Expr::Cast(a) => own.cast(known[&a], ty),
                Expr::Ite(a, b, c) => own.ite(known[&a], known[&b], known[&c]),
                Expr::Living(question) => {
                    let question = question.about(|pointer| known[&pointer]);
                    let known = match question {
                        Living::Written(_) => self.model.written.is_some(),
                        _ => self.model.living.as_ref().is_some_and(|living| living.knows(question)),
                    };
                    if !known {
                        return None;
                    }
                    own.living(question)
                }
            };
            known.insert(id, new);
        }
        Some(known[&root])
    }

    /// Whether so many bytes at a pointer are whole pieces of a variable that is only accessed by name.
    fn is_piece(&self, pointer: ExprId, bytes: u64) -> bool {
        let place = direct(&self.exprs, pointer).filter(|place| self.model.pieces[place.var].is_some());
        place.is_some_and(|place| {
            place.offset.is_some_and(|offset| self.whole_pieces(place.var, offset, bytes) == bytes)
        })
    }

    /// `path` where a truth value of the program holds at its end.
    pub fn assume_fact(&mut self, mut path: PathFormula, fact: ExprId) -> Option<PathFormula> {
        let condition: TermId = self.eval(&mut path, fact, 0);
        self.assume(path, condition)
    }
}
