//! Reading scripts: what [`Terms::print_script`] writes, and most of what others write about bit vectors, floats, arrays
//! and functions. No recursion: definitions may nest deep.

use super::sexpr::{Node, Tree};
use super::symbols::SIMPLE;
use crate::bitvec::BitVec;
use crate::op::{FunctionId, Op};
use crate::sort::{FloatFormat, RoundingMode, ScalarSort, Sort};
use crate::terms::{TermId, Terms};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::fmt;

/// What a script asks for, declarations and definitions worked in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// `(assert t)`
    Assert(TermId),
    /// `(push n)`
    Push(u32),
    /// `(pop n)`
    Pop(u32),
    /// `(check-sat)`, or `(check-sat-assuming (t ...))`
    Check(Vec<TermId>),
}

/// What is wrong with a script, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScriptError {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl ScriptError {
    pub(super) fn new(text: &str, at: usize, message: impl Into<String>) -> ScriptError {
        ScriptError { line: 1 + text[..at].matches('\n').count(), message: message.into() }
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ScriptError {}

impl Terms {
    /// Reads a script. Variables and functions are those of this store with the same names.
    pub fn read_script(&mut self, text: &str) -> Result<Vec<Command>, ScriptError> {
        let tree = Tree::read(text)?;
        let mut reader =
            Reader { terms: self, tree: &tree, text, definitions: FxHashMap::default(), commands: Vec::new() };
        for &root in &tree.roots {
            reader.command(root)?;
        }
        Ok(reader.commands)
    }
}

/// What a name or expression stands for.
#[derive(Clone, Copy)]
enum Item {
    Term(TermId),
    Mode(RoundingMode),
    Function(FunctionId),
}

/// Work to do: nodes are visited, and combined once their parts are on the result stack.
enum Task {
    Visit(usize),
    /// Combine the last `count` results with the head of this list.
    Combine {
        node: usize,
        count: usize,
    },
    /// Bind the last results to the names of a `let` and go on with its body.
    Bind {
        node: usize,
    },
    /// Forget the names of the innermost `let`.
    Unbind,
}

struct Reader<'a, 'b> {
    terms: &'a mut Terms,
    tree: &'a Tree<'b>,
    text: &'a str,
    /// Declared and defined names.
    definitions: FxHashMap<&'b str, Item>,
    commands: Vec<Command>,
}

impl<'b> Reader<'_, 'b> {
    fn error<T>(&self, node: usize, message: impl Into<String>) -> Result<T, ScriptError> {
        Err(ScriptError::new(self.text, self.tree.start(node), message))
    }

    fn list(&self, node: usize) -> Result<&[usize], ScriptError> {
        self.tree.list(node).map_or_else(|| self.error(node, "a list is expected"), Ok)
    }

    fn name(&self, node: usize) -> Result<&'b str, ScriptError> {
        self.tree.atom(node).map_or_else(|| self.error(node, "a name is expected"), Ok)
    }

    fn number(&self, node: usize) -> Result<u32, ScriptError> {
        let number = self.tree.atom(node).and_then(|text| text.parse().ok());
        number.map_or_else(|| self.error(node, "a number is expected"), Ok)
    }

    fn command(&mut self, node: usize) -> Result<(), ScriptError> {
        let parts = self.list(node)?.to_vec();
        let Some(&first) = parts.first() else { return self.error(node, "a command is expected") };
        match (self.name(first)?, &parts[1..]) {
            ("set-logic" | "set-info" | "set-option" | "get-model" | "get-value" | "get-unsat-assumptions", _)
            | ("exit" | "echo" | "get-unsat-core" | "get-info", _) => Ok(()),
            ("declare-const", &[name, sort]) => self.declare(name, &[], sort),
            ("declare-fun", &[name, parameters, sort]) => {
                let parameters = self.list(parameters)?.to_vec();
                self.declare(name, &parameters, sort)
            }
            ("define-fun", &[name, parameters, _, body]) if self.list(parameters)?.is_empty() => {
                self.define(name, body)
            }
            ("define-const", &[name, _, body]) => self.define(name, body),
            ("assert", &[formula]) => {
                let formula = self.formula(formula)?;
                self.commands.push(Command::Assert(formula));
                Ok(())
            }
            ("push", levels) | ("pop", levels) if levels.len() <= 1 => {
                let count = levels.first().map_or(Ok(1), |&count| self.number(count))?;
                let push = self.name(first)? == "push";
                self.commands.push(if push { Command::Push(count) } else { Command::Pop(count) });
                Ok(())
            }
            ("check-sat", []) => {
                self.commands.push(Command::Check(Vec::new()));
                Ok(())
            }
            ("check-sat-assuming", &[assumptions]) => {
                let assumptions = self.list(assumptions)?.to_vec();
                let assumptions =
                    assumptions.into_iter().map(|formula| self.formula(formula)).collect::<Result<_, _>>()?;
                self.commands.push(Command::Check(assumptions));
                Ok(())
            }
            (other, _) => self.error(node, format!("command {other} is not supported in this form")),
        }
    }

    fn declare(&mut self, name: usize, parameters: &[usize], sort: usize) -> Result<(), ScriptError> {
        let text = self.name(name)?;
        let sort = self.sort(sort)?;
        let item = if parameters.is_empty() {
            let known = self.terms.lookup_var(text).map(|known| self.terms.sort(known));
            if known.is_some_and(|known| known != sort) {
                return self.error(name, format!("{text} has another sort already"));
            }
            Item::Term(self.terms.var(text, sort))
        } else {
            let parameters: Vec<ScalarSort> =
                parameters.iter().map(|&node| self.scalar(node)).collect::<Result<_, _>>()?;
            let Some(result) = sort.scalar() else { return self.error(name, "functions give scalars") };
            let known = self.terms.lookup_function(text).map(|known| self.terms.signature(known));
            if known.is_some_and(|known| known != (&parameters, result)) {
                return self.error(name, format!("{text} has another signature already"));
            }
            Item::Function(self.terms.function(text, &parameters, result))
        };
        self.definitions.insert(text, item);
        Ok(())
    }

    fn define(&mut self, name: usize, body: usize) -> Result<(), ScriptError> {
        let term = self.term(body)?;
        let name = self.name(name)?;
        self.definitions.insert(name, Item::Term(term));
        Ok(())
    }

    fn scalar(&self, node: usize) -> Result<ScalarSort, ScriptError> {
        self.sort(node)?.scalar().map_or_else(|| self.error(node, "a sort other than arrays is expected"), Ok)
    }

    fn sort(&self, node: usize) -> Result<Sort, ScriptError> {
        if let Some(name) = self.tree.atom(node) {
            return match name {
                "Bool" => Ok(Sort::Bool),
                "Float16" => Ok(Sort::Float(FloatFormat::HALF)),
                "Float32" => Ok(Sort::Float(FloatFormat::SINGLE)),
                "Float64" => Ok(Sort::Float(FloatFormat::DOUBLE)),
                "Float128" => Ok(Sort::Float(FloatFormat::QUAD)),
                other => self.error(node, format!("sort {other} is not supported")),
            };
        }
        match *self.list(node)? {
            [underscore, name, width] if self.name(underscore)? == "_" && self.name(name)? == "BitVec" => {
                let bits = self.number(width)?;
                if bits == 0 { self.error(width, "bit vectors have at least one bit") } else { Ok(Sort::BitVec(bits)) }
            }
            [underscore, name, exponent, significand]
                if self.name(underscore)? == "_" && self.name(name)? == "FloatingPoint" =>
            {
                Ok(Sort::Float(self.format(exponent, significand)?))
            }
            [array, index, element] if self.name(array)? == "Array" => {
                Ok(Sort::Array { index: self.scalar(index)?, element: self.scalar(element)? })
            }
            _ => self.error(node, "this sort is not supported"),
        }
    }

    fn format(&self, exponent: usize, significand: usize) -> Result<FloatFormat, ScriptError> {
        let small = |node: usize| {
            let number = u16::try_from(self.number(node)?).ok().filter(|&number| number >= 2);
            number.map_or_else(|| self.error(node, "no size of a float"), Ok)
        };
        Ok(FloatFormat { exponent: small(exponent)?, significand: small(significand)? })
    }

    fn formula(&mut self, node: usize) -> Result<TermId, ScriptError> {
        let term = self.term(node)?;
        if self.terms.sort(term) == Sort::Bool { Ok(term) } else { self.error(node, "a formula is expected") }
    }

    fn term(&mut self, root: usize) -> Result<TermId, ScriptError> {
        let mut tasks = vec![Task::Visit(root)];
        let mut results: Vec<Item> = Vec::new();
        let mut scopes: Vec<FxHashMap<&'b str, Item>> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(node) => {
                    if let Some(item) = self.leaf(node, &scopes)? {
                        results.push(item);
                        continue;
                    }
                    let items = self.list(node)?;
                    if self.tree.atom(items[0]) == Some("let") && items.len() == 3 {
                        tasks.push(Task::Bind { node });
                        for &binding in self.list(items[1])?.iter().rev() {
                            let &[_, value] = self.list(binding)? else {
                                return self.error(binding, "a name and a term are expected");
                            };
                            tasks.push(Task::Visit(value));
                        }
                    } else {
                        tasks.push(Task::Combine { node, count: items.len() - 1 });
                        tasks.extend(items[1..].iter().rev().map(|&item| Task::Visit(item)));
                    }
                }
                Task::Combine { node, count } => {
                    let args = results.split_off(results.len() - count);
                    let term = self.combine(node, &args)?;
                    results.push(Item::Term(term));
                }
                Task::Bind { node } => {
                    let items = self.list(node)?;
                    let bindings = self.list(items[1])?;
                    let values = results.split_off(results.len() - bindings.len());
                    let mut scope = FxHashMap::default();
                    for (&binding, value) in bindings.iter().zip(values) {
                        scope.insert(self.name(self.list(binding)?[0])?, value);
                    }
                    scopes.push(scope);
                    tasks.extend([Task::Unbind, Task::Visit(items[2])]);
                }
                Task::Unbind => {
                    scopes.pop();
                }
            }
        }
        match results.pop() {
            Some(Item::Term(term)) => Ok(term),
            _ => self.error(root, "a term is expected"),
        }
    }

    /// Names, values and other expressions without arguments; `None` for what must be combined.
    fn leaf(&mut self, node: usize, scopes: &[FxHashMap<&'b str, Item>]) -> Result<Option<Item>, ScriptError> {
        match &self.tree.nodes[node].0 {
            Node::Atom(raw) => {
                let name = self.name(node)?;
                let bound =
                    scopes.iter().rev().find_map(|scope| scope.get(name)).or_else(|| self.definitions.get(name));
                if let Some(&item) = bound {
                    return Ok(Some(item));
                }
                match self.value_or_mode(raw) {
                    Some(item) => Ok(Some(item)),
                    None => self.error(node, format!("unknown name {raw}")),
                }
            }
            Node::List(items) => match items[..] {
                [] => self.error(node, "an empty list is not a term"),
                [underscore, ..] if self.tree.atom(underscore) == Some("_") => {
                    let item = self.indexed_value(node)?;
                    Ok(Some(Item::Term(item)))
                }
                _ => Ok(None),
            },
        }
    }

    fn value_or_mode(&mut self, text: &str) -> Option<Item> {
        let mode = match text {
            "RNE" | "roundNearestTiesToEven" => RoundingMode::NearestEven,
            "RNA" | "roundNearestTiesToAway" => RoundingMode::NearestAway,
            "RTP" | "roundTowardPositive" => RoundingMode::Up,
            "RTN" | "roundTowardNegative" => RoundingMode::Down,
            "RTZ" | "roundTowardZero" => RoundingMode::Zero,
            "true" | "false" => return Some(Item::Term(self.terms.bool(text == "true"))),
            _ => {
                let value = if let Some(digits) = text.strip_prefix("#x") {
                    BitVec::from_big(
                        4 * u32::try_from(digits.len()).ok()?,
                        BigUint::parse_bytes(digits.as_bytes(), 16)?,
                    )
                } else {
                    BitVec::from_binary(text.strip_prefix("#b")?)?
                };
                return Some(Item::Term(self.terms.bv(value)));
            }
        };
        Some(Item::Mode(mode))
    }

    /// `(_ bv10 32)`, `(_ NaN 8 24)` and the like.
    fn indexed_value(&mut self, node: usize) -> Result<TermId, ScriptError> {
        let items = self.list(node)?.to_vec();
        let name = items.get(1).map_or(Ok(""), |&name| self.name(name))?;
        if let (Some(digits), &[_, _, width]) = (name.strip_prefix("bv"), &items[..])
            && let Some(value) = BigUint::parse_bytes(digits.as_bytes(), 10)
        {
            let width = self.number(width)?;
            if width == 0 {
                return self.error(node, "bit vectors have at least one bit");
            }
            return Ok(self.terms.bv(BitVec::from_big(width, value)));
        }
        let &[_, _, exponent, significand] = &items[..] else { return self.error(node, "no value") };
        let format = self.format(exponent, significand)?;
        let bits = match name {
            "NaN" => crate::float::nan(format),
            "+oo" => crate::float::infinity(format, false),
            "-oo" => crate::float::infinity(format, true),
            "+zero" => crate::float::zero(format, false),
            "-zero" => crate::float::zero(format, true),
            other => return self.error(node, format!("no value: {other}")),
        };
        Ok(self.terms.fp(format, bits))
    }

    fn combine(&mut self, node: usize, args: &[Item]) -> Result<TermId, ScriptError> {
        let head = self.list(node)?[0];
        let mode = args.iter().find_map(|item| match item {
            Item::Mode(mode) => Some(*mode),
            Item::Term(_) | Item::Function(_) => None,
        });
        let terms: Vec<TermId> = args
            .iter()
            .filter_map(|item| match item {
                Item::Term(term) => Some(*term),
                Item::Mode(_) | Item::Function(_) => None,
            })
            .collect();
        let result = match self.tree.atom(head) {
            Some(name) => match self.definitions.get(name) {
                Some(&Item::Function(function)) => self.checked(Op::Apply(function), &terms),
                _ => self.named(name, mode, &terms),
            },
            None => self.indexed(head, mode, &terms)?,
        };
        result.map_or_else(|| self.error(node, "unknown operator, or arguments that do not fit it"), Ok)
    }

    /// The operator on arguments, if they fit.
    fn checked(&mut self, op: Op, args: &[TermId]) -> Option<TermId> {
        self.terms.sort_of(op, args)?;
        Some(self.terms.make(op, args))
    }

    fn all_bool(&self, args: &[TermId]) -> bool {
        args.iter().all(|&arg| self.terms.sort(arg) == Sort::Bool)
    }

    /// An operator that is one symbol.
    fn named(&mut self, name: &str, mode: Option<RoundingMode>, args: &[TermId]) -> Option<TermId> {
        let bv_not = |reader: &mut Self, term: Option<TermId>| reader.checked(Op::BvNot, &[term?]);
        match (name, args) {
            ("and", _) if self.all_bool(args) => Some(self.terms.and(args.iter().copied())),
            ("or", _) if self.all_bool(args) => Some(self.terms.or(args.iter().copied())),
            ("=", [_, _, _, ..]) => {
                let pairs: Option<Vec<TermId>> = args.windows(2).map(|pair| self.checked(Op::Eq, pair)).collect();
                Some(self.terms.and(pairs?))
            }
            ("distinct", &[first, ..]) => {
                let sort = self.terms.sort(first);
                let fits = args.iter().all(|&arg| self.terms.sort(arg) == sort);
                fits.then(|| self.terms.distinct(args))
            }
            ("=>", [premises @ .., conclusion]) if self.all_bool(args) => {
                let premise = self.terms.and(premises.iter().copied());
                Some(self.terms.implies(premise, *conclusion))
            }
            ("xor", &[a, b]) if self.all_bool(args) => Some(self.terms.xor(a, b)),
            ("bvugt", &[a, b]) => self.checked(Op::BvUlt, &[b, a]),
            ("bvuge", &[a, b]) => self.checked(Op::BvUle, &[b, a]),
            ("bvsgt", &[a, b]) => self.checked(Op::BvSlt, &[b, a]),
            ("bvsge", &[a, b]) => self.checked(Op::BvSle, &[b, a]),
            ("fp.gt", &[a, b]) => self.checked(Op::FpLt, &[b, a]),
            ("fp.geq", &[a, b]) => self.checked(Op::FpLe, &[b, a]),
            ("bvnand", [_, _]) => {
                let term = self.checked(Op::BvAnd, args);
                bv_not(self, term)
            }
            ("bvnor", [_, _]) => {
                let term = self.checked(Op::BvOr, args);
                bv_not(self, term)
            }
            ("bvxnor", [_, _]) => {
                let term = self.checked(Op::BvXor, args);
                bv_not(self, term)
            }
            ("bvcomp", [_, _]) => {
                let same = self.checked(Op::Eq, args)?;
                Some(self.terms.bv_from_bool(same, 1))
            }
            ("fp", &[sign, exponent, fraction]) => {
                let (exponent_width, fraction_width) = (self.bv_width(exponent)?, self.bv_width(fraction)?);
                let significand = u16::try_from(fraction_width + 1).ok()?;
                let format = FloatFormat { exponent: u16::try_from(exponent_width).ok()?, significand };
                if let (Some(sign), Some(exponent), Some(fraction)) =
                    (self.terms.as_bv(sign), self.terms.as_bv(exponent), self.terms.as_bv(fraction))
                {
                    let bits = sign.concat(exponent).concat(fraction);
                    return (bits.width() == format.width()).then(|| self.terms.fp(format, bits));
                }
                let high = self.checked(Op::BvConcat, &[sign, exponent])?;
                let bits = self.checked(Op::BvConcat, &[high, fraction])?;
                self.checked(Op::FpFromBits(format), &[bits])
            }
            ("fp.add", _) => self.checked(Op::FpAdd(mode?), args),
            ("fp.sub", _) => self.checked(Op::FpSub(mode?), args),
            ("fp.mul", _) => self.checked(Op::FpMul(mode?), args),
            ("fp.div", _) => self.checked(Op::FpDiv(mode?), args),
            ("fp.sqrt", _) => self.checked(Op::FpSqrt(mode?), args),
            ("fp.roundToIntegral", _) => self.checked(Op::FpRound(mode?), args),
            _ => {
                let &(_, op) = SIMPLE.iter().find(|(known, _)| *known == name)?;
                let chained = matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::BvConcat);
                if !chained || args.len() < 3 {
                    return self.checked(op, args);
                }
                args[1..].iter().try_fold(args[0], |all, &next| self.checked(op, &[all, next]))
            }
        }
    }

    fn bv_width(&self, term: TermId) -> Option<u32> {
        match self.terms.sort(term) {
            Sort::BitVec(width) => Some(width),
            Sort::Bool | Sort::Float(_) | Sort::Array { .. } => None,
        }
    }

    /// An operator with indices, `(_ name n ...)`, or `(as const sort)`.
    fn indexed(
        &mut self,
        head: usize,
        mode: Option<RoundingMode>,
        args: &[TermId],
    ) -> Result<Option<TermId>, ScriptError> {
        let items = self.list(head)?.to_vec();
        let names: Vec<&str> = items.iter().take(2).filter_map(|&item| self.tree.atom(item)).collect();
        let op = match (&names[..], items.get(2..).unwrap_or(&[])) {
            (["as", "const"], &[sort]) => match self.sort(sort)? {
                Sort::Array { index, .. } => Op::ConstArray(index),
                Sort::Bool | Sort::BitVec(_) | Sort::Float(_) => return self.error(head, "an array sort is expected"),
            },
            (["_", "extract"], &[high, low]) => Op::BvExtract { high: self.number(high)?, low: self.number(low)? },
            (["_", "zero_extend"], &[by]) => Op::BvZeroExtend(self.number(by)?),
            (["_", "sign_extend"], &[by]) => Op::BvSignExtend(self.number(by)?),
            (["_", "repeat"], &[times]) => {
                let times = self.number(times)?;
                let &[a] = args else { return Ok(None) };
                return Ok((1..times).try_fold(a, |all, _| self.checked(Op::BvConcat, &[all, a])));
            }
            (["_", "to_fp"], &[exponent, significand]) => {
                let format = self.format(exponent, significand)?;
                match (mode, args.first().map(|&arg| self.terms.sort(arg))) {
                    (None, _) => Op::FpFromBits(format),
                    (Some(mode), Some(Sort::Float(_))) => Op::FpFromFp(mode, format),
                    (Some(mode), _) => Op::FpFromSbv(mode, format),
                }
            }
            (["_", "to_fp_unsigned"], &[exponent, significand]) => {
                let Some(mode) = mode else { return Ok(None) };
                Op::FpFromUbv(mode, self.format(exponent, significand)?)
            }
            (["_", name @ ("fp.to_sbv" | "fp.to_ubv")], &[width]) => {
                let (Some(mode), width) = (mode, self.number(width)?) else { return Ok(None) };
                if *name == "fp.to_sbv" { Op::FpToSbv(mode, width) } else { Op::FpToUbv(mode, width) }
            }
            _ => return Ok(None),
        };
        Ok(self.checked(op, args))
    }
}
