//! Calls that share their exploration: a function that is entered twice in the same abstract state does the same both
//! times, so it is explored once and every exit returns to all callers (the tabulation of [RHS95], per abstract state).
//! The depth of an activation names its variables, so recursive functions share only where the domain says that the
//! depth does not matter.

use crate::arg::{Arg, ArgId};
use crate::place::{Move, Place, StackId, Stacks, Step};
use base::Id;
use cfa::{EdgeId, FunctionId, Node, Op, Program};
use flow::Prepared;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::hash::Hash;

/// Who called what in which state.
pub struct Contexts {
    recursive: Vec<bool>,
    /// Entries of functions by location and key of the state.
    entries: FxHashMap<(Node, u64), Vec<ArgId>>,
    /// By stack, the entry that it was made for.
    entry_of: FxHashMap<StackId, ArgId>,
    /// By entry, the states before calls that lead to it.
    callers: FxHashMap<ArgId, Vec<(ArgId, EdgeId)>>,
    /// The other way round: by call the entry that it leads to.
    entered: FxHashMap<(ArgId, EdgeId), ArgId>,
    /// By stack, the states at the function's exit.
    exits: FxHashMap<StackId, Vec<ArgId>>,
    /// By state after a call, the one before the call.
    before: FxHashMap<ArgId, ArgId>,
    /// The other way round.
    after: FxHashMap<ArgId, Vec<ArgId>>,
    /// By state before a call the entries that it led to at first, when less was tracked.
    earlier: FxHashMap<ArgId, Vec<ArgId>>,
}

impl Contexts {
    /// No calls yet.
    pub fn new(program: &Prepared) -> Self {
        let graph = program.calls();
        Self {
            recursive: program.functions.ids().map(|function| graph.is_recursive(function)).collect(),
            entries: FxHashMap::default(),
            entry_of: FxHashMap::default(),
            callers: FxHashMap::default(),
            entered: FxHashMap::default(),
            exits: FxHashMap::default(),
            before: FxHashMap::default(),
            after: FxHashMap::default(),
            earlier: FxHashMap::default(),
        }
    }

    /// Forgets all calls.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.entry_of.clear();
        self.callers.clear();
        self.entered.clear();
        self.exits.clear();
        self.before.clear();
        self.after.clear();
        self.earlier.clear();
    }

    /// Whether a function may be active more than once at a time.
    pub fn is_recursive(&self, function: FunctionId) -> bool {
        self.recursive[function.index()]
    }

    /// The entry at a location whose state has the key and satisfies `same`.
    pub fn find(&self, at: Node, key: u64, same: impl Fn(ArgId) -> bool) -> Option<ArgId> {
        self.entries.get(&(at, key))?.iter().copied().find(|&entry| same(entry))
    }

    /// Notes a new entry.
    pub fn add(&mut self, at: Place, key: u64, entry: ArgId, caller: (ArgId, EdgeId)) {
        self.entries.entry((at.node, key)).or_default().push(entry);
        self.entry_of.insert(at.stack, entry);
        self.callers.insert(entry, vec![caller]);
        self.lead(caller, entry);
    }

    /// Notes where a call leads; whether that is new.
    fn lead(&mut self, caller: (ArgId, EdgeId), entry: ArgId) -> bool {
        let before = self.entered.insert(caller, entry);
        if let Some(other) = before.filter(|&other| other != entry) {
            self.earlier.entry(caller.0).or_default().push(other);
        }
        before != Some(entry)
    }

    /// Notes one more caller of an entry with this stack; the exits from which it continues.
    pub fn join(&mut self, entry: ArgId, stack: StackId, caller: (ArgId, EdgeId)) -> Vec<ArgId> {
        if self.lead(caller, entry) {
            self.callers.entry(entry).or_default().push(caller);
        }
        self.exits.get(&stack).cloned().unwrap_or_default()
    }

    /// Notes a state at the exit; the callers to which it returns. `None` if the stack is not a shared one.
    pub fn exit(&mut self, exit: ArgId, stack: StackId) -> Option<Vec<(ArgId, EdgeId)>> {
        let callers = self.callers_of(stack)?.to_vec();
        let exits = self.exits.entry(stack).or_default();
        if !exits.contains(&exit) {
            exits.push(exit);
        }
        Some(callers)
    }

    /// The states before the calls that lead to a shared stack.
    pub fn callers_of(&self, stack: StackId) -> Option<&[(ArgId, EdgeId)]> {
        self.callers.get(self.entry_of.get(&stack)?).map(Vec::as_slice)
    }

    /// Notes which call a state comes after.
    pub fn behind(&mut self, state: ArgId, call: ArgId) {
        self.before.insert(state, call);
        self.after.entry(call).or_default().push(state);
    }

    /// The states after a shared call that was made in this state.
    pub fn after(&self, call: ArgId) -> &[ArgId] {
        self.after.get(&call).map_or(&[], Vec::as_slice)
    }

    /// Forgets states that are taken out of the graph, each with its key, and all that was found from them; the states
    /// before calls to functions whose entries are among them, which have to call again.
    pub fn remove<S>(
        &mut self,
        program: &Program,
        arg: &Arg<S>,
        doomed: &[(ArgId, u64)],
        is_doomed: &dyn Fn(ArgId) -> bool,
    ) -> Vec<ArgId> {
        let mut again = Vec::new();
        let (mut stacks, mut calls, mut called) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for &(id, key) in doomed {
            let place = arg.place(id);
            stacks.insert(place.stack);
            if let Some(callers) = self.callers.remove(&id) {
                retain_in(&mut self.entries, &(place.node, key), |&entry| !is_doomed(entry));
                for caller in callers {
                    if self.entered.get(&caller) == Some(&id) {
                        self.entered.remove(&caller);
                    }
                    again.push(caller.0);
                }
            }
            for edge in program.leaving(place.node) {
                called.extend(self.entered.remove(&(id, edge)));
            }
            called.extend(self.earlier.remove(&id).into_iter().flatten());
            calls.extend(self.before.remove(&id));
            self.after.remove(&id);
        }
        for stack in stacks {
            if self.entry_of.get(&stack).is_some_and(|&entry| is_doomed(entry)) {
                self.entry_of.remove(&stack);
            }
            retain_in(&mut self.exits, &stack, |&exit| !is_doomed(exit));
        }
        for entry in called {
            if let Some(callers) = self.callers.get_mut(&entry) {
                callers.retain(|&(call, _)| !is_doomed(call));
            }
        }
        for call in calls {
            retain_in(&mut self.after, &call, |&state| !is_doomed(state));
        }
        again.retain(|&call| !is_doomed(call));
        again.sort_unstable();
        again.dedup();
        again
    }

    /// The entry to which a call leads.
    pub fn entry(&self, call: (ArgId, EdgeId)) -> Option<ArgId> {
        self.entered.get(&call).copied()
    }

    /// The step before a node of a path: what it does, from which node, and along which edge. `pending` are the calls that
    /// the path has left after that, with the states before them, if others share them.
    pub(crate) fn step_back<S>(
        &self,
        program: &Program,
        arg: &Arg<S>,
        (parent, edge, at): (ArgId, EdgeId, ArgId),
        pending: &mut Vec<(Option<ArgId>, EdgeId)>,
    ) -> (Move, ArgId, EdgeId) {
        let kind = self.kind(program, arg, parent, edge, at);
        match kind {
            Move::Leave => {
                pending.push((self.before.get(&at).copied(), edge));
                (kind, parent, edge)
            }
            Move::Enter => match pending.pop() {
                Some((Some(call), edge)) => (kind, call, edge),
                Some((None, _)) | None => (kind, parent, edge),
            },
            Move::Edge | Move::Over => (kind, parent, edge),
        }
    }

    /// Stacks for a path through shared calls.
    pub(crate) fn stacks(&self, program: &Program) -> Stacks {
        Stacks::knowing(program, self.recursive.clone())
    }

    /// What the step from a parent to a state does.
    pub(crate) fn kind<S>(&self, program: &Program, arg: &Arg<S>, parent: ArgId, edge: EdgeId, at: ArgId) -> Move {
        let Op::Call { function, .. } = program.edges[edge].op else { return Move::Edge };
        let (from, to) = (arg.place(parent), arg.place(at));
        if self.before.contains_key(&at) {
            Move::Leave
        } else if from.stack == to.stack {
            Move::Over
        } else if to.node == program.functions[function].entry && from.node == program.edges[edge].from {
            Move::Enter
        } else {
            Move::Leave
        }
    }
}

/// Keeps some entries of the list under a key, and the list only if any are left.
fn retain_in<K: Eq + Hash, T>(lists: &mut FxHashMap<K, Vec<T>>, key: &K, keep: impl Fn(&T) -> bool) {
    if let Some(list) = lists.get_mut(key) {
        list.retain(keep);
        if list.is_empty() {
            lists.remove(key);
        }
    }
}

impl Stacks {
    /// The step of a kind along an edge.
    pub(crate) fn follow(&mut self, program: &Program, from: Place, kind: Move, edge: EdgeId) -> Step {
        let to = match (kind, &program.edges[edge].op) {
            (Move::Enter, Op::Call { function, .. }) => {
                let stack = self.push(from.stack, edge, *function);
                Place { node: program.functions[*function].entry, stack }
            }
            (Move::Leave, _) => {
                let (call, stack) = self.top(from.stack).expect("a return has a call before it");
                debug_assert_eq!(call, edge, "a path returns to where it called");
                Place { node: program.edges[call].to, stack }
            }
            _ => Place { node: program.edges[edge].to, stack: from.stack },
        };
        self.step(kind, edge, from, to)
    }
}
