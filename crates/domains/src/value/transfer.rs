//! What each operation does to a value state: the strongest post, as far as values express it.

use super::Names;
use super::ValueAnalysis;
use super::assume::Learner;
use super::eval::Scope;
use super::memory::Range;
use super::precision::View;
use super::store::{KnownValue, Origin, State, Store, StoredObject, StoredObjectId};
use analysis::{Move, Step};
use base::Id;
use cfa::{Allocation, ExprId, FunctionId, Op, Storage, VarId};

/// Objects with at most so many scalars get a chunk for each when they are zero-initialised, larger ones a fill.
const FEW: usize = 64;

/// One application of the transfer relation.
pub(super) struct Transfer<'a, 'p> {
    pub analysis: &'a mut ValueAnalysis<'p>,
    pub view: View<'a>,
    pub names: Names,
    pub state: State,
    pub depth: u32,
}

impl<'p> Transfer<'_, 'p> {
    fn store(&mut self) -> &mut Store<'p> {
        &mut self.analysis.store
    }

    fn scope(&self) -> Scope<'_, 'p> {
        let ValueAnalysis { store, large, .. } = &*self.analysis;
        Scope { store, state: self.state, depth: self.depth, large }
    }

    fn eval(&self, expr: ExprId) -> Option<KnownValue> {
        self.scope().eval(expr)
    }

    /// A number of bytes.
    fn size(&self, expr: ExprId) -> Option<u64> {
        match self.eval(expr)? {
            KnownValue::Bits(bits) => u64::try_from(bits).ok(),
            KnownValue::Pointer(..) | KnownValue::Function(_) | KnownValue::Sign(_) => None,
        }
    }

    fn set(&mut self, var: VarId, depth: u32, value: Option<KnownValue>) {
        let value = value.filter(|_| self.view.register(var));
        let state = self.state;
        self.state = self.store().with_register(state, var, depth, value);
    }

    /// The successor; `None` if there is none.
    pub fn run(mut self, step: &Step) -> Option<State> {
        let program = self.analysis.store.program;
        let edge = &program.edges[step.edge];
        match (&edge.op, step.kind) {
            (Op::Call { function, args, .. }, Move::Enter) => self.enter(*function, args, step),
            (Op::Call { function, result, .. }, Move::Leave) => self.leave(*function, *result, step),
            (Op::Call { function, result, .. }, Move::Over) => {
                if !self.analysis.calls.returns(*function) {
                    return None;
                }
                self.step_over(*function, *result);
                self.bury(step);
            }
            (op, _) => {
                if !self.operation(op, step) {
                    return None;
                }
                self.bury(step);
            }
        }
        Some(self.state)
    }

    /// Forgets what is dead after the step's edge, in the activation with `depth`.
    fn bury(&mut self, step: &Step) {
        // On a path, what is learnt of a dead register still tells which input leads there.
        if self.state.regs() == super::maps::EMPTY || self.names != Names::Canonical {
            return;
        }
        let ValueAnalysis { store, liveness, .. } = &mut *self.analysis;
        for &var in liveness.deaths(step.edge) {
            self.state = store.with_register(self.state, var, self.depth, None);
        }
    }

    /// Whether there is a successor.
    fn operation(&mut self, op: &Op, step: &Step) -> bool {
        match *op {
            Op::Skip | Op::Unsupported(_) => {}
            Op::Halt(_) => return false,
            Op::Assume(condition) => return self.assume(condition),
            Op::Assign(var, expr) => {
                let value = if self.view.register(var) { self.eval(expr) } else { None };
                self.set(var, self.depth, value);
            }
            Op::Havoc(var, _) => self.set(var, self.depth, None),
            Op::Init(var) => self.init(var),
            Op::Declare(var) => self.declare(var),
            Op::Store { to, value } => self.store_value(to, value),
            Op::Copy { to, from, size } => self.copy(to, from, size),
            Op::Fill { to, byte, size } => self.fill(to, byte, size),
            Op::HavocMemory { to, size, .. } => self.havoc_memory(to, size),
            Op::Allocate { result, size, how } => self.allocate(result, size, how, step),
            Op::Free(pointer) => self.free(pointer),
            Op::End(pointer) => self.end(pointer),
            Op::Return(value) => self.give_back(value, step),
            Op::Library { function, ref args, result } => {
                for &at in function.writes() {
                    self.havoc_memory(args[at], None);
                }
                if let Some(result) = result {
                    self.set(result, self.depth, None);
                }
            }
            Op::Call { .. } | Op::CallPointer { .. } => unreachable!("calls are entered or left, pointers resolved"),
        }
        true
    }

    fn assume(&mut self, condition: ExprId) -> bool {
        let ValueAnalysis { store, large, options, .. } = &mut *self.analysis;
        let mut learner = Learner { store, depth: self.depth, large, signs: options.signs, learnt: Vec::new() };
        let possible = learner.assume(&mut self.state, condition, true);
        learner.forget_untracked(&mut self.state, self.view);
        possible
    }

    fn enter(&mut self, function: FunctionId, args: &[ExprId], step: &Step) {
        self.store().enter(function, step.to_depth);
        let program = self.analysis.store.program;
        let params = &program.functions[function].params;
        let values: Vec<Option<KnownValue>> = params
            .iter()
            .zip(args)
            .map(|(&param, &arg)| if self.view.register(param) { self.eval(arg) } else { None })
            .collect();
        self.bury(step);
        for (&param, value) in params.iter().zip(values) {
            self.set(param, step.to_depth, value);
        }
    }

    fn leave(&mut self, function: FunctionId, result: Option<VarId>, step: &Step) {
        let program = self.analysis.store.program;
        let callee = &program.functions[function];
        // First objects, since the result may be the address of one.
        if self.analysis.has_memory[function.index()] {
            let depth = step.from_depth;
            let dead = |object: &StoredObject| {
                object.local && object.depth == depth && super::owner(program, object.origin) == Some(function)
            };
            self.kill(&dead);
        }
        let value = callee.result.and_then(|var| self.analysis.store.register(self.state, var, step.from_depth));
        for &var in &callee.locals {
            if program.register(var).is_some() {
                let state = self.state;
                self.state = self.store().with_register(state, var, step.from_depth, None);
            }
        }
        self.depth = step.to_depth;
        if let Some(result) = result {
            self.set(result, self.depth, value);
            if self.names == Names::Canonical && self.analysis.liveness.deaths(step.edge).contains(&result) {
                self.set(result, self.depth, None);
            }
        }
    }

    /// All that is known of a call is what it may change.
    fn step_over(&mut self, function: FunctionId, result: Option<VarId>) {
        let ValueAnalysis { store, aliases, calls, .. } = &mut *self.analysis;
        if self.state != State::default() {
            let effects = calls.effects(store.program, aliases, function);
            store.forget_effects(&mut self.state, &effects);
        }
        if let Some(result) = result {
            self.set(result, self.depth, None);
        }
    }

    fn kill(&mut self, dead: &dyn Fn(&StoredObject) -> bool) {
        let mut state = self.state;
        self.store().kill(&mut state, dead);
        self.state = state;
    }

    fn give_back(&mut self, value: Option<ExprId>, step: &Step) {
        let program = self.analysis.store.program;
        let function = program.nodes[step.from.node].function;
        if let Some(result) = program.functions[function].result {
            let value = value.filter(|_| self.view.register(result)).and_then(|value| self.eval(value));
            self.set(result, self.depth, value);
        }
    }

    fn variable(&self, var: VarId) -> Option<StoredObjectId> {
        self.analysis.store.object_of(var, self.depth)
    }

    fn declare(&mut self, var: VarId) {
        if let Some(object) = self.variable(var) {
            let mut state = self.state;
            self.store().forget_object(&mut state, object);
            self.state = state;
        }
    }

    /// A global gets its static initial bytes: zeros, then the cells of its initialiser.
    fn init(&mut self, var: VarId) {
        let Some(object) = self.variable(var) else { return };
        let origin = Origin::Variable(var);
        let program = self.analysis.store.program;
        let variable = &program.vars[var];
        let Storage::Memory { size, .. } = variable.storage else { return };
        let scalars = self.analysis.scalars(variable.ty, size);
        if scalars.is_none() && self.view.whole(origin) {
            let mut state = self.state;
            self.store().fill_object(&mut state, object, 0);
            self.state = state;
        }
        for (offset, size) in scalars.into_iter().flatten() {
            self.write(Range { object, offset, size }, Some(KnownValue::Bits(0)));
        }
        for cell in &variable.init {
            let size = program.exprs.ty(cell.value).bytes(program.model);
            let value = self.eval(cell.value);
            self.write(Range { object, offset: cell.offset, size }, value);
        }
    }

    /// Sets bytes if they are tracked, else forgets them.
    fn write(&mut self, range: Range, value: Option<KnownValue>) {
        let origin = self.analysis.store.object_info(range.object).origin;
        let value = value.filter(|_| self.view.cell(origin, range.offset));
        let mut state = self.state;
        self.store().write(&mut state, range, value);
        self.state = state;
    }

    fn forget(&mut self, range: Range) {
        let mut state = self.state;
        self.store().forget_range(&mut state, range);
        self.state = state;
    }

    fn forget_object(&mut self, object: StoredObjectId) {
        let mut state = self.state;
        self.store().forget_object(&mut state, object);
        self.state = state;
    }

    /// Forgets what a write of `size` bytes (all bytes if `None`) through an unknown pointer may have changed.
    fn forget_pointees(&mut self, pointer: ExprId, size: Option<u64>) {
        if self.state.mem() == super::maps::EMPTY {
            return;
        }
        let ValueAnalysis { store, aliases, .. } = &mut *self.analysis;
        let pointees = aliases.of(pointer);
        let mut touched = Vec::new();
        store.maps.for_each(self.state.mem(), &mut |object, content| {
            let origin = store.object_info(StoredObjectId(object)).origin;
            store.maps.for_each(content, &mut |key, chunk| {
                let (offset, width) = match key {
                    0 => (None, 0),
                    _ => (Some(i64::from(key) - 1), u64::from(store.chunks[chunk as usize].size)),
                };
                if pointees.may_touch(origin, offset, width, size) {
                    touched.push((StoredObjectId(object), key));
                }
            });
        });
        for (object, key) in touched {
            store.forget_cell(&mut self.state, object, key);
        }
    }

    /// The bytes that a write of `size` bytes touches; `None` if it touches none, and after having forgotten what it may
    /// touch if that is not exactly known.
    fn target(&mut self, pointer: ExprId, size: Option<u64>) -> Option<Range> {
        if size == Some(0) {
            return None;
        }
        match self.eval(pointer) {
            None | Some(KnownValue::Bits(_) | KnownValue::Sign(_)) => {
                // Nothing lies at null; any other address without provenance may be anywhere.
                if self.eval(pointer) != Some(KnownValue::Bits(0)) {
                    self.forget_pointees(pointer, size);
                }
                None
            }
            Some(KnownValue::Function(_)) => None,
            Some(KnownValue::Pointer(object, offset)) => {
                let range = size.and_then(|size| self.analysis.store.range(object, offset, size));
                if range.is_none() {
                    self.forget_object(object);
                }
                range
            }
        }
    }

    fn store_value(&mut self, to: ExprId, value: ExprId) {
        let program = self.analysis.store.program;
        let size = program.exprs.ty(value).bytes(program.model);
        let known = self.eval(value);
        if let Some(range) = self.target(to, Some(size)) {
            self.write(range, known);
        }
    }

    fn havoc_memory(&mut self, to: ExprId, size: Option<ExprId>) {
        match size {
            Some(size) => {
                let size = self.size(size);
                if let Some(range) = self.target(to, size) {
                    self.forget(range);
                }
            }
            // The whole object: no size is known to fit, so `target` forgets it.
            None => {
                self.target(to, None);
            }
        }
    }

    fn copy(&mut self, to: ExprId, from: ExprId, size: ExprId) {
        let size = self.size(size);
        let source = match (self.eval(from), size) {
            (Some(KnownValue::Pointer(object, offset)), Some(size)) => self.analysis.store.range(object, offset, size),
            _ => None,
        };
        let source = source.map(|range| (range, self.analysis.store.chunks_in(self.state, range)));
        let Some(target) = self.target(to, size) else { return };
        let Some((source, (chunks, fill))) = source else { return self.forget(target) };
        let info = *self.analysis.store.object_info(target.object);
        let all = target.offset == 0 && info.size == Some(target.size);
        if fill.is_some() && all && source.offset == 0 && self.view.whole(info.origin) {
            let mut state = self.state;
            self.store().copy_object(&mut state, target.object, source.object);
            self.state = state;
            return;
        }
        self.forget(target);
        if let Some(byte) = fill {
            // Only what small targets have room for; the rest stays unknown.
            if target.size <= 16 * FEW as u64 {
                self.write_repeatedly(target, byte as u8);
            }
        }
        for (at, size, value) in chunks {
            self.write(Range { object: target.object, offset: target.offset + at, size }, value);
        }
    }

    /// Sets all bytes of a small range, in chunks of eight where they fit.
    fn write_repeatedly(&mut self, range: Range, byte: u8) {
        let mut offset = range.offset;
        let end = range.offset + range.size;
        while offset < end {
            let size =
                [8, 4, 2].into_iter().find(|&size| offset.is_multiple_of(size) && offset + size <= end).unwrap_or(1);
            let bits = (0..size).fold(0, |bits, _| bits << 8 | u128::from(byte));
            self.write(Range { object: range.object, offset, size }, Some(KnownValue::Bits(bits)));
            offset += size;
        }
    }

    fn fill(&mut self, to: ExprId, byte: ExprId, size: ExprId) {
        let size = self.size(size);
        let byte = match self.eval(byte) {
            Some(KnownValue::Bits(byte)) => Some(byte as u8),
            Some(KnownValue::Pointer(..) | KnownValue::Function(_) | KnownValue::Sign(_)) | None => None,
        };
        let Some(target) = self.target(to, size) else { return };
        let Some(byte) = byte else { return self.forget(target) };
        let info = *self.analysis.store.object_info(target.object);
        let all = target.offset == 0 && info.size == Some(target.size);
        let scalars = match info.origin {
            Origin::Variable(var) if all => {
                let ty = self.analysis.store.program.vars[var].ty;
                self.analysis.scalars(ty, target.size)
            }
            Origin::Variable(_) | Origin::Site(_) => None,
        };
        if let Some(scalars) = scalars {
            self.forget(target);
            for (offset, size) in scalars {
                self.write_repeated(Range { object: target.object, offset, size }, byte);
            }
        } else if all && self.view.whole(info.origin) {
            let mut state = self.state;
            self.store().fill_object(&mut state, target.object, byte);
            self.state = state;
        } else {
            self.forget(target);
            if target.size <= 8 * FEW as u64 {
                self.write_repeatedly(target, byte);
            }
        }
    }

    fn write_repeated(&mut self, range: Range, byte: u8) {
        let bits = (0..range.size).fold(0, |bits, _| bits << 8 | u128::from(byte));
        self.write(range, Some(KnownValue::Bits(bits)));
    }

    fn allocate(&mut self, result: VarId, size: ExprId, how: Allocation, step: &Step) {
        let size = self.size(size);
        let old = match how {
            Allocation::Resize(pointer) => Some((pointer, self.eval(pointer))),
            Allocation::Heap | Allocation::HeapZeroed | Allocation::Stack => None,
        };
        if !self.view.register(result) {
            // Nothing will point to the object: what it holds is out of reach.
            self.set(result, self.depth, None);
            if let Some((pointer, _)) = old {
                self.free(pointer);
            }
            return;
        }
        let local = how == Allocation::Stack;
        let depth = if local { self.depth } else { 0 };
        let named = |instance| StoredObject { origin: Origin::Site(step.edge), depth, instance, size, local };
        let object = match self.names {
            Names::Position(position) => named(position),
            Names::Canonical => named(self.analysis.free_instance(self.state, step.edge)),
        };
        let object = self.store().object(object);
        self.forget_object(object);
        if how == Allocation::HeapZeroed && self.view.whole(Origin::Site(step.edge)) {
            let mut state = self.state;
            self.store().fill_object(&mut state, object, 0);
            self.state = state;
        } else if how == Allocation::HeapZeroed
            && let Some(size) = size
            && size <= 8 * FEW as u64
        {
            self.write_repeatedly(Range { object, offset: 0, size }, 0);
        }
        if let Some((pointer, was)) = old {
            if let Some(KnownValue::Pointer(from, 0)) = was {
                self.move_content(from, object);
            }
            self.free(pointer);
        }
        self.set(result, self.depth, Some(KnownValue::Pointer(object, 0)));
    }

    /// The bytes that fit, as `realloc` keeps them.
    fn move_content(&mut self, from: StoredObjectId, to: StoredObjectId) {
        let sizes = (self.analysis.store.object_info(from).size, self.analysis.store.object_info(to).size);
        let (Some(old), Some(new)) = sizes else { return };
        let range = |object| Range { object, offset: 0, size: old.min(new) };
        let (chunks, _) = self.analysis.store.chunks_in(self.state, range(from));
        for (offset, size, value) in chunks {
            self.write(Range { object: to, offset, size }, value);
        }
    }

    /// The scope of a stack object ends.
    fn end(&mut self, pointer: ExprId) {
        match self.eval(pointer) {
            Some(KnownValue::Pointer(object, _)) => {
                let dead = *self.analysis.store.object_info(object);
                self.kill(&|object| *object == dead);
            }
            // A variable-length array of which nothing is known; which one does not matter.
            Some(KnownValue::Bits(_) | KnownValue::Function(_) | KnownValue::Sign(_)) | None => {
                let stack = |object: &StoredObject| matches!(object.origin, Origin::Site(_)) && object.local;
                self.kill(&stack);
            }
        }
    }

    fn free(&mut self, pointer: ExprId) {
        match self.eval(pointer) {
            Some(KnownValue::Pointer(object, _)) => {
                let dead = *self.analysis.store.object_info(object);
                self.kill(&|object| *object == dead);
            }
            Some(KnownValue::Bits(0) | KnownValue::Function(_)) => {}
            // Some heap object is gone; which one is not known.
            Some(KnownValue::Bits(_) | KnownValue::Sign(_)) | None => {
                let heap = |object: &StoredObject| matches!(object.origin, Origin::Site(_)) && !object.local;
                self.kill(&heap);
            }
        }
    }
}
