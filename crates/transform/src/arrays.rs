//! Which memory is abstracted: regions of one object that exists at most once at a time, read and written as one
//! scalar type, at offsets that can be computed.

use base::{Cancel, Stopped};
use cfa::{Allocation, BinOp, EdgeId, Expr, ExprId, Exprs, FunctionId, Op, Program, Scalar, Storage};
use flow::points_to::{ObjectId, ObjectKind, PointsTo};
use flow::regions::{Region, Regions};
use flow::{Prepared, Uses};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An array: one region of one object.
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub object: ObjectId,
    pub ty: Scalar,
    /// For people.
    pub name: String,
}

/// An access to an array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub edge: EdgeId,
    pub region: Region,
    pub pointer: ExprId,
    /// In bytes from the start of the object, over the program's expressions.
    pub offset: ExprId,
}

pub(crate) struct Arrays {
    pub points_to: Arc<PointsTo>,
    pub memory: Regions,
    pub arrays: BTreeMap<Region, Array>,
    /// All reads and writes of scalars in them, in the order of edges.
    pub accesses: Vec<Access>,
}

impl Arrays {
    /// The arrays of a program; offsets go to `exprs`, which starts as the program's store.
    pub fn new(program: &Prepared, exprs: &mut Exprs, cancel: &Cancel) -> Result<Arrays, Stopped> {
        let points_to = program.points_to(cancel)?;
        let memory = Regions::new(program, &Uses::new(program), &points_to);
        let mut found = Arrays { points_to, memory, arrays: BTreeMap::new(), accesses: Vec::new() };
        found.collect(program, exprs);
        Ok(found)
    }

    /// The array that an access of this type touches.
    pub fn of(&self, program: &Program, pointer: ExprId, ty: Scalar) -> Option<Region> {
        let region = self.memory.of_pointer(pointer);
        let is_element = self.memory.shape(region).bytes == ty.bytes(program.model);
        (is_element && self.arrays.contains_key(&region)).then_some(region)
    }

    /// The array that an expression reads, with the pointer, if it is such a load.
    pub fn load(&self, program: &Program, exprs: &Exprs, id: ExprId) -> Option<(Region, ExprId)> {
        let Expr::Load(pointer) = exprs.node(id) else { return None };
        Some((self.of(program, pointer, exprs.ty(id))?, pointer))
    }

    /// Whether an array is a local variable of a function: then it has arbitrary bytes when a call begins.
    pub fn is_local(&self, program: &Program, region: Region, function: FunctionId) -> bool {
        match self.points_to.objects[self.arrays[&region].object].kind {
            ObjectKind::Variable(var) => program.vars[var].function == Some(function),
            ObjectKind::Allocation(_) | ObjectKind::Unknown | ObjectKind::Function(_) => false,
        }
    }

    /// The size of an array's object, if it is constant.
    pub fn size(&self, program: &Program, region: Region) -> Option<u64> {
        let object = self.arrays[&region].object;
        let ObjectKind::Variable(var) = self.points_to.objects[object].kind else { return None };
        match program.vars[var].storage {
            Storage::Memory { size, .. } => Some(size),
            Storage::Register(_) => None,
        }
    }

    fn collect(&mut self, program: &Prepared, exprs: &mut Exprs) {
        let single = single_objects(program, &self.points_to);
        let mut touched: BTreeMap<Region, Vec<(EdgeId, ExprId, Scalar)>> = BTreeMap::new();
        let mut refused: BTreeSet<Region> = BTreeSet::new();
        for (id, edge) in program.edges.iter() {
            if !self.points_to.is_reachable(program.nodes[edge.from].function) {
                continue;
            }
            let mut note = |pointer: ExprId, ty: Scalar| {
                touched.entry(self.memory.of_pointer(pointer)).or_default().push((id, pointer, ty));
            };
            for operand in edge.op.operands() {
                program.exprs.visit(operand, |at, node| {
                    if let Expr::Load(pointer) = node {
                        note(pointer, program.exprs.ty(at));
                    }
                });
            }
            match &edge.op {
                Op::Store { to, value } => note(*to, program.exprs.ty(*value)),
                Op::Copy { to, from, .. } => {
                    refused.extend(self.memory.behind(&self.points_to, *to));
                    refused.extend(self.memory.behind(&self.points_to, *from));
                }
                Op::Allocate { how: Allocation::Resize(old), .. } => {
                    refused.extend(self.memory.behind(&self.points_to, *old));
                    refused.extend(self.memory.of_allocation(id).iter().map(|field| field.region));
                }
                _ => {}
            }
        }
        for (region, accesses) in touched {
            let shape = self.memory.shape(region);
            let &[object] = &shape.objects[..] else { continue };
            if !shape.uniform || refused.contains(&region) || !single.contains(&object) {
                continue;
            }
            self.accept(program, exprs, region, object, &accesses);
        }
        self.accesses.sort_by_key(|access| access.edge);
        let arrays = &self.arrays;
        assert!(self.accesses.iter().all(|access| arrays.contains_key(&access.region)), "accesses are to arrays");
    }

    fn accept(
        &mut self,
        program: &Program,
        exprs: &mut Exprs,
        region: Region,
        object: ObjectId,
        accesses: &[(EdgeId, ExprId, Scalar)],
    ) {
        assert!(!accesses.is_empty(), "an array that is touched has accesses");
        let ty = accesses[0].2;
        if accesses.iter().any(|(_, _, other)| !interchangeable(ty, *other)) || self.holds_addresses(exprs, region) {
            return;
        }
        let mut found = Vec::new();
        for &(edge, pointer, _) in accesses {
            let Some(offset) = self.offset(exprs, pointer, object) else { return };
            found.push(Access { edge, region, pointer, offset });
        }
        // Without an index there is nothing to abstract from.
        if found.iter().all(|access| exprs.constant(access.offset).is_some()) {
            return;
        }
        let name = self.points_to.object_text(program, object);
        self.arrays.insert(region, Array { object, ty, name });
        self.accesses.extend(found);
    }

    /// Whether some element may be an address: an arbitrary value in its place would lead nowhere.
    fn holds_addresses(&self, exprs: &Exprs, region: Region) -> bool {
        let leads = |id: ExprId| {
            let targets = self.points_to.targets(id);
            !targets.places.is_empty() || targets.unknown && exprs.ty(id) == Scalar::Ptr
        };
        exprs.ids().any(|id| match exprs.node(id) {
            Expr::Load(pointer) if self.points_to.knows(id) => self.memory.of_pointer(pointer) == region && leads(id),
            _ => false,
        })
    }

    /// How far from the start of the object a pointer points, given that it points into the object.
    pub fn offset(&self, exprs: &mut Exprs, pointer: ExprId, object: ObjectId) -> Option<ExprId> {
        debug_assert_eq!(exprs.ty(pointer), Scalar::Ptr, "pointers have offsets");
        let ty = exprs.model().offset_type();
        match exprs.node(pointer) {
            Expr::Addr(var) => (self.points_to.variable(var) == Some(object)).then(|| exprs.int(ty, 0)),
            Expr::Binary(BinOp::PtrAdd, base, by) => {
                let base = self.offset(exprs, base, object)?;
                let zero = exprs.constant(base) == Some(0);
                Some(if zero { by } else { exprs.binary(BinOp::Add, base, by) })
            }
            _ => {
                let targets = self.points_to.targets(pointer);
                let &[place] = &targets.places[..] else { return None };
                let exact = place.object == object && place.offset.stride == 0 && !targets.unknown;
                exact.then(|| exprs.int(ty, i128::from(place.offset.start)))
            }
        }
    }
}

/// Whether a value of one type can stand for one of the other by a cast that keeps all bits.
fn interchangeable(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Int { bits, .. }, Scalar::Int { bits: other, .. }) => bits == other,
        (a, b) => a == b,
    }
}

/// The objects of which at most one exists at any time.
fn single_objects(program: &Prepared, points_to: &PointsTo) -> BTreeSet<ObjectId> {
    let (calls, loops) = (program.calls(), program.loops());
    // Whether a function is called at most once in an execution, by function.
    let mut once = vec![false; program.functions.len()];
    once[program.entry.0 as usize] = true;
    for component in calls.bottom_up().rev() {
        for &function in component {
            let id = cfa::FunctionId(function);
            if let [(edge, caller)] = calls.callers(id)
                && !calls.is_recursive(id)
                && once[caller.0 as usize]
                && loops.innermost(program.edges[*edge].from).is_none()
            {
                once[function as usize] = true;
            }
        }
    }
    let is_single = |kind: ObjectKind| match kind {
        ObjectKind::Variable(var) => program.vars[var].function.is_none_or(|owner| !calls.is_recursive(owner)),
        ObjectKind::Allocation(edge) => {
            let Op::Allocate { how, .. } = &program.edges[edge].op else { return false };
            let from = program.edges[edge].from;
            let owner = program.nodes[from].function;
            let alone = loops.innermost(from).is_none() && !calls.is_recursive(owner);
            match how {
                // The last one dies when the function returns.
                Allocation::Stack => alone,
                Allocation::Heap | Allocation::HeapZeroed => alone && once[owner.0 as usize],
                Allocation::Resize(_) => false,
            }
        }
        ObjectKind::Unknown | ObjectKind::Function(_) => false,
    };
    points_to.objects.iter().filter(|(_, object)| is_single(object.kind)).map(|(id, _)| id).collect()
}
