//! The store of terms: hash-consed, so equal terms have equal ids and a formula is a DAG that shares all it can.

use crate::bitvec::BitVec;
use crate::op::{FunctionId, Op, ValueId, VarId};
use crate::sort::{FloatFormat, ScalarSort, Sort};
use base::{Id, IdVec, Interner, Symbol, define_id};
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

define_id!(
    /// A term of one [`Terms`]; arguments always have smaller ids than the terms that use them.
    TermId,
    "t"
);

/// A free variable: `name`, or `name@index` for an SSA instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Variable {
    base: Symbol,
    index: Option<u32>,
    sort: Sort,
}

/// An uninterpreted function.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Function {
    name: Symbol,
    parameters: Vec<ScalarSort>,
    result: ScalarSort,
}

/// Whether constructors simplify.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rewriting {
    /// Constructors apply the rewrite rules.
    On,
    /// Constructors build exactly the operator they are named after; for tests of the rules and of solvers.
    Off,
}

/// All terms of one thread. Constructors (`and`, `bv_add`, `select`, ...) live in the modules by theory; they panic on
/// arguments of wrong sorts, which is a bug of the caller.
///
/// ```
/// use smt::{Sort, Terms};
/// let mut terms = Terms::new();
/// let x = terms.var("x", Sort::BitVec(32));
/// let one = terms.bv_u64(32, 1);
/// assert_eq!(terms.bv_add(x, one), terms.bv_add(one, x));
/// ```
pub struct Terms {
    ops: IdVec<TermId, Op>,
    sorts: Vec<Sort>,
    /// Arguments of term i: `args[arg_ends[i - 1]..arg_ends[i]]`.
    args: Vec<TermId>,
    arg_ends: Vec<u32>,
    table: HashTable<TermId>,
    names: Interner,
    variables: IdVec<VarId, Variable>,
    variable_terms: FxHashMap<(Symbol, Option<u32>), TermId>,
    functions: IdVec<FunctionId, Function>,
    function_ids: FxHashMap<Symbol, FunctionId>,
    values: IdVec<ValueId, BitVec>,
    value_ids: FxHashMap<BitVec, ValueId>,
    fresh: u32,
    store: u32,
    pub(crate) rewriting: Rewriting,
}

impl Default for Terms {
    fn default() -> Self {
        Self::new()
    }
}

impl Terms {
    /// An empty store whose constructors rewrite.
    pub fn new() -> Self {
        Self::with_rewriting(Rewriting::On)
    }

    /// An empty store.
    pub fn with_rewriting(rewriting: Rewriting) -> Self {
        static STORES: AtomicU32 = AtomicU32::new(0);
        Self {
            ops: IdVec::new(),
            sorts: Vec::new(),
            args: Vec::new(),
            arg_ends: Vec::new(),
            table: HashTable::new(),
            names: Interner::default(),
            variables: IdVec::new(),
            variable_terms: FxHashMap::default(),
            functions: IdVec::new(),
            function_ids: FxHashMap::default(),
            values: IdVec::new(),
            value_ids: FxHashMap::default(),
            fresh: 0,
            store: STORES.fetch_add(1, Ordering::Relaxed),
            rewriting,
        }
    }

    /// A number that differs between stores: solvers remember it to notice terms of another store.
    pub fn store(&self) -> u32 {
        self.store
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.sorts.len()
    }

    /// Whether there is no term yet.
    pub fn is_empty(&self) -> bool {
        self.sorts.is_empty()
    }

    /// The head of a term.
    pub fn op(&self, term: TermId) -> Op {
        self.ops[term]
    }

    /// The arguments of a term.
    pub fn args(&self, term: TermId) -> &[TermId] {
        let index = term.index();
        let start = index.checked_sub(1).map_or(0, |before| self.arg_ends[before]);
        &self.args[start as usize..self.arg_ends[index] as usize]
    }

    /// The only argument of a unary term.
    pub(crate) fn arg(&self, term: TermId) -> TermId {
        let args = self.args(term);
        debug_assert_eq!(args.len(), 1, "{:?} is unary", self.op(term));
        args[0]
    }

    /// The arguments of a binary term.
    pub(crate) fn pair(&self, term: TermId) -> (TermId, TermId) {
        let args = self.args(term);
        debug_assert_eq!(args.len(), 2, "{:?} is binary", self.op(term));
        (args[0], args[1])
    }

    /// The arguments of a ternary term.
    pub(crate) fn triple(&self, term: TermId) -> (TermId, TermId, TermId) {
        let args = self.args(term);
        debug_assert_eq!(args.len(), 3, "{:?} is ternary", self.op(term));
        (args[0], args[1], args[2])
    }

    /// The sort of a term.
    pub fn sort(&self, term: TermId) -> Sort {
        self.sorts[term.index()]
    }

    /// The width of a bit vector term.
    pub fn width(&self, term: TermId) -> u32 {
        match self.sort(term) {
            Sort::BitVec(width) => width,
            other => panic!("a bit vector is expected, not {other}"),
        }
    }

    /// The format of a floating-point term.
    pub fn format(&self, term: TermId) -> FloatFormat {
        match self.sort(term) {
            Sort::Float(format) => format,
            other => panic!("a float is expected, not {other}"),
        }
    }

    /// The truth value, if the term is one.
    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        match self.op(term) {
            Op::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The bit vector value, if the term is one.
    pub fn as_bv(&self, term: TermId) -> Option<&BitVec> {
        match self.op(term) {
            Op::Bv(value) => Some(&self.values[value]),
            _ => None,
        }
    }

    /// The bits of the floating-point value, if the term is one.
    pub fn as_fp(&self, term: TermId) -> Option<&BitVec> {
        match self.op(term) {
            Op::Fp(_, value) => Some(&self.values[value]),
            _ => None,
        }
    }

    /// An interned value.
    pub fn value(&self, value: ValueId) -> &BitVec {
        &self.values[value]
    }

    /// Whether the term is a value: a truth value, bit vector or float, not an array.
    pub fn is_value(&self, term: TermId) -> bool {
        self.op(term).is_value()
    }

    /// The term with this head and these arguments, as it is. The caller has checked the sorts.
    pub(crate) fn intern(&mut self, op: Op, args: &[TermId], sort: Sort) -> TermId {
        debug_assert!(args.iter().all(|arg| arg.index() < self.len()), "arguments are terms of this store");
        let hash = hash(op, args);
        let found = self.table.find(hash, |&term| self.op(term) == op && self.args(term) == args);
        if let Some(&term) = found {
            return term;
        }
        debug_assert!(
            self.ops.len() == self.sorts.len() && self.ops.len() == self.arg_ends.len(),
            "one of each per term"
        );
        let term = self.ops.push(op);
        self.sorts.push(sort);
        self.args.extend_from_slice(args);
        self.arg_ends.push(u32::try_from(self.args.len()).expect("fewer than 2^32 arguments"));
        let (ops, all, ends) = (&self.ops, &self.args, &self.arg_ends);
        self.table.insert_unique(hash, term, |&term| {
            let index = term.index();
            let start = index.checked_sub(1).map_or(0, |before| ends[before]);
            crate::terms::hash(ops[term], &all[start as usize..ends[index] as usize])
        });
        term
    }

    pub(crate) fn intern_value(&mut self, value: BitVec) -> ValueId {
        if let Some(&id) = self.value_ids.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        self.value_ids.insert(value, id);
        id
    }

    // Variables and functions ------------------------------------------------------------------------------------------

    /// The variable of this name; `x@3` is the instance 3 of `x`. One name has one sort.
    pub fn var(&mut self, name: &str, sort: Sort) -> TermId {
        let (base, index) = split_name(name);
        let base = self.names.intern(base);
        self.variable(base, index, sort)
    }

    /// The SSA instance `name@index`.
    pub fn ssa_var(&mut self, name: &str, index: u32, sort: Sort) -> TermId {
        let base = self.names.intern(name);
        self.variable(base, Some(index), sort)
    }

    pub(crate) fn variable(&mut self, base: Symbol, index: Option<u32>, sort: Sort) -> TermId {
        if let Some(&term) = self.variable_terms.get(&(base, index)) {
            let name = self.names.text(base);
            assert_eq!(self.sort(term), sort, "variable {name} has one sort");
            return term;
        }
        debug_assert!(
            index.is_some() || split_name(self.names.text(base)).1.is_none(),
            "a name that looks like an instance"
        );
        let variable = self.variables.push(Variable { base, index, sort });
        let term = self.intern(Op::Var(variable), &[], sort);
        self.variable_terms.insert((base, index), term);
        term
    }

    /// A variable that was never used before, named `prefix!number`.
    pub fn fresh_var(&mut self, prefix: &str, sort: Sort) -> TermId {
        loop {
            let base = self.names.intern(&format!("{prefix}!{}", self.fresh));
            self.fresh += 1;
            if !self.variable_terms.contains_key(&(base, None)) {
                return self.variable(base, None, sort);
            }
        }
    }

    /// The term of a variable.
    pub fn var_term(&self, variable: VarId) -> TermId {
        let Variable { base, index, .. } = self.variables[variable];
        self.variable_terms[&(base, index)]
    }

    /// The variable of this name, if there is one.
    pub fn lookup_var(&self, name: &str) -> Option<TermId> {
        let (base, index) = split_name(name);
        self.variable_terms.get(&(self.names.lookup(base)?, index)).copied()
    }

    /// The full name of a variable: `x` or `x@3`.
    pub fn var_name(&self, variable: VarId) -> String {
        let Variable { base, index, .. } = self.variables[variable];
        match index {
            Some(index) => format!("{}@{index}", self.names.text(base)),
            None => self.names.text(base).to_owned(),
        }
    }

    /// The name without the SSA index, and the index.
    pub fn ssa_parts(&self, variable: VarId) -> (&str, Option<u32>) {
        let Variable { base, index, .. } = self.variables[variable];
        (self.names.text(base), index)
    }

    pub(crate) fn ssa_symbol(&self, variable: VarId) -> (Symbol, Option<u32>) {
        let Variable { base, index, .. } = self.variables[variable];
        (base, index)
    }

    pub(crate) fn intern_name(&mut self, name: &str) -> Symbol {
        self.names.intern(name)
    }

    pub(crate) fn symbol_text(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    /// The variable behind a term, if the term is one.
    pub fn as_var(&self, term: TermId) -> Option<VarId> {
        match self.op(term) {
            Op::Var(variable) => Some(variable),
            _ => None,
        }
    }

    /// The uninterpreted function of this name. One name has one signature; at least one parameter.
    pub fn function(&mut self, name: &str, parameters: &[ScalarSort], result: ScalarSort) -> FunctionId {
        assert!(!parameters.is_empty(), "a function without parameters is a variable");
        let name = self.names.intern(name);
        if let Some(&id) = self.function_ids.get(&name) {
            let known = &self.functions[id];
            let text = self.names.text(name);
            assert!(known.parameters == parameters && known.result == result, "function {text} has one signature");
            return id;
        }
        let id = self.functions.push(Function { name, parameters: parameters.to_vec(), result });
        self.function_ids.insert(name, id);
        id
    }

    /// The function of this name, if there is one.
    pub fn lookup_function(&self, name: &str) -> Option<FunctionId> {
        self.function_ids.get(&self.names.lookup(name)?).copied()
    }

    /// The name of a function.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.names.text(self.functions[function].name)
    }

    /// Parameters and result of a function.
    pub fn signature(&self, function: FunctionId) -> (&[ScalarSort], ScalarSort) {
        let function = &self.functions[function];
        (&function.parameters, function.result)
    }

    /// `function` applied to `args`.
    pub fn apply(&mut self, function: FunctionId, args: &[TermId]) -> TermId {
        let (parameters, result) = self.signature(function);
        let fits = parameters.len() == args.len()
            && parameters.iter().zip(args).all(|(&parameter, &arg)| self.sort(arg) == parameter.into());
        assert!(fits, "arguments of {} fit its signature", self.function_name(function));
        self.intern(Op::Apply(function), args, result.into())
    }
}

fn hash(op: Op, args: &[TermId]) -> u64 {
    let mut hasher: FxHasher = FxBuildHasher.build_hasher();
    op.hash(&mut hasher);
    args.hash(&mut hasher);
    hasher.finish()
}

/// `x@3` is `x` and 3; a name without a number after its last `@` is itself.
fn split_name(name: &str) -> (&str, Option<u32>) {
    if let Some((base, digits)) = name.rsplit_once('@')
        && let Ok(index) = digits.parse::<u32>()
        && index.to_string() == digits
    {
        return (base, Some(index));
    }
    (name, None)
}
