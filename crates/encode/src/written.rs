//! Which bytes were written since their object came into being: what checks for uninitialised values ask. A table has a flag
//! for the address of each byte; formulas keep it where a program asks, nowhere else.
//!
//! What cannot be told leaves flags as they are, or makes them arbitrary: a byte whose flag is set was surely written. So
//! proofs may rest on flags, and an execution that reads what was never written is confirmed by the interpreter anyway.

use crate::Encoder;
use crate::path::PathFormula;
use crate::regions::Region;
use cfa::{Allocation, BinOp, EdgeId, Expr, ExprId, Living, Program, Scalar, VarId};
use flow::points_to::{ObjectKind, PointsTo};
use flow::spoiled::Spoiled;
use flow::uses::size_of;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{BitVec, TermId};

/// A pointer to more variables than this may lead anywhere.
const MOST_VARIABLES: usize = 4;
/// Longer ranges are not followed byte by byte.
const MOST_BYTES: u64 = 64;
/// Of larger static objects it is not known that they hold something at first, if bytes are copied there that need not.
const MOST_STATIC: u64 = 1024;

/// What a program asks about written bytes.
pub(crate) struct Flags {
    /// Pointers that lead to static objects only which always hold what was written.
    statics: FxHashSet<ExprId>,
    /// The others: bytes that never were may be copied there.
    spoiled: Spoiled,
    /// How many bytes are asked about at a pointer.
    asked: FxHashMap<ExprId, u64>,
    /// The few variables that a pointer may lead to.
    variables: FxHashMap<ExprId, Vec<VarId>>,
}

impl Flags {
    /// `None` if the program asks nothing.
    pub fn new(program: &Program, points_to: &PointsTo) -> Option<Flags> {
        let exprs = &program.exprs;
        let mut asked: FxHashMap<ExprId, u64> = FxHashMap::default();
        for id in exprs.ids() {
            if let Expr::Binary(BinOp::Le, bytes, question) = exprs.node(id)
                && let Expr::Living(Living::Written(pointer)) = exprs.node(question)
            {
                let bytes = exprs.constant(bytes).and_then(|bytes| u64::try_from(bytes).ok());
                let bytes = bytes.unwrap_or(Living::MOST_WRITTEN).min(Living::MOST_WRITTEN);
                let most = asked.entry(pointer).or_default();
                *most = bytes.max(*most);
            }
        }
        if asked.is_empty() {
            return None;
        }
        let spoiled = Spoiled::new(program);
        let starts = |edge: EdgeId| program.nodes[program.edges[edge].from].function == program.entry;
        let is_static = |kind: &ObjectKind| match *kind {
            ObjectKind::Variable(var) => program.vars[var].kind.is_static() && !spoiled.contains(var),
            // The arguments of the program.
            ObjectKind::Allocation(edge) => starts(edge),
            ObjectKind::Function(_) | ObjectKind::Unknown => false,
        };
        let (mut statics, mut variables) = (FxHashSet::default(), FxHashMap::default());
        for pointer in exprs.ids().filter(|&id| exprs.ty(id) == Scalar::Ptr) {
            let targets = points_to.targets(pointer);
            let kinds: Vec<&ObjectKind> =
                targets.places.iter().map(|place| &points_to.objects[place.object].kind).collect();
            if targets.unknown || kinds.is_empty() {
                continue;
            }
            if kinds.iter().all(|&kind| is_static(kind)) {
                statics.insert(pointer);
            }
            let mut vars: Vec<VarId> = kinds
                .iter()
                .filter_map(|kind| if let ObjectKind::Variable(var) = kind { Some(*var) } else { None })
                .collect();
            debug_assert!(targets.places.is_sorted_by_key(|place| place.object), "places of one object stand together");
            vars.dedup();
            if vars.len() <= MOST_VARIABLES {
                variables.insert(pointer, vars);
            }
        }
        Some(Flags { statics, spoiled, asked, variables })
    }
}

impl Encoder<'_> {
    fn flags(&self, pointer: ExprId) -> Option<Region> {
        let flags = self.model.written.as_ref()?;
        if flags.statics.contains(&pointer) { None } else { self.model.regions.written_bytes() }
    }

    /// How many bytes from an address on were written, as far as anybody asks.
    pub(crate) fn written(&mut self, path: &mut PathFormula, asked: ExprId, address: TermId) -> TermId {
        let model = self.model.clone();
        let flags = model.written.as_ref().expect("the program asks");
        let most = flags.asked.get(&asked).copied().unwrap_or(Living::MOST_WRITTEN);
        assert!(most <= Living::MOST_WRITTEN, "no question is about more");
        let mut count = self.address(Living::MOST_WRITTEN);
        let Some(region) = self.flags(asked) else { return count };
        for at in (0..most).rev() {
            let index = self.offset_by(address, at);
            let flag = self.read_halves(path, region, index);
            let written = self.terms.bv_is_nonzero(flag);
            let so_far = self.address(at);
            count = self.terms.ite(written, count, so_far);
        }
        count
    }

    fn set_flags(&mut self, path: &mut PathFormula, region: Region, address: TermId, bytes: u64, written: bool) {
        assert!(bytes <= MOST_BYTES, "longer ranges are not followed");
        let flag = self.terms.bv(BitVec::new(8, u128::from(written)));
        for at in 0..bytes {
            let index = self.offset_by(address, at);
            self.write_conditionally(path, region, index, flag);
        }
    }

    /// A value, or a range that is short enough, was written.
    pub(crate) fn mark_written(&mut self, path: &mut PathFormula, to: ExprId, bytes: Option<u64>, depth: u32) {
        if let (Some(region), Some(bytes @ ..=MOST_BYTES)) = (self.flags(to), bytes) {
            let address = self.eval(path, to, depth);
            self.set_flags(path, region, address, bytes, true);
        }
    }

    /// A function without body wrote all of the object that a pointer leads to, if it is one of few short variables.
    pub(crate) fn mark_object(&mut self, path: &mut PathFormula, to: ExprId, depth: u32) {
        let Some(region) = self.flags(to) else { return };
        let model = self.model.clone();
        let known = model.written.as_ref().and_then(|flags| flags.variables.get(&to));
        let (pointer, yes) = (self.eval(path, to, depth), self.terms.bv(BitVec::one(8)));
        for &var in known.into_iter().flatten() {
            let Some(size @ ..=MOST_BYTES) = size_of(self.program, var) else { continue };
            let start = self.address_of(path, var, 0);
            let (offset, bytes) = (self.terms.bv_sub(pointer, start), self.address(size));
            let inside = self.terms.bv_ult(offset, bytes);
            for at in 0..size {
                let index = self.offset_by(start, at);
                let old = self.read_halves(path, region, index);
                let new = self.terms.ite(inside, yes, old);
                self.write_conditionally(path, region, index, new);
            }
        }
    }

    /// The size of a range, if it is constant.
    pub(crate) fn constant_size(&self, size: ExprId) -> Option<u64> {
        self.exprs.constant(size).and_then(|size| u64::try_from(size).ok())
    }

    /// What is copied was written where its source was.
    pub(crate) fn copy_written(&mut self, path: &mut PathFormula, to: ExprId, from: ExprId, size: ExprId, depth: u32) {
        let Some(region) = self.flags(to) else { return };
        let Some(bytes @ ..=MOST_BYTES) = self.constant_size(size) else { return self.forget_region(path, region) };
        if self.flags(from).is_none() {
            return self.mark_written(path, to, Some(bytes), depth);
        }
        let (target, source) = (self.eval(path, to, depth), self.eval(path, from, depth));
        let flags: Vec<TermId> = (0..bytes)
            .map(|at| {
                let index = self.offset_by(source, at);
                self.read_halves(path, region, index)
            })
            .collect();
        for (at, flag) in flags.into_iter().enumerate() {
            let index = self.offset_by(target, at as u64);
            self.write_conditionally(path, region, index, flag);
        }
    }

    /// Nothing was written to a local that comes into being.
    pub(crate) fn unwritten_local(&mut self, path: &mut PathFormula, var: VarId, depth: u32) {
        if let (Some(region), Some(_)) = (self.model.regions.written_bytes(), self.program.vars[var].function) {
            let address = self.address_of(path, var, depth);
            self.unwritten(path, region, address, size_of(self.program, var));
        }
    }

    /// A static object that is followed holds something at first.
    pub(crate) fn written_static(&mut self, path: &mut PathFormula, var: VarId) {
        let model = self.model.clone();
        let Some(flags) = model.written.as_ref().filter(|flags| flags.spoiled.contains(var)) else { return };
        debug_assert!(!flags.asked.is_empty(), "flags are kept where they are asked about");
        if let (Some(region), Some(bytes @ ..=MOST_STATIC)) =
            (model.regions.written_bytes(), size_of(self.program, var))
        {
            let (start, yes) = (self.address_of(path, var, 0), self.terms.bv(BitVec::one(8)));
            for at in 0..bytes {
                let index = self.offset_by(start, at);
                self.write_conditionally(path, region, index, yes);
            }
        }
    }

    /// Nothing was written to a new object, unless it begins with zeros.
    pub(crate) fn unwritten_object(
        &mut self,
        path: &mut PathFormula,
        address: TermId,
        size: Option<u64>,
        how: Allocation,
    ) {
        let Some(region) = self.model.regions.written_bytes() else { return };
        match (how, size) {
            (Allocation::HeapZeroed, Some(bytes @ ..=MOST_BYTES)) => {
                self.set_flags(path, region, address, bytes, true);
            }
            (Allocation::Resize(_), _) => self.forget_region(path, region),
            (Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack, _) => {
                self.unwritten(path, region, address, size);
            }
        }
    }

    fn unwritten(&mut self, path: &mut PathFormula, region: Region, address: TermId, size: Option<u64>) {
        match size {
            Some(bytes @ ..=MOST_BYTES) => self.set_flags(path, region, address, bytes, false),
            Some(_) | None => self.forget_region(path, region),
        }
    }
}
