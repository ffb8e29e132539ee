//! Makes what was planned: objects with arbitrary contents, then a choice for every pointer.

use super::places::{Run, places};
use super::plan::{Leaf, Plan, PlannedObject, PointerHome, Slot, leaves};
use super::{Aliasing, Given, Globals};
use crate::context::{Definition, Lowering};
use base::Id;
use cfa::types::{Type, TypeId, Types};
use cfa::{Allocation, BinOp, Expr, ExprId, FunctionId, Op, Scalar, Source, Storage, VarId, VarKind, Variable};

/// So many elements are looked at for truth values; their bytes are arbitrary otherwise.
const MOST_ELEMENTS: u64 = 64;

/// What a pointer may be.
enum Candidate {
    Null,
    /// The start of an object of its own.
    Own(usize),
    /// Somewhere in an object of another pointer.
    Other(usize, Run),
    /// Whatever the bytes of the union are.
    Kept,
}

impl Lowering<'_> {
    /// The arguments for a function that is verified on its own.
    pub fn given_arguments(&mut self, function: FunctionId, given: &Given) -> Vec<ExprId> {
        let params = self.program.functions[function].params.clone();
        let mut plan = Plan::default();
        let mut args: Vec<Option<ExprId>> = vec![None; params.len()];
        let mut copies = Vec::new();
        for (position, &param) in params.iter().enumerate() {
            let (ty, name) = (self.program.vars[param].ty, self.program.vars[param].name);
            let scalar = self.program.register(param).expect("parameters are registers");
            let name = self.text(name).to_owned();
            if name == "$result" || name == "$further" {
                args[position] = Some(self.entry_argument(param, scalar));
            } else if self.is_aggregate(ty) {
                let (copy, address) = self.copied_argument(ty, &format!("{name}_copy"));
                args[position] = Some(address);
                copies.push((copy, ty, name));
            } else if let Some(to) = self.pointee(ty) {
                let (alone, declared) = (self.restricted.contains(&param), self.declared_lengths.get(&param).copied());
                let pointer = (PointerHome::Passed(position), to, name);
                plan.add((&self.program.types, &self.program.names), given, pointer, 1, false, alone, declared);
            } else {
                args[position] = Some(self.entry_argument(param, scalar));
            }
        }
        if given.globals == Globals::Arbitrary {
            copies.extend(self.arbitrary_globals(given, &mut plan));
        }
        for (var, ty, name) in &copies {
            let mut found = Vec::new();
            leaves(&self.program.types, *ty, 0, name, false, &self.program.names, &mut found);
            for leaf in found {
                let pointer = (PointerHome::Variable(*var, leaf.offset), leaf.to, leaf.name);
                plan.add((&self.program.types, &self.program.names), given, pointer, 1, leaf.in_union, false, None);
            }
        }
        self.say_what_is_given(&plan, given);
        for (var, ty, _) in copies {
            let (base, size) = (self.addr(var), self.program.types.size(ty).unwrap_or(0));
            self.arbitrary_contents(base, (ty, 1), size, given);
        }
        let heap = self.may_free(function);
        let bases: Vec<ExprId> = plan.objects.iter().map(|object| self.make_object(object, heap, given)).collect();
        for slot in 0..plan.slots.len() {
            let pointer = self.choose(&plan, slot, &bases, given);
            self.put(plan.slots[slot].place, pointer, &bases, &mut args);
        }
        for &place in &plan.nulls {
            let null = self.null();
            self.put(place, Some(null), &bases, &mut args);
        }
        for &(place, in_union) in &plan.foreign {
            let end = self.node();
            if in_union {
                // The bytes may stay what they are.
                let choice = self.arbitrary(self.basic.uint, Scalar::int(32, false), Source::Parameter);
                let zero = self.number(Scalar::int(32, false), 0);
                let kept = self.binary(BinOp::Eq, choice, zero);
                let (yes, no) = self.fork(kept);
                self.join(yes, end);
                self.body.at = no;
            }
            let pointer = self.arbitrary(self.basic.void_ptr, Scalar::Ptr, Source::Parameter);
            self.put(place, Some(pointer), &bases, &mut args);
            let here = self.body.at;
            self.join(here, end);
            self.body.at = end;
        }
        args.into_iter().map(|arg| arg.expect("every parameter is a number, a copy or a planned pointer")).collect()
    }

    /// A local of the start with a name for the user.
    fn named_local(&mut self, name: &str, ty: TypeId, storage: Storage) -> VarId {
        let name = self.program.names.intern(name);
        let (function, span) = (self.body.function, self.here);
        self.new_var(Variable { name, function, kind: VarKind::Local, ty, storage, init: Box::default(), span })
    }

    /// An aggregate is passed by the address of a copy.
    fn copied_argument(&mut self, ty: TypeId, name: &str) -> (VarId, ExprId) {
        let (size, align) = (self.program.types.size(ty).unwrap_or(0), self.program.types.align(ty));
        let var = self.named_local(name, ty, Storage::Memory { size, align });
        self.emit(Op::Declare(var));
        (var, self.addr(var))
    }

    fn make_object(&mut self, object: &PlannedObject, heap: bool, given: &Given) -> ExprId {
        let ty = match object.length {
            1 => object.element,
            length => self.intern(Type::Array(object.element, length)),
        };
        // Of a named object without bytes nothing would be checked.
        let base = if heap || object.size == 0 {
            let ty = self.pointer_to(ty);
            let result = self.named_local(&object.name, ty, Storage::Register(Scalar::Ptr));
            let size = self.size_const(object.size);
            self.emit(Op::Allocate { result, size, how: Allocation::Heap });
            self.var(result)
        } else {
            let align = self.program.types.align(ty).max(if object.is_void(self) { 16 } else { 1 });
            let var = self.named_local(&object.name, ty, Storage::Memory { size: object.size, align });
            self.emit(Op::Declare(var));
            self.addr(var)
        };
        self.arbitrary_contents(base, (object.element, object.length), object.size, given);
        base
    }

    /// Makes arbitrary what is not a pointer; what may be one but need not is a number.
    fn arbitrary_contents(&mut self, base: ExprId, (element, length): (TypeId, u64), size: u64, given: &Given) {
        let step = self.program.types.size(element).unwrap_or(0);
        let mut pointers = Vec::new();
        let (types, names) = (&self.program.types, &self.program.names);
        for index in 0..length {
            let before = pointers.len();
            leaves(types, element, index * step, "", false, names, &mut pointers);
            if pointers.len() == before {
                break;
            }
        }
        if let Some((part, count)) = super::plan::flexible(types, given, element) {
            let each = types.size(part).unwrap_or(0);
            for index in 0..count {
                leaves(types, part, step * length + index * each, "", false, names, &mut pointers);
            }
        }
        pointers.sort_by_key(|leaf| (leaf.offset, !leaf.in_union));
        pointers.dedup_by_key(|leaf| leaf.offset);
        let width = u64::from(self.program.model.pointer_bits() / 8);
        let mut done = 0;
        for Leaf { offset, in_union, .. } in pointers {
            self.arbitrary_range(base, done, offset);
            if in_union {
                let ty = self.basic.size;
                let number = self.arbitrary(ty, self.program.model.size_type(), Source::Parameter);
                let to = self.offset(base, offset);
                self.emit(Op::Store { to, value: number });
            }
            done = done.max(offset + width);
        }
        self.arbitrary_range(base, done, size);
        for index in 0..length.min(MOST_ELEMENTS) {
            let at = self.offset(base, index * step);
            self.assume_proper_object(element, at);
        }
    }

    fn arbitrary_range(&mut self, base: ExprId, from: u64, to: u64) {
        if from < to {
            let (start, size) = (self.offset(base, from), self.size_const(to - from));
            self.emit(Op::HavocMemory { to: start, size: Some(size), source: Source::Parameter });
        }
    }

    fn put(&mut self, place: PointerHome, pointer: Option<ExprId>, bases: &[ExprId], args: &mut [Option<ExprId>]) {
        let Some(value) = pointer else { return };
        let to = match place {
            PointerHome::Passed(position) => {
                args[position] = Some(value);
                return;
            }
            PointerHome::Register(var) => {
                self.emit(Op::Assign(var, value));
                return;
            }
            PointerHome::Variable(var, offset) => {
                let base = self.addr(var);
                self.offset(base, offset)
            }
            PointerHome::Inside(object, offset) => self.offset(bases[object], offset),
        };
        self.emit(Op::Store { to, value });
    }

    /// The value of a pointer; `None` if it was stored already, because its bytes may also be something else.
    fn choose(&mut self, plan: &Plan, at: usize, bases: &[ExprId], given: &Given) -> Option<ExprId> {
        let slot = &plan.slots[at];
        let candidates = self.candidates(plan, at, given);
        let ty = self.pointer_to(slot.to);
        let result = self.named_local(&slot.name, ty, Storage::Register(Scalar::Ptr));
        let choice = match candidates.len() {
            1 => None,
            _ => Some(self.arbitrary(self.basic.uint, Scalar::int(32, false), Source::Parameter)),
        };
        let end = self.node();
        let last = candidates.len() - 1;
        for (number, candidate) in candidates.into_iter().enumerate() {
            let next = match choice {
                Some(choice) if number < last => {
                    let number = self.number(Scalar::int(32, false), number as i128);
                    let chosen = self.binary(BinOp::Eq, choice, number);
                    let (yes, no) = self.fork(chosen);
                    self.body.at = yes;
                    Some(no)
                }
                _ => None,
            };
            self.take(slot, candidate, result, bases);
            let here = self.body.at;
            self.join(here, end);
            self.body.at = next.unwrap_or(end);
        }
        if slot.in_union { None } else { Some(self.var(result)) }
    }

    fn take(&mut self, slot: &Slot, candidate: Candidate, result: VarId, bases: &[ExprId]) {
        let value = match candidate {
            Candidate::Kept => {
                let null = self.null();
                // One edge, so that the branches stay apart.
                self.emit(Op::Assign(result, null));
                return;
            }
            Candidate::Null => self.null(),
            Candidate::Own(object) => bases[object],
            Candidate::Other(object, Run { offset, stride, count }) => {
                let start = self.offset(bases[object], offset);
                match count {
                    1 => start,
                    _ => self.some_element(start, stride, count),
                }
            }
        };
        self.emit(Op::Assign(result, value));
        if slot.in_union {
            let value = self.var(result);
            self.put(slot.place, Some(value), bases, &mut []);
        }
    }

    /// One of `count` places from `start` on.
    fn some_element(&mut self, start: ExprId, stride: u64, count: u64) -> ExprId {
        let (size, offset) = (self.program.model.size_type(), self.program.model.offset_type());
        let index = self.arbitrary(self.basic.size, size, Source::Parameter);
        let limit = self.size_const(count);
        let inside = self.binary(BinOp::Lt, index, limit);
        self.emit(Op::Assume(inside));
        let stride = self.size_const(stride);
        let bytes = self.binary(BinOp::Mul, index, stride);
        let bytes = self.cast(bytes, offset);
        self.binary(BinOp::PtrAdd, start, bytes)
    }

    fn candidates(&self, plan: &Plan, at: usize, given: &Given) -> Vec<Candidate> {
        let slot = &plan.slots[at];
        let mut all: Vec<Candidate> = slot.own.iter().map(|&object| Candidate::Own(object)).collect();
        let types = &self.program.types;
        let aliases = given.aliasing == Aliasing::Allowed && !slot.alone;
        for (number, object) in plan.objects.iter().enumerate().filter(|_| aliases) {
            if object.owner == at || plan.slots[object.owner].alone {
                continue;
            }
            for run in object_places(types, given, object, slot.to) {
                let whole = run.offset == 0 && run.count == object.length;
                // The same shape comes to be with the objects renamed.
                if whole && types.unqualified(object.element) == slot.to && plan.descends(number, at) {
                    continue;
                }
                all.push(Candidate::Other(number, run));
            }
        }
        if slot.in_union {
            all.push(Candidate::Kept);
        }
        all.push(Candidate::Null);
        all
    }

    /// Makes globals that are not constant arbitrary. Returns those in memory, whose contents remain to be made.
    fn arbitrary_globals(&mut self, given: &Given, plan: &mut Plan) -> Vec<(VarId, TypeId, String)> {
        let mut in_memory = Vec::new();
        for object in self.globals.clone() {
            let object = self.objects[object];
            let (var, ty) = (object.var, object.ty);
            if object.is_const || object.definition == Definition::Extern {
                continue;
            }
            let name = self.text(self.program.vars[var].name).to_owned();
            match self.program.vars[var].storage {
                Storage::Register(Scalar::Ptr) if self.pointee(ty).is_some() => {
                    let to = self.pointee(ty).expect("checked");
                    let pointer = (PointerHome::Register(var), to, name);
                    plan.add((&self.program.types, &self.program.names), given, pointer, 1, false, false, None);
                }
                Storage::Register(_) => {
                    self.emit(Op::Havoc(var, Source::Parameter));
                    let value = self.var(var);
                    self.assume_proper(ty, value);
                }
                Storage::Memory { .. } => in_memory.push((var, self.program.vars[var].ty, name)),
            }
        }
        in_memory
    }

    /// Whether an integer that is not constant becomes a pointer somewhere.
    fn makes_pointers_of_integers(&self) -> bool {
        let exprs = &self.program.exprs;
        (0..exprs.len()).map(ExprId::new).any(|id| match exprs.node(id) {
            Expr::Cast(value) => {
                exprs.ty(id) == Scalar::Ptr && exprs.ty(value).is_int() && exprs.constant(value).is_none()
            }
            _ => false,
        })
    }

    /// What the verdict rests on.
    fn say_what_is_given(&mut self, plan: &Plan, given: &Given) {
        let list = |lengths: &[u64]| lengths.iter().map(u64::to_string).collect::<Vec<_>>().join(" or ");
        if !plan.objects.is_empty() {
            let (few, many) = (list(&given.record_lengths), list(&given.lengths));
            let lengths = if few == many { many } else { format!("{many} (of structures and pointers {few})") };
            self.assume(format!("a pointer argument is null or points to an object of {lengths} elements"));
            if plan.slots.iter().any(|slot| slot.declared) {
                self.assume(
                    "an array parameter is null or points to as many elements as it is declared with".to_owned(),
                );
            }
        }
        if !plan.slots.is_empty() {
            let depth = given.pointer_depth;
            self.assume(format!("pointers more than {depth} deep are null or point back to other objects"));
            self.assume("arguments do not point to variables of the program".to_owned());
        }
        if !plan.objects.is_empty() && self.makes_pointers_of_integers() {
            self.assume("integers from outside are no addresses of what pointers lead to".to_owned());
        }
        if plan.slots.len() > 1 && given.aliasing == Aliasing::Excluded {
            self.assume("no two pointers point to the same object (--no-aliasing)".to_owned());
        }
        if plan.slots.iter().any(|slot| slot.alone) {
            self.assume("what a restrict pointer points to is not reached through any other".to_owned());
        }
        if plan.cut {
            let (objects, slots) = (plan.objects.len(), plan.slots.len());
            self.assume(format!("there are {objects} objects and {slots} pointers; further pointers are null"));
        }
        if !plan.foreign.is_empty() {
            self.assume(
                "pointers to functions and to incomplete types point outside the program or are null".to_owned(),
            );
        }
        if given.globals == Globals::Initial && !self.globals.is_empty() {
            self.assume("globals hold their initial values when the function is called".to_owned());
        }
    }
}

/// Where in an object a pointer to a type may lead, the array at its end included.
fn object_places(types: &Types, given: &Given, object: &PlannedObject, wanted: TypeId) -> Vec<Run> {
    let mut runs = places(types, object.element, object.length, wanted);
    if let Some((part, count)) = super::plan::flexible(types, given, object.element) {
        let start = types.size(object.element).unwrap_or(0) * object.length;
        let more = places(types, part, count, wanted).into_iter();
        runs.extend(more.map(|run| Run { offset: run.offset + start, ..run }));
    }
    runs
}

impl PlannedObject {
    fn is_void(&self, lowering: &Lowering<'_>) -> bool {
        lowering.is_void(self.element)
    }
}

impl Plan {
    /// Whether an object is reached by way of a slot when every pointer leads to its own objects.
    fn descends(&self, object: usize, slot: usize) -> bool {
        let mut owner = self.objects[object].owner;
        loop {
            if owner == slot {
                return true;
            }
            match self.slots[owner].place {
                PointerHome::Inside(object, _) => owner = self.objects[object].owner,
                PointerHome::Passed(_) | PointerHome::Register(_) | PointerHome::Variable(..) => return false,
            }
        }
    }
}
