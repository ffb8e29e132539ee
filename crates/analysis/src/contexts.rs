//! Calls that share their exploration: a function that is entered twice in the same abstract state does the same both
//! times, so it is explored once and every exit returns to all callers (the tabulation of [RHS95], per abstract state).
//! The depth of an activation names its variables, so recursive functions share only where the domain says that the
//! depth does not matter.

use crate::arg::{Arg, ArgId, PathStep};
use crate::place::{Move, Place, StackId, Stacks, Step};
use base::Id;
use cfa::{EdgeId, FunctionId, Node, Op, Program};
use flow::Prepared;
use rustc_hash::FxHashMap;

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
        self.entered.insert(caller, entry);
    }

    /// Notes one more caller of an entry with this stack; the exits from which it continues.
    pub fn join(&mut self, entry: ArgId, stack: StackId, caller: (ArgId, EdgeId)) -> Vec<ArgId> {
        if self.entered.insert(caller, entry) != Some(entry) {
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

    /// Forgets states that are taken out of the graph, with all that was found from them; the states before calls to
    /// functions whose entries are among them, which have to call again.
    pub fn remove(&mut self, is_doomed: &dyn Fn(ArgId) -> bool) -> Vec<ArgId> {
        let mut again = Vec::new();
        let keep = |list: &mut Vec<ArgId>| {
            list.retain(|&id| !is_doomed(id));
            !list.is_empty()
        };
        self.entries.retain(|_, entries| keep(entries));
        self.entry_of.retain(|_, entry| !is_doomed(*entry));
        self.exits.retain(|_, exits| keep(exits));
        self.callers.retain(|entry, callers| {
            callers.retain(|&(call, _)| !is_doomed(call));
            if is_doomed(*entry) {
                again.extend(callers.iter().map(|&(call, _)| call));
            }
            !is_doomed(*entry)
        });
        self.entered.retain(|(call, _), entry| !is_doomed(*call) && !is_doomed(*entry));
        self.before.retain(|state, _| !is_doomed(*state));
        self.after.retain(|call, states| !is_doomed(*call) && keep(states));
        again.sort_unstable();
        again.dedup();
        again
    }

    /// The entry to which a call leads.
    pub fn entry(&self, call: (ArgId, EdgeId)) -> Option<ArgId> {
        self.entered.get(&call).copied()
    }

    /// The path from the root to a state, through the calls that it really comes after:
    ///
    /// 1. backwards along first parents; after a shared call on to the callee's exit, and from the callee's entry to
    ///    the state before that call, no matter which caller came first;
    /// 2. forwards again, with the call stacks of the path.
    pub fn path_to<S>(&self, program: &Program, arg: &Arg<S>, id: ArgId) -> Vec<PathStep> {
        let mut moves = Vec::new();
        let mut pending: Vec<(Option<ArgId>, EdgeId)> = Vec::new();
        let mut at = id;
        while let Some((parent, edge)) = arg.parent(at) {
            // 1
            let kind = self.kind(program, arg, parent, edge, at);
            let (before, edge) = match kind {
                Move::Leave => {
                    pending.push((self.before.get(&at).copied(), edge));
                    (parent, edge)
                }
                Move::Enter => match pending.pop() {
                    Some((Some(call), edge)) => (call, edge),
                    Some((None, _)) | None => (parent, edge),
                },
                Move::Edge | Move::Over => (parent, edge),
            };
            moves.push((kind, edge, at));
            at = before;
        }
        let mut stacks = Stacks::knowing(program, self.recursive.clone());
        let mut place = stacks.start(program);
        let mut path = Vec::with_capacity(moves.len());
        for (kind, edge, node) in moves.into_iter().rev() {
            // 2
            let step = stacks.follow(program, place, kind, edge);
            place = step.to;
            path.push(PathStep { step, node });
        }
        path
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

impl Stacks {
    /// The step of a kind along an edge.
    fn follow(&mut self, program: &Program, from: Place, kind: Move, edge: EdgeId) -> Step {
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
