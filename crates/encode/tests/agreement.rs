//! The encoding agrees with the interpreter: for random programs and inputs, the unrolled formula with those inputs is
//! true exactly at the target where the execution goes.

#![allow(clippy::unwrap_used, reason = "a test")]

use base::{Cancel, Interner, SourceMap, Span};
use cfa::types::{IntKind, Type};
use cfa::{
    Allocation, BinOp, DataModel, Edge, ExprId, FloatKind, Function, FunctionId, FunctionKind, InitCell, Node,
    NodeInfo, Op, Program, Scalar, Source, Storage, Target, TargetKind, UnOp, VarId, VarKind, Variable,
};
use encode::{Addressing, Bounds, Encoder, EventKind, memory_model, unroll};
use flow::Prepared;
use semantics::interpreter::{self, Options, RunEnd, Undefined};
use semantics::random::Random;
use smt::{BitVec, FloatFormat, Model, Value};

/// Writes random programs.
struct Writer {
    program: Program,
    random: Random,
    function: FunctionId,
    at: Node,
    registers: Vec<VarId>,
    pointers: Vec<VarId>,
    memories: Vec<(VarId, u64)>,
    callees: Vec<FunctionId>,
}

const TYPES: [(u32, bool); 7] = [(8, true), (8, false), (16, true), (32, true), (32, false), (64, true), (64, false)];

impl Writer {
    fn new(seed: u64, model: DataModel) -> Writer {
        Writer {
            program: Program::new(model, Interner::default(), SourceMap::new()),
            random: Random::new(seed),
            function: FunctionId(0),
            at: Node(0),
            registers: Vec::new(),
            pointers: Vec::new(),
            memories: Vec::new(),
            callees: Vec::new(),
        }
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.random.below(list.len() as u64) as usize]
    }

    fn node(&mut self) -> Node {
        self.program.nodes.push(NodeInfo { function: self.function, loop_head: false })
    }

    fn begin(&mut self, name: &str, kind: FunctionKind) -> FunctionId {
        self.function = self.program.functions.next_id();
        let (entry, exit) = (self.node(), self.node());
        self.at = entry;
        let ty = self.program.types.intern(Type::Void);
        let name = self.program.names.intern(name);
        let (params, result, locals, span) = (Vec::new(), None, Vec::new(), Span::default());
        self.program.functions.push(Function { name, kind, ty, params, result, locals, entry, exit, span })
    }

    fn var(&mut self, storage: Storage, kind: VarKind) -> VarId {
        let name = self.program.names.intern("x");
        let ty = self.program.types.intern(Type::Int(IntKind::Int));
        let function = (kind != VarKind::Global).then_some(self.function);
        let var = Variable { name, function, kind, ty, storage, init: Box::default(), span: Span::default() };
        let id = self.program.vars.push(var);
        if let Some(function) = function {
            self.program.functions[function].locals.push(id);
        }
        id
    }

    fn edge(&mut self, from: Node, to: Node, op: Op) {
        self.program.edges.push(Edge { from, to, op, span: Span::default() });
    }

    fn op(&mut self, op: Op) {
        let next = self.node();
        self.edge(self.at, next, op);
        self.at = next;
    }

    fn source(&mut self) -> Source {
        Source::Input(self.program.names.intern("nondet"))
    }

    fn havoc(&mut self, var: VarId) {
        let source = self.source();
        self.op(Op::Havoc(var, source));
    }

    fn get(&mut self, var: VarId) -> ExprId {
        let ty = self.program.register(var).unwrap();
        self.program.exprs.var(var, ty)
    }

    fn ty(&mut self) -> Scalar {
        let (bits, signed) = self.pick(&TYPES);
        Scalar::int(bits, signed)
    }

    fn constant(&mut self, ty: Scalar) -> ExprId {
        let value = match self.random.below(4) {
            0 => self.random.bits128() as i128,
            1 => -1,
            _ => self.random.below(8) as i128,
        };
        self.program.exprs.int(ty, value)
    }

    /// A number of type `ty`.
    fn number(&mut self, ty: Scalar, depth: u32) -> ExprId {
        if depth == 0 || self.random.below(4) == 0 {
            let choices = self.registers.clone();
            return match self.random.below(3) {
                0 => self.constant(ty),
                1 if !choices.is_empty() => {
                    let var = self.pick(&choices);
                    let value = self.get(var);
                    self.program.exprs.cast(value, ty)
                }
                _ => {
                    let loaded = self.ty();
                    let pointer = self.pointer(loaded.bytes(self.program.model), 1);
                    let value = self.program.exprs.load(pointer, loaded);
                    self.program.exprs.cast(value, ty)
                }
            };
        }
        let a = self.number(ty, depth - 1);
        match self.random.below(14) {
            0 => self.program.exprs.unary(UnOp::Neg, a),
            1 => self.program.exprs.unary(UnOp::BitNot, a),
            2 => {
                let other = self.ty();
                let a = self.program.exprs.cast(a, other);
                self.program.exprs.cast(a, ty)
            }
            3 => {
                let condition = self.condition(depth - 1);
                let b = self.number(ty, depth - 1);
                self.program.exprs.ite(condition, a, b)
            }
            4 => {
                let condition = self.condition(depth - 1);
                self.program.exprs.cast(condition, ty)
            }
            5 | 6 => {
                // Divisors are never zero.
                let b = self.number(ty, depth - 1);
                let one = self.program.exprs.int(ty, 1);
                let b = self.program.exprs.binary(BinOp::Or, b, one);
                let op = self.pick(&[BinOp::Div, BinOp::Rem]);
                self.program.exprs.binary(op, a, b)
            }
            7 | 8 => {
                // Distances always fit.
                let other = self.ty();
                let b = self.number(other, depth - 1);
                let seven = self.program.exprs.int(other, 7);
                let b = self.program.exprs.binary(BinOp::And, b, seven);
                let op = self.pick(&[BinOp::Shl, BinOp::Shr]);
                self.program.exprs.binary(op, a, b)
            }
            9 => self.by_float(a, ty),
            _ => {
                let b = self.number(ty, depth - 1);
                let op = self.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::And, BinOp::Or, BinOp::Xor]);
                self.program.exprs.binary(op, a, b)
            }
        }
    }

    /// A detour through floats whose result always fits.
    fn by_float(&mut self, a: ExprId, ty: Scalar) -> ExprId {
        let small = Scalar::int(8, true);
        let kind = self.pick(&[FloatKind::F16, FloatKind::F32, FloatKind::F64, FloatKind::X87]);
        let float = Scalar::Float(kind);
        let a = self.program.exprs.cast(a, small);
        let x = self.program.exprs.cast(a, float);
        let three = self.program.exprs.int(small, 3);
        let y = self.program.exprs.cast(three, float);
        let op = self.pick(&[BinOp::Div, BinOp::Rem]);
        let z = self.program.exprs.binary(op, x, y);
        let round = self.pick(&[UnOp::Floor, UnOp::Ceil, UnOp::Round, UnOp::Abs, UnOp::Neg]);
        let z = self.program.exprs.unary(round, z);
        let z = self.program.exprs.cast(z, Scalar::INT);
        self.program.exprs.cast(z, ty)
    }

    fn condition(&mut self, depth: u32) -> ExprId {
        let ty = self.ty();
        let a = self.number(ty, depth);
        let b = self.number(ty, depth);
        let op = self.pick(&[BinOp::Eq, BinOp::Lt, BinOp::Le]);
        let condition = self.program.exprs.binary(op, a, b);
        if self.random.below(3) == 0 { self.program.exprs.not(condition) } else { condition }
    }

    /// A pointer to `bytes` bytes inside some object: a multiple of them from its start.
    fn pointer(&mut self, bytes: u64, depth: u32) -> ExprId {
        let offset_type = self.program.model.offset_type();
        if !self.pointers.is_empty() && self.random.below(3) == 0 {
            // Pointer variables point to the first half of 32 bytes.
            let pointers = self.pointers.clone();
            let pointer = self.pick(&pointers);
            let base = self.get(pointer);
            let offset = self.random.below(2) * 8;
            let offset = self.program.exprs.int(offset_type, i128::from(offset));
            return self.program.exprs.binary(BinOp::PtrAdd, base, offset);
        }
        let memories = self.memories.clone();
        let (var, size) = self.pick(&memories);
        let base = self.program.exprs.addr(var);
        let count = size / bytes;
        // The last memory is only accessed at constant offsets.
        let offset = if depth == 0 || self.random.below(2) == 0 || var == memories[memories.len() - 1].0 {
            let at = self.random.below(count) * bytes;
            self.program.exprs.int(offset_type, i128::from(at))
        } else {
            let index = self.number(offset_type, depth - 1);
            let mask = self.program.exprs.int(offset_type, i128::from(count.next_power_of_two() / 2 - 1).max(0));
            let index = self.program.exprs.binary(BinOp::And, index, mask);
            let scale = self.program.exprs.int(offset_type, i128::from(bytes));
            self.program.exprs.binary(BinOp::Mul, index, scale)
        };
        self.program.exprs.binary(BinOp::PtrAdd, base, offset)
    }

    fn target(&mut self) {
        let condition = self.condition(2);
        let negated = self.program.exprs.not(condition);
        let (target, next) = (self.node(), self.node());
        self.edge(self.at, target, Op::Assume(condition));
        self.edge(self.at, next, Op::Assume(negated));
        self.program.targets.push(Target::new(target, TargetKind::Assertion, Span::default()));
        self.at = next;
    }

    fn statement(&mut self, depth: u32) {
        let registers = self.registers.clone();
        match self.random.below(16) {
            0..=3 => {
                let var = self.pick(&registers);
                let ty = self.program.register(var).unwrap();
                let value = self.number(ty, 3);
                self.op(Op::Assign(var, value));
            }
            4 => {
                let var = self.pick(&registers);
                self.havoc(var);
            }
            5..=7 => {
                let ty = self.ty();
                let value = self.number(ty, 2);
                let to = self.pointer(ty.bytes(self.program.model), 2);
                self.op(Op::Store { to, value });
            }
            8 => self.target(),
            9 if depth > 0 => self.branch(depth - 1),
            10 if depth > 0 => self.repeat(depth - 1),
            11 if !self.callees.is_empty() => {
                let callees = self.callees.clone();
                let function = self.pick(&callees);
                let params = self.program.functions[function].params.clone();
                let args = params.iter().map(|param| self.number(self.program.register(*param).unwrap(), 1)).collect();
                let result = self.program.functions[function].result.map(|result| {
                    let ty = self.program.register(result).unwrap();
                    *registers.iter().find(|var| self.program.register(**var) == Some(ty)).unwrap()
                });
                self.op(Op::Call { function, args, result });
            }
            12 => {
                let size_type = self.program.model.size_type();
                let size = self.program.exprs.int(size_type, 8);
                let (to, from) = (self.pointer(8, 1), self.pointer(8, 1));
                self.op(Op::Copy { to, from, size });
            }
            13 => {
                let size = self.program.exprs.int(self.program.model.size_type(), 4);
                let (to, byte) = (self.pointer(4, 1), self.number(Scalar::BYTE, 1));
                self.op(Op::Fill { to, byte, size });
            }
            14 if !self.pointers.is_empty() => {
                let pointers = self.pointers.clone();
                let var = self.pick(&pointers);
                self.point(var);
            }
            _ => {
                let var = self.pick(&registers);
                let ty = self.program.register(var).unwrap();
                let value = self.number(ty, 1);
                self.op(Op::Assign(var, value));
            }
        }
    }

    /// Lets a pointer point to 32 bytes: a new object, or the start of a memory variable that is not the last.
    fn point(&mut self, var: VarId) {
        if self.random.below(3) == 0 {
            let size = self.program.exprs.int(self.program.model.size_type(), 32);
            let how = self.pick(&[Allocation::Heap, Allocation::HeapZeroed]);
            self.op(Op::Allocate { result: var, size, how });
        } else {
            let (memory, _) = self.memories[0];
            let value = self.program.exprs.addr(memory);
            self.op(Op::Assign(var, value));
        }
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition(2);
        let negated = self.program.exprs.not(condition);
        let start = self.at;
        let (then, other, join) = (self.node(), self.node(), self.node());
        self.edge(start, then, Op::Assume(condition));
        self.edge(start, other, Op::Assume(negated));
        for side in [then, other] {
            self.at = side;
            for _ in 0..self.random.below(3) {
                self.statement(depth);
            }
            self.edge(self.at, join, Op::Skip);
        }
        self.at = join;
    }

    /// `for (i = 0; i < bound & 3; i++)`
    fn repeat(&mut self, depth: u32) {
        let ty = Scalar::int(32, false);
        let counter = self.var(Storage::Register(ty), VarKind::Local);
        let zero = self.program.exprs.int(ty, 0);
        self.op(Op::Assign(counter, zero));
        let limit = self.var(Storage::Register(ty), VarKind::Local);
        let bound = self.number(ty, 2);
        let three = self.program.exprs.int(ty, 3);
        let bound = self.program.exprs.binary(BinOp::And, bound, three);
        self.op(Op::Assign(limit, bound));
        let (head, body, out) = (self.node(), self.node(), self.node());
        self.edge(self.at, head, Op::Skip);
        let (i, n) = (self.get(counter), self.get(limit));
        let condition = self.program.exprs.binary(BinOp::Lt, i, n);
        let negated = self.program.exprs.not(condition);
        self.edge(head, body, Op::Assume(condition));
        self.edge(head, out, Op::Assume(negated));
        self.at = body;
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth);
        }
        let one = self.program.exprs.int(ty, 1);
        let next = self.program.exprs.binary(BinOp::Add, i, one);
        self.edge(self.at, head, Op::Assign(counter, next));
        self.at = out;
    }

    fn locals(&mut self) {
        self.registers = TYPES
            .iter()
            .map(|&(bits, signed)| self.var(Storage::Register(Scalar::int(bits, signed)), VarKind::Local))
            .collect();
        for at in 0..self.registers.len() {
            self.havoc(self.registers[at]);
        }
        self.pointers.clear();
        let pointer = self.var(Storage::Register(Scalar::Ptr), VarKind::Local);
        self.pointers.push(pointer);
        let globals: Vec<_> =
            self.memories.iter().copied().filter(|(var, _)| self.program.vars[*var].function.is_none()).collect();
        self.memories = globals;
        for size in [32, 16] {
            let var = self.var(Storage::Memory { size, align: 16 }, VarKind::Local);
            self.memories.push((var, size));
        }
        self.point(pointer);
    }

    fn finish(&mut self) {
        let exit = self.program.functions[self.function].exit;
        let value = self.program.functions[self.function].result.map(|_| self.number(Scalar::INT, 2));
        self.edge(self.at, exit, Op::Return(value));
    }

    fn write(mut self) -> Prepared {
        for size in [32, 64] {
            let var = self.var(Storage::Memory { size, align: 16 }, VarKind::Global);
            let cells = (0..size / 16).map(|at| InitCell { offset: 16 * at, value: self.constant(Scalar::INT) });
            let cells: Vec<InitCell> = cells.collect();
            self.program.vars[var].init = cells.into();
            self.memories.push((var, size));
        }
        self.begin("helper", FunctionKind::Defined);
        let param = self.var(Storage::Register(Scalar::INT), VarKind::Parameter);
        let result = self.var(Storage::Register(Scalar::INT), VarKind::Result);
        self.program.functions[self.function].params.push(param);
        self.program.functions[self.function].result = Some(result);
        self.locals();
        self.registers.push(param);
        for _ in 0..4 {
            self.statement(1);
        }
        self.finish();
        let helper = self.function;
        self.begin("start", FunctionKind::Start);
        self.program.entry = self.function;
        for (var, _) in self.memories.clone() {
            if self.program.vars[var].function.is_none() {
                self.op(Op::Init(var));
            }
        }
        self.locals();
        self.callees.push(helper);
        for _ in 0..14 {
            self.statement(2);
        }
        self.target();
        self.finish();
        self.program.index();
        Prepared::new(self.program)
    }
}

/// Runs the program on a random input, gives the formula the same input and compares where both go.
fn check(seed: u64, model: DataModel, learn: fn(&mut Encoder)) -> bool {
    let program = Writer::new(seed, model).write();
    let loops = program.loops();
    let mut encoder = Encoder::new(&program, memory_model(&program, &Cancel::never()).unwrap(), Addressing::Events);
    learn(&mut encoder);
    let bounds = Bounds { iterations: 5, recursion: 0, constant_iterations: 0, edges: u64::MAX };
    let unrolled = unroll(&mut encoder, &loops, bounds, &Cancel::never()).unwrap();
    let mut reached = false;
    for input in 0..6 {
        let mut random = Random::new(1000 * seed + input);
        let options = Options { recording: true, undefined: Undefined::Report, ..Options::default() };
        let run = interpreter::run(&program, &mut random, &mut std::io::sink(), &options, &Cancel::never());
        let goal = match run.outcome {
            RunEnd::Target(target) => Some(target),
            RunEnd::Exit(_) => None,
            other => panic!("seed {seed}: {other:?}"),
        };
        reached |= goal.is_some();
        let mut model = Model::default();
        let mut havocs = run.choices.havocs.iter();
        let mut births = 0;
        for event in encoder.events.clone() {
            let guard = encoder.guards.formula(&mut encoder.terms, event.guard);
            if encoder.terms.eval(guard, &model) != Some(Value::Bool(true)) {
                continue;
            }
            match event.kind {
                EventKind::Input { value, ty, .. } => {
                    let bits = *havocs.next().unwrap_or_else(|| {
                        panic!("seed {seed}, input {input}: one input too many, {goal:?}\n{program}")
                    });
                    let width = ty.bits(program.model);
                    let var = encoder.terms.as_var(value).unwrap();
                    model.variables.insert(var, Value::BitVec(BitVec::new(width, bits)));
                }
                EventKind::Birth { object, parts, .. } => {
                    set_bytes(&mut encoder, &mut model, &run.choices, births, &parts, object);
                    births += 1;
                }
                // Generated programs call no functions that write through pointers of their own accord.
                EventKind::Read { .. } => panic!("seed {seed}: undefined behaviour goes on\n{program}"),
                EventKind::Forgotten { .. } => {
                    panic!("seed {seed}: memory behind a pointer is forgotten\n{program}")
                }
            }
        }
        for (target, guard) in &unrolled.targets {
            let formula = encoder.guards.formula(&mut encoder.terms, *guard);
            let holds = encoder.terms.eval(formula, &model) == Some(Value::Bool(true));
            if holds {
                assert_eq!(goal, Some(*target), "seed {seed}, input {input}: the formula goes elsewhere\n{program}");
            }
        }
        if let Some(goal) = goal {
            let formulas: Vec<_> = unrolled
                .targets
                .iter()
                .filter(|(target, _)| *target == goal)
                .map(|(_, guard)| encoder.guards.formula(&mut encoder.terms, *guard))
                .collect();
            let any = encoder.terms.or(formulas);
            assert_eq!(
                encoder.terms.eval(any, &model),
                Some(Value::Bool(true)),
                "seed {seed}, input {input}: the formula does not reach target {goal}\n{program}"
            );
        }
    }
    reached
}

/// Gives the model the bytes that the run found in memory that had never been written.
fn set_bytes(
    encoder: &mut Encoder,
    model: &mut Model,
    choices: &semantics::choices::Choices,
    birth: u32,
    parts: &[(u64, smt::TermId)],
    object: Option<(smt::TermId, Vec<encode::Region>, u64)>,
) {
    let byte = |offset: u64| u128::from(choices.bytes.get(&(birth, offset)).copied().unwrap_or(0));
    let value =
        |offset: u64, width: u32| (0..u64::from(width / 8)).fold(0, |all, at| all | byte(offset + at) << (8 * at));
    for &(offset, part) in parts {
        let var = encoder.terms.as_var(part).unwrap();
        let value = match encoder.terms.sort(part) {
            smt::Sort::BitVec(width) => Value::BitVec(BitVec::new(width, value(offset, width))),
            smt::Sort::Float(format) => {
                assert_ne!(format, FloatFormat::X87);
                Value::Float(format, BitVec::new(format.width(), value(offset, format.width())))
            }
            other => panic!("{other}"),
        };
        model.variables.insert(var, value);
    }
    let Some((address, regions, size)) = object else { return };
    for region in regions {
        set_array(encoder, model, &value, (address, region, size));
    }
}

fn set_array(
    encoder: &mut Encoder,
    model: &mut Model,
    value: &dyn Fn(u64, u32) -> u128,
    (address, region, size): (smt::TermId, encode::Region, u64),
) {
    let start = encoder.start_array(region, encode::MemoryHalf::Arbitrary, 0);
    let Some(var) = encoder.terms.as_var(start) else { return };
    let smt::Sort::Array { index: smt::ScalarSort::BitVec(index_width), element } = encoder.terms.sort(start) else {
        return;
    };
    let smt::ScalarSort::BitVec(width) = element else { return };
    let Some(Value::BitVec(address)) = encoder.terms.eval(address, model) else { panic!("addresses are known") };
    let address = address.to_u64().unwrap();
    let mut array = match model.variables.remove(&var) {
        Some(Value::Array(array)) => array,
        _ => match Value::zero(encoder.terms.sort(start)) {
            Value::Array(array) => array,
            other => panic!("{other:?}"),
        },
    };
    for offset in (0..size).step_by(width as usize / 8) {
        let index = Value::BitVec(BitVec::new(index_width, u128::from(address + offset)));
        array = array.store(index, Value::BitVec(BitVec::new(width, value(offset, width))));
    }
    model.variables.insert(var, Value::Array(array));
}

#[test]
fn the_formula_goes_where_the_execution_goes() {
    let rounds: u64 = std::env::var("AGREEMENT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    // With and without intervals of values.
    let ways: [fn(&mut Encoder); 2] = [|_| {}, |encoder| encoder.learn_intervals()];
    for learn in ways {
        let reached = (0..rounds).filter(|seed| check(*seed, DataModel::Lp64, learn)).count();
        assert!(reached as u64 > rounds / 4, "only {reached} programs reach a target");
        (0..rounds / 3).for_each(|seed| {
            check(seed, DataModel::Ilp32, learn);
        });
    }
}
