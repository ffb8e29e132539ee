//! Strongest posts along one path with full precision, for feasibility and interpolation [BL13].

use super::maps::{EMPTY, Root};
use super::precision::{Item, Precision, View};
use super::store::{Chunk, KnownValue, State, StoredObjectId, UNKNOWN};
use super::{Names, ValueAnalysis};
use analysis::{Move, PathDomain, Refinable, Step};
use base::Cancel;
use cfa::{Expr, ExprId, Node, Op, VarId};
use std::collections::BTreeSet;
use verdict::Stop;

/// The name of something that a state knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ValueFact {
    /// The value of a register in one activation.
    Register(VarId, u32),
    /// What an object's content has under a key: `n + 1` is the chunk at offset `n`, 0 the fill of all bytes that no
    /// chunk covers.
    Cell(StoredObjectId, u32),
}

impl ValueAnalysis<'_> {
    /// What a precision must name to know a fact.
    pub fn item(&self, fact: ValueFact) -> Item {
        match fact {
            ValueFact::Register(var, _) => Item::Register(var),
            ValueFact::Cell(object, 0) => Item::Whole(self.store.object_info(object).origin),
            ValueFact::Cell(object, key) => Item::Cell(self.store.object_info(object).origin, u64::from(key) - 1),
        }
    }

    fn content_key(&self, state: State, fact: ValueFact) -> Option<u32> {
        let store = &self.store;
        match fact {
            ValueFact::Register(var, depth) => store.maps.get(state.regs(), store.known_slot(var, depth)?),
            ValueFact::Cell(object, key) => store.maps.get(store.maps.get(state.mem(), object.0)?, key),
        }
    }

    /// All facts of an object's content that may matter to an access somewhere in it.
    fn object_facts(&self, state: State, object: StoredObjectId, facts: &mut Vec<ValueFact>) {
        let store = &self.store;
        let content = store.maps.get(state.mem(), object.0).unwrap_or(EMPTY);
        store.maps.for_each(content, &mut |key, _| facts.push(ValueFact::Cell(object, key)));
    }

    /// A filled content of which nothing but the fill is known: an unknown chunk for each one that covers it.
    fn blanked(&mut self, content: Root) -> Root {
        if let Some(&blank) = self.blanks.get(&content) {
            return blank;
        }
        let mut chunks = Vec::new();
        self.store.maps.for_each(content, &mut |key, chunk| {
            if key > 0 {
                chunks.push((key, self.store.chunks[chunk as usize].size));
            }
        });
        let mut blank = content;
        for (key, size) in chunks {
            let chunk = self.store.chunk(Chunk { size, value: UNKNOWN });
            blank = self.store.maps.set(blank, key, chunk);
        }
        self.blanks.insert(content, blank);
        blank
    }

    /// Whether an object has the same fill in both states, and in `a` no chunk covers it where none does in `b`.
    fn reaches_as_far(&self, a: State, b: State, object: StoredObjectId) -> bool {
        let store = &self.store;
        let content = |state: State| store.maps.get(state.mem(), object.0);
        let (Some(x), Some(y)) = (content(a), content(b)) else { return false };
        let fill = store.maps.get(x, 0);
        if fill.is_none() || fill != store.maps.get(y, 0) {
            return false;
        }
        let size = |chunk: u32| store.chunks[chunk as usize].size;
        let mut covered = true;
        if x != y {
            store.maps.for_each(x, &mut |key, chunk| {
                covered &= key == 0 || store.maps.get(y, key).is_some_and(|other| size(other) == size(chunk));
            });
        }
        covered
    }

    /// Facts that the value of an expression depends on.
    fn read_facts(&self, state: State, depth: u32, root: ExprId, facts: &mut Vec<ValueFact>) {
        let program = self.store.program;
        program.exprs.visit(root, |expr, node| match node {
            Expr::Var(var) => {
                let local = program.vars[var].function.is_some();
                facts.push(ValueFact::Register(var, if local { depth } else { 0 }));
            }
            Expr::Load(pointer) => {
                let Self { store, large, .. } = self;
                let scope = super::Scope { store, state, depth, large };
                if let Some(KnownValue::Pointer(object, offset)) = scope.eval(pointer) {
                    let size = program.exprs.ty(expr).bytes(program.model);
                    self.cells_at(state, object, offset, size, facts);
                }
            }
            Expr::Const { .. } | Expr::Addr(_) | Expr::Function(_) | Expr::Unary(..) => {}
            Expr::Binary(..) | Expr::Cast(_) | Expr::Ite(..) | Expr::Living(_) => {}
        });
    }

    fn cells_at(&self, state: State, object: StoredObjectId, offset: i64, size: u64, facts: &mut Vec<ValueFact>) {
        let first = offset.saturating_sub(15).max(0);
        for at in first..offset.saturating_add(size as i64) {
            let fact = ValueFact::Cell(object, at as u32 + 1);
            if self.content_key(state, fact).is_some() {
                facts.push(fact);
            }
        }
        facts.push(ValueFact::Cell(object, 0));
    }
}

impl PathDomain for ValueAnalysis<'_> {
    type Facts = State;
    type Fact = ValueFact;

    fn nothing_known(&mut self) -> State {
        State::default()
    }

    fn strongest_post(&mut self, from: &State, step: &Step, position: usize) -> Result<Option<State>, Stop> {
        Ok(self.successor(*from, step, View::ALL, Names::Position(position as u32)))
    }

    fn influences(&mut self, from: &State, step: &Step, wanted: &[ValueFact], facts: &mut Vec<ValueFact>) {
        let program = self.store.program;
        let op = &program.edges[step.edge].op;
        // A step over a call only forgets.
        if step.kind == Move::Over {
            return;
        }
        if step.kind == Move::Leave {
            if let Op::Call { function, .. } = op
                && let Some(result) = program.functions[*function].result
            {
                facts.push(ValueFact::Register(result, step.from_depth));
            }
            return;
        }
        // An assignment to an unwanted register needs no operand.
        let assigned = match op {
            Op::Assign(var, _) => Some(*var),
            Op::Return(_) => program.functions[program.nodes[step.from.node].function].result,
            _ => None,
        };
        if let Some(var) = assigned
            && !wanted.iter().any(|&fact| matches!(fact, ValueFact::Register(wanted, _) if wanted == var))
        {
            return;
        }
        if let (Op::Call { function, args, .. }, Move::Enter) = (op, step.kind) {
            for (param, &arg) in program.functions[*function].params.iter().zip(args) {
                if wanted.contains(&ValueFact::Register(*param, step.to_depth)) {
                    self.read_facts(*from, step.from_depth, arg, facts);
                }
            }
            return;
        }
        for root in op.operands() {
            self.read_facts(*from, step.from_depth, root, facts);
        }
        match *op {
            Op::Copy { from: source, .. } | Op::Allocate { how: cfa::Allocation::Resize(source), .. } => {
                let Self { store, large, .. } = self;
                let scope = super::Scope { store, state: *from, depth: step.from_depth, large };
                if let Some(KnownValue::Pointer(object, _)) = scope.eval(source) {
                    self.object_facts(*from, object, facts);
                }
            }
            _ => {}
        }
    }

    fn facts(&self, state: &State, facts: &mut Vec<ValueFact>) {
        self.store.maps.for_each(state.regs(), &mut |slot, _| {
            let (var, depth) = self.store.slot_var(slot);
            facts.push(ValueFact::Register(var, depth));
        });
        self.store
            .maps
            .for_each(state.mem(), &mut |object, _| self.object_facts(*state, StoredObjectId(object), facts));
    }

    fn restrict(&mut self, state: &State, facts: &[ValueFact]) -> State {
        let mut kept = State::default();
        let objects: BTreeSet<(StoredObjectId, u32)> = facts
            .iter()
            .filter_map(|fact| match *fact {
                ValueFact::Cell(object, key) => Some((object, key)),
                ValueFact::Register(..) => None,
            })
            .collect();
        for &fact in facts {
            if let (ValueFact::Register(var, depth), Some(value)) = (fact, self.content_key(*state, fact)) {
                let slot = self.store.slot(var, depth);
                kept.set_regs(self.store.maps.set(kept.regs(), slot, value));
            }
        }
        for (object, key) in objects {
            let Some(content) = self.store.maps.get(state.mem(), object.0) else { continue };
            let Some(chunk) = self.store.maps.get(content, key) else { continue };
            // Key 0 is the first one: what the fill does not reach is the start for the others.
            let own = if key == 0 {
                self.blanked(content)
            } else {
                let own = self.store.maps.get(kept.mem(), object.0).unwrap_or(EMPTY);
                self.store.maps.set(own, key, chunk)
            };
            kept.set_mem(self.store.maps.set(kept.mem(), object.0, own));
        }
        kept
    }

    fn agree(&self, a: &State, b: &State, fact: ValueFact) -> bool {
        match fact {
            ValueFact::Register(..) => {
                let (x, y) = (self.content_key(*a, fact), self.content_key(*b, fact));
                x.is_some() && x == y
            }
            ValueFact::Cell(object, 0) => self.reaches_as_far(*a, *b, object),
            ValueFact::Cell(..) => {
                let (x, y) = (self.content_key(*a, fact), self.content_key(*b, fact));
                x.is_some() && x == y
            }
        }
    }

    fn number(&self, state: &State, var: VarId, depth: u32) -> Option<u128> {
        match self.store.register(*state, var, depth)? {
            KnownValue::Bits(bits) => Some(bits),
            KnownValue::Sign(sign) => {
                let program = self.store.program;
                program.register(var).map(|ty| sign.example(program.model, ty))
            }
            KnownValue::Pointer(..) | KnownValue::Function(_) => None,
        }
    }

    fn name(&self, fact: ValueFact) -> String {
        self.item(fact).display(self.store.program)
    }

    fn cost(&self, fact: ValueFact) -> u64 {
        self.costs.of(self.item(fact))
    }
}

impl Refinable for ValueAnalysis<'_> {
    fn track(&mut self, precision: &mut Precision, node: Node, fact: ValueFact) -> bool {
        let known = precision.new_items().len();
        let new = precision.track(node, self.item(fact));
        // Some may be tracked together with it.
        for at in known..precision.new_items().len() {
            let item = precision.new_items()[at];
            self.enter_writers(precision, item);
        }
        new
    }

    fn trackable(&self, precision: &Precision, fact: ValueFact) -> bool {
        !precision.dropped.contains(&self.item(fact))
    }

    fn enter_calls(
        &mut self,
        precision: &mut Precision,
        path: &[Step],
        cancel: &Cancel,
    ) -> Result<Option<usize>, Stop> {
        self.enter_stepped_over(precision, path, cancel)
    }
}
