//! Calls of known functions as operations.

use crate::context::{CalleeId, Lowering, Lowers, Value};
use crate::expr::Want;
use crate::known::Known;
use crate::texts::pointers;
use base::Span;
use cfa::types::{Type, TypeId};
use cfa::{Allocation, BinOp, Check, ExprId, Library, Op, Scalar, Source, TargetKind, UnOp};
use syntax::ast::{self, List};

impl Lowering<'_> {
    pub fn call_known(
        &mut self,
        known: Known,
        callee: CalleeId,
        args: List<ast::ExprId>,
        span: Span,
        want: Want,
    ) -> Lowers<Value> {
        let ast = self.ast;
        self.check_count(self.callees[callee].ty, args.len(), span)?;
        if args.len() < Self::arity(known) {
            if self.text(self.callees[callee].name).starts_with("__builtin_") {
                let message = format!("expected at least {} arguments, found {}", Self::arity(known), args.len());
                return self.error(span, message);
            }
            // Some other function of that name.
            return self.call_user(callee, args, want);
        }
        let arg = |index: usize| ast[args].get(index).copied();
        let (size, void_ptr, int) = (self.basic.size, self.basic.void_ptr, self.basic.int);
        match known {
            Known::Nondet => self.nondet(callee, args, want),
            Known::InputMemory => {
                let values = self.converted(args, &[void_ptr, size])?;
                let source = Source::Input(self.callees[callee].name);
                self.emit(Op::HavocMemory { to: values[0], size: Some(values[1]), source });
                Ok(self.void_value())
            }
            Known::Assume => match arg(0) {
                Some(condition) => {
                    let condition = self.truth(condition)?;
                    if self.constant(condition) != Some(1) {
                        self.emit(Op::Assume(condition));
                    }
                    Ok(self.void_value())
                }
                None => self.error(span, "expected a condition"),
            },
            Known::Assert => match arg(0) {
                Some(condition) => {
                    let (yes, no) = self.branch(condition)?;
                    self.body.at = no;
                    self.assertion_fails();
                    self.body.at = yes;
                    Ok(self.void_value())
                }
                None => self.error(span, "expected a condition"),
            },
            Known::AssertFail => {
                self.discard_all(args)?;
                self.assertion_fails();
                Ok(self.void_value())
            }
            Known::Halt => {
                self.discard_all(args)?;
                self.halt(None);
                Ok(self.void_value())
            }
            Known::Unreachable => {
                if self.wants(Check::Argument) {
                    let reached = self.program.exprs.bool(true);
                    self.check(reached, Check::Argument, span, [None; 2]);
                }
                self.halt(None);
                Ok(self.void_value())
            }
            Known::Exit => {
                let status = self.converted(args, &[int])?[0];
                self.exit(Some(status));
                Ok(self.void_value())
            }
            Known::QuickExit => {
                let status = self.converted(args, &[int])?[0];
                self.quick_exit(status);
                Ok(self.void_value())
            }
            Known::ExitNow => {
                let status = self.converted(args, &[int])?[0];
                self.halt(Some(status));
                Ok(self.void_value())
            }
            Known::Malloc | Known::Calloc | Known::Realloc | Known::AlignedAlloc => {
                self.call_allocation(known, callee, args, want)
            }
            Known::Alloca => {
                let values = self.converted(args, &[size])?;
                Ok(self.allocate(values[0], None, Allocation::Stack, callee, want))
            }
            Known::Free => {
                let values = self.converted(args, &[void_ptr])?;
                self.emit(Op::Free(values[0]));
                Ok(self.void_value())
            }
            Known::Copy => {
                let values = self.converted(args, &[void_ptr, void_ptr, size])?;
                let to = self.kept(values[0], want);
                if self.text(self.callees[callee].name).contains("memcpy") {
                    self.check_apart(to, values[1], values[2], span);
                }
                self.emit(Op::Copy { to, from: values[1], size: values[2] });
                Ok(Value { ty: void_ptr, expr: to })
            }
            Known::CopyEnd => {
                let values = self.converted(args, &[void_ptr, void_ptr, size])?;
                let (to, bytes) = (self.kept(values[0], want), self.kept(values[2], want));
                self.check_apart(to, values[1], bytes, span);
                self.emit(Op::Copy { to, from: values[1], size: bytes });
                let offset = self.program.model.offset_type();
                let bytes = self.cast(bytes, offset);
                Ok(Value { ty: void_ptr, expr: self.binary(BinOp::PtrAdd, to, bytes) })
            }
            Known::CopyFrom => {
                let values = self.converted(args, &[void_ptr, void_ptr, size])?;
                self.emit(Op::Copy { to: values[1], from: values[0], size: values[2] });
                Ok(self.void_value())
            }
            Known::Fill => {
                let values = self.converted(args, &[void_ptr, int, size])?;
                let to = self.kept(values[0], want);
                let byte = self.cast(values[1], Scalar::BYTE);
                self.emit(Op::Fill { to, byte, size: values[2] });
                Ok(Value { ty: void_ptr, expr: to })
            }
            Known::Zero => {
                let values = self.converted(args, &[void_ptr, size])?;
                let byte = self.number(Scalar::BYTE, 0);
                self.emit(Op::Fill { to: values[0], byte, size: values[1] });
                Ok(self.void_value())
            }
            Known::Abs => self.integer_abs(callee, args),
            Known::Math(math, arg) => self.math(math, arg, args),
            Known::Library(library) => {
                self.rounds();
                self.library(library, callee, args, want)
            }
            Known::Contract => self.contract(callee, args, want),
            Known::Scan(format) if self.options.running => self.scan_input(callee, args, format, want),
            Known::Scan(format) => self.scan(callee, args, format, want),
            Known::Havoc => {
                let values = self.converted(args, &[void_ptr, size])?;
                let source = Source::Extern(self.own_name());
                self.emit(Op::HavocMemory { to: values[0], size: Some(values[1]), source });
                Ok(self.void_value())
            }
            Known::Forget => {
                let values = self.converted(args, &[void_ptr, size][..args.len().min(2)])?;
                let source = Source::Extern(self.program.names.intern(cfa::standard::UNKNOWN_STATE));
                self.emit(Op::HavocMemory { to: values[0], size: values.get(1).copied(), source });
                Ok(self.void_value())
            }
            Known::ForgetErrno => {
                let unknown = self.program.names.intern(cfa::standard::UNKNOWN_STATE);
                self.may_set_errno(unknown);
                Ok(self.void_value())
            }
            Known::Escape => {
                let values = self.converted(args, &[void_ptr])?;
                self.give_outside(&values);
                Ok(self.void_value())
            }
            Known::SetErrno => {
                let number = self.arguments(args)?.first().and_then(|value| self.constant(value.expr));
                match number {
                    Some(number) => self.set_errno(number as i128),
                    None => self.set_any_errno(),
                }
                Ok(self.void_value())
            }
            Known::Running => Ok(self.int_value(self.options.running.into())),
            Known::StandardStreams => {
                let last = self.last_standard_stream();
                Ok(Value { ty: self.basic.size, expr: self.var(last) })
            }
            Known::StandardStream => {
                let number = self.arguments(args)?.first().and_then(|value| self.constant(value.expr));
                let number = number.expect("models say which one") as usize;
                Ok(Value { ty: void_ptr, expr: self.standard_stream(number) })
            }
            Known::Mentions => {
                let name = self.arguments(args)?.first().and_then(|value| self.literal_text(value.expr));
                let name = String::from_utf8(name.expect("models give a text")).expect("a name");
                let mentions = self.mentions(&[&name]);
                Ok(self.int_value(mentions.into()))
            }
            Known::ChecksMemory => Ok(self.int_value(self.checks_memory().into())),
            Known::Requires => match arg(0) {
                Some(condition) if self.options.checks.has(Check::Argument) => {
                    let holds = self.truth(condition)?;
                    let violated = self.not(holds);
                    self.requiring(|l| l.check(violated, Check::Argument, span, [None; 2]));
                    Ok(self.void_value())
                }
                _ => Ok(self.void_value()),
            },
            Known::Checked => match arg(0) {
                Some(arg) => self.requiring(|l| l.rvalue(arg)),
                None => self.error(span, "expected an argument"),
            },
            Known::CannotRun => {
                if self.options.running {
                    let name = self.text(self.own_name()).to_owned();
                    self.unsupported(&name);
                }
                Ok(self.void_value())
            }
            Known::ScanText => self.scan_text(callee, args, want),
            Known::SetRounding => self.set_rounding_mode(args),
            Known::Rounding => Ok(self.rounding_mode()),
            Known::Model(name) => self.model(name, callee, args, want),
            Known::Expect => {
                let values = self.arguments(args)?;
                match values.first() {
                    Some(&value) => self.convert(value, self.basic.long, span),
                    None => self.error(span, "expected an argument"),
                }
            }
            Known::Same => {
                let values = self.arguments(args)?;
                values.first().copied().map_or_else(|| self.error(span, "expected an argument"), Ok)
            }
            Known::ConstantP => match arg(0) {
                Some(arg) => {
                    let value = self.unevaluated(|l| l.rvalue(arg))?;
                    let constant = self.constant(value.expr).is_some() || self.literal_text(value.expr).is_some();
                    Ok(self.int_value(constant.into()))
                }
                None => self.error(span, "expected an argument"),
            },
            Known::ClassifyType => match arg(0) {
                Some(arg) => self.classify_type(arg),
                None => self.error(span, "expected an argument"),
            },
            Known::Complex(op, kind) => self.complex_function(op, kind, args, span),
            Known::ObjectSize => {
                let kind = match arg(1) {
                    Some(kind) => self.constant_int(kind)?.0,
                    None => 0,
                };
                match arg(0) {
                    Some(pointer) => self.object_size(pointer, kind),
                    None => self.error(span, "expected a pointer"),
                }
            }
            Known::Nothing | Known::VaEnd => {
                self.discard_all(args)?;
                Ok(self.void_value())
            }
            Known::UnknownPointer => {
                let values = self.arguments(args)?;
                let name = self.callees[callee].name;
                let text = self.text(name).to_owned();
                let declared = self.result_type(self.callees[callee].ty);
                let ty = if self.pointee(declared).is_some() { declared } else { void_ptr };
                if !text.ends_with("getenv") {
                    return Ok(Value { ty, expr: self.arbitrary(ty, Scalar::Ptr, Source::Extern(name)) });
                }
                let values: Lowers<Vec<Value>> =
                    values.into_iter().map(|value| self.convert(value, void_ptr, span)).collect();
                let values = values?;
                self.access_arguments(&text, &values);
                let setting = values.first().and_then(|value| self.literal_text(value.expr));
                Ok(self.environment_says(name, setting, ty))
            }
            Known::Overflow(op) => self.overflow(op, None, args, want),
            Known::OverflowAs(op, kind) => self.overflow(op, Some(kind), args, want),
            Known::Overflows(op) => self.overflows(op, args, span),
            Known::ByteSwap(bits) => self.byte_swap(bits, args),
            Known::VaStart => match arg(0) {
                Some(list) => self.va_start(list, span),
                None => self.error(span, "expected a va_list"),
            },
            Known::VaCopy => match (arg(0), arg(1)) {
                (Some(to), Some(from)) => self.va_copy(to, from, span),
                _ => self.error(span, "expected two va_lists"),
            },
            Known::Atomic(atomic) => self.atomic(atomic, args, want),
            Known::Shuffle => self.shuffle(args, span),
            Known::SetJump => self.set_jump(args),
            Known::LongJump => self.long_jump(args),
            Known::Unsupported => {
                self.discard_all(args)?;
                let name = self.text(self.callees[callee].name).to_owned();
                let result = self.result_type(self.callees[callee].ty);
                Ok(self.unsupported_value(&name, result))
            }
        }
    }

    /// The arguments converted to these types; further ones are evaluated only.
    pub fn converted(&mut self, args: List<ast::ExprId>, types: &[TypeId]) -> Lowers<Vec<ExprId>> {
        let values = self.arguments(args)?;
        let span = self.here;
        if values.len() < types.len() {
            return self.error(span, format!("expected {} arguments, found {}", types.len(), values.len()));
        }
        values.iter().zip(types).map(|(&value, &ty)| Ok(self.convert(value, ty, span)?.expr)).collect()
    }

    /// An expression that still has its value after memory changed, if it is used.
    fn kept(&mut self, value: ExprId, want: Want) -> ExprId {
        if want == Want::Nothing || !self.loads(value) {
            return value;
        }
        let ty = self.basic.void_ptr;
        self.spill(ty, value)
    }

    fn assertion_fails(&mut self) {
        if self.options.targets.assertions {
            self.target(TargetKind::Assertion);
        } else {
            self.halt(None);
        }
    }

    fn nondet(&mut self, callee: CalleeId, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        self.discard_all(args)?;
        let name = self.callees[callee].name;
        let ty = self.result_type(self.callees[callee].ty);
        let source = Source::Input(name);
        let Some(scalar) = self.scalar(ty) else {
            if self.is_void(ty) {
                return Ok(self.void_value());
            }
            let size = self.program.types.size(ty).unwrap_or(0);
            let object = self.temporary_object(ty, size);
            let (to, size) = (self.addr(object), self.size_const(size));
            self.emit(Op::HavocMemory { to, size: Some(size), source });
            self.assume_proper_object(ty, to);
            return Ok(Value { ty, expr: to });
        };
        // An input is an input even if its value is not used.
        let want = if want == Want::Nothing { Want::Value } else { want };
        let var = self.result_register(ty, scalar, want).expect("the value is wanted");
        self.emit(Op::Havoc(var, source));
        let expr = self.var(var);
        self.assume_proper(ty, expr);
        Ok(Value { ty, expr })
    }

    /// A `_Bool` from outside is 0 or 1.
    pub fn assume_truth(&mut self, value: ExprId) {
        let one = self.number(Scalar::BYTE, 1);
        let small = self.binary(BinOp::Le, value, one);
        self.emit(Op::Assume(small));
    }

    /// How many arguments a known function needs to be the one that we know.
    fn arity(known: Known) -> usize {
        match known {
            Known::SetJump => 1,
            Known::LongJump | Known::Shuffle => 2,
            Known::QuickExit | Known::ExitNow | Known::ClassifyType | Known::Complex(..) | Known::Escape => 1,
            Known::Assume | Known::Assert | Known::Exit | Known::Malloc | Known::Alloca | Known::Free => 1,
            Known::Abs | Known::Same | Known::ConstantP | Known::ByteSwap(_) | Known::VaStart => 1,
            Known::Calloc | Known::Realloc | Known::AlignedAlloc | Known::Zero | Known::VaCopy | Known::Expect => 2,
            Known::InputMemory | Known::Havoc => 2,
            Known::Scan(format) => format + 1,
            Known::ScanText => 2,
            Known::Contract | Known::SetErrno | Known::Running | Known::ChecksMemory | Known::CannotRun => 0,
            Known::StandardStreams | Known::ForgetErrno => 0,
            Known::StandardStream | Known::Mentions | Known::Forget => 1,
            Known::Requires | Known::Checked | Known::Unreachable => 0,
            Known::Copy | Known::CopyEnd | Known::CopyFrom | Known::Fill | Known::Overflow(_) => 3,
            Known::OverflowAs(..) | Known::Overflows(_) => 3,
            Known::Nondet | Known::AssertFail | Known::Halt | Known::Math(..) | Known::Library(_) => 0,
            Known::Model(_) | Known::ObjectSize | Known::Nothing | Known::UnknownPointer | Known::VaEnd => 0,
            Known::Atomic(_) | Known::Unsupported | Known::SetRounding | Known::Rounding => 0,
        }
    }

    fn integer_abs(&mut self, callee: CalleeId, args: List<ast::ExprId>) -> Lowers<Value> {
        let ty = match self.text(self.callees[callee].name).trim_start_matches("__builtin_") {
            "labs" => self.basic.long,
            "llabs" | "imaxabs" => self.basic.llong,
            _ => self.basic.int,
        };
        let x = self.converted(args, &[ty])?[0];
        self.check_negation(Value { ty, expr: x }, self.here);
        let scalar = self.scalar_of(x);
        let (zero, negated) = (self.number(scalar, 0), self.unary(UnOp::Neg, x));
        let negative = self.binary(BinOp::Lt, x, zero);
        Ok(Value { ty, expr: self.ite(negative, negated, x) })
    }

    fn library(&mut self, library: Library, callee: CalleeId, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        let declared = self.callees[callee].ty;
        let Type::Function { mut result, mut params, prototyped, .. } = self.ty(declared).clone() else {
            return self.error(self.here, "expected a function");
        };
        if !prototyped && let Some(ty) = self.math_type(library) {
            // gcc knows the type of mathematical functions without a declaration.
            (result, params) = (ty, vec![ty; args.len()].into());
        }
        let values = self.arguments(args)?;
        let span = self.here;
        let mut passed = Vec::with_capacity(values.len());
        for (index, &value) in values.iter().enumerate() {
            passed.push(match params.get(index) {
                Some(&param) => self.convert_assigned(value, param, span)?,
                None => self.default_promote(value),
            });
        }
        if !prototyped {
            for &at in pointers(library) {
                if let Some(&value) = passed.get(at) {
                    passed[at] = self.convert_assigned(value, self.basic.void_ptr, span)?;
                }
            }
        }
        if let Some(result) = self.printed(library, &passed) {
            return Ok(result);
        }
        self.printed_counts(library.name(), &mut passed);
        self.access_texts(library, &passed);
        let stream = self.stream_to_ask(library, &mut passed);
        self.note_output(library);
        let want = if want == Want::Nothing && self.uses_errno() { Want::Value } else { want };
        let scalar = self.scalar(result);
        let target = scalar.and_then(|scalar| self.result_register(result, scalar, want));
        let args: Box<[ExprId]> = passed.iter().map(|value| value.expr).collect();
        let constants: Option<Vec<u128>> = args.iter().map(|&arg| self.constant(arg)).collect();
        let folded = constants.and_then(|constants| semantics::math::compute(library, &constants));
        if !self.uses_errno() || library.is_text() {
            self.emit_library(library, args, target, folded);
            if !library.is_internal() && !self.options.running {
                self.errors_of_output(target);
            }
        } else {
            // The condition of an error looks at the arguments again.
            let args: Box<[ExprId]> = passed.iter().map(|value| self.spill(value.ty, value.expr)).collect();
            self.emit_library(library, args.clone(), target, folded);
            if let Some(target) = target {
                self.errors_of_math(library, target, &args);
            }
        }
        if let Some(target) = target {
            self.assume_range(library, target);
            self.assume_written(library, passed.first().copied(), target);
            if let Some(stream) = stream {
                let target = self.var(target);
                self.call_model("__model_written", &[stream, target], self.basic.void);
            }
        }
        Ok(match target {
            Some(target) => Value { ty: result, expr: self.var(target) },
            None => self.dead_value(result),
        })
    }

    /// The library of 32-bit programs computes some results in another way than the one that the interpreter uses, and so
    /// does the machine's own library for some functions.
    fn emit_library(
        &mut self,
        library: Library,
        args: Box<[ExprId]>,
        result: Option<cfa::VarId>,
        folded: Option<u128>,
    ) {
        let differs = if library.is_rounded() && self.program.model == cfa::DataModel::Ilp32 {
            Some(cfa::standard::OTHER_MACHINE)
        } else if library.is_brought() && folded.is_none() && !self.options.running {
            Some(cfa::standard::OTHER_LIBRARY)
        } else {
            None
        };
        match result.zip(differs) {
            Some((result, differs)) => {
                let name = format!("{}{differs}", library.name());
                self.assume(format!("{name} is not modelled: its result is arbitrary"));
                let source = Source::Extern(self.program.names.intern(&name));
                self.emit(Op::Havoc(result, source));
            }
            None => match (result, folded) {
                (Some(result), Some(bits)) => {
                    let scalar = self.program.register(result).expect("results are registers");
                    let value = self.program.exprs.bits(scalar, bits);
                    self.emit(Op::Assign(result, value));
                }
                _ => self.emit(Op::Library { function: library, args, result }),
            },
        }
    }

    /// The function whose body is being lowered.
    fn own_name(&self) -> base::Symbol {
        let function = self.body.function.expect("models are functions");
        self.program.functions[function].name
    }

    /// The type of argument and result of mathematical library functions.
    fn math_type(&self, library: Library) -> Option<TypeId> {
        match library.math()? {
            cfa::FloatKind::F32 => Some(self.basic.float),
            _ => Some(self.basic.double),
        }
    }

    /// Calls the model; it is lowered when all units are.
    fn model(&mut self, name: &'static str, callee: CalleeId, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        if let Some(value) = self.folded(name, args) {
            return Ok(value);
        }
        if name == "qsort" {
            self.assume("qsort merges as glibc does: it compares the same elements, and equal ones keep their order");
        }
        let symbol = self.program.names.intern(name);
        self.model_functions.insert(symbol);
        let callee =
            if self.callees[callee].name == symbol { callee } else { self.implicit_function(symbol, self.here) };
        let (mut ty, function) = (self.callees[callee].ty, self.function(callee));
        if matches!(self.ty(ty), Type::Function { prototyped: false, .. })
            && let Some(result) = self.builtin_result(name)
        {
            ty = self.intern(Type::Function { result, params: Box::default(), variadic: false, prototyped: false });
        }
        let ty = self.without_unions(ty);
        self.call_function(crate::call::Called::Function(function), ty, args, want, None)
    }

    /// The type of a function whose parameters are pointers where glibc's headers have transparent unions of pointers: models
    /// take those.
    fn without_unions(&mut self, ty: TypeId) -> TypeId {
        let Type::Function { result, params, variadic, prototyped } = self.ty(ty).clone() else { return ty };
        let is_union = |param: &TypeId| {
            let param = self.program.types.unqualified(*param);
            matches!(*self.ty(param), Type::Record(record) if self.program.types.records[record].transparent)
        };
        if !params.iter().any(is_union) {
            return ty;
        }
        let pointer = self.basic.void_ptr;
        let params = params.iter().map(|param| if is_union(param) { pointer } else { *param }).collect();
        self.intern(Type::Function { result, params, variadic, prototyped })
    }

    /// The value of a builtin that gcc folds where its argument is constant, as in constant expressions.
    fn folded(&mut self, name: &str, args: List<ast::ExprId>) -> Option<Value> {
        let arg = *self.ast[args].first().filter(|_| args.len() == 1)?;
        let plain = name.trim_start_matches("__builtin_");
        let (long, llong) = (self.program.model.pointer_bits(), 64);
        let widths = [("ll", llong), ("l", long), ("", 32)];
        let counts = ["ctz", "clz", "ffs", "popcount", "parity", "clrsb"];
        let known = counts.iter().find_map(|count| {
            let rest = plain.strip_prefix(count)?;
            widths.iter().find(|(suffix, _)| *suffix == rest).map(|(_, bits)| (*count, *bits))
        });
        if known.is_none() && (plain != "strlen" || !self.static_context) {
            return None;
        }
        let edges = self.body.edges.len();
        let value = self.unevaluated(|l| Ok((l.rvalue(arg)?, l.body.edges.len() == edges)));
        let (value, true) = value.ok()? else { return None };
        let Some((count, bits)) = known else {
            let length = self.literal_text(value.expr)?.len();
            return Some(Value { ty: self.basic.size, expr: self.size_const(length as u64) });
        };
        let number = self.int_constant(value)? as u128 & semantics::scalar::mask(bits);
        let sign = if number >> (bits - 1) & 1 == 1 { !number & semantics::scalar::mask(bits) } else { number };
        let result = match count {
            "ctz" | "clz" if number == 0 => return None,
            "ctz" => number.trailing_zeros(),
            "clz" => number.leading_zeros() - (128 - bits),
            "ffs" if number == 0 => 0,
            "ffs" => number.trailing_zeros() + 1,
            "popcount" => number.count_ones(),
            "parity" => number.count_ones() % 2,
            _ => sign.leading_zeros() - (128 - bits) - 1,
        };
        Some(self.int_value(result.into()))
    }

    /// What gcc takes as result type of a builtin without declaration.
    fn builtin_result(&mut self, name: &str) -> Option<TypeId> {
        Some(match name {
            "strlen" | "strnlen" | "strspn" | "strcspn" | "strlcpy" | "strlcat" => self.basic.size,
            "strtol" | "random" | "lrand48" | "atol" => self.basic.long,
            "strtoll" | "atoll" => self.basic.llong,
            "bsearch" => self.basic.void_ptr,
            "strcpy" | "stpcpy" | "strncpy" | "strcat" | "strncat" | "strchr" | "strrchr" | "strchrnul" | "strstr"
            | "strpbrk" | "strdup" | "strndup" | "memchr" | "memrchr" | "index" | "rindex" | "stpncpy" | "strtok" => {
                let char = self.basic.char;
                self.pointer_to(char)
            }
            "modf" | "frexp" | "ldexp" | "scalbn" | "remainder" | "logb" | "nextafter" | "remquo" => self.basic.double,
            "modff" | "frexpf" | "ldexpf" | "scalbnf" | "remainderf" | "logbf" | "nextafterf" | "remquof" => {
                self.basic.float
            }
            "modfl" | "frexpl" | "ldexpl" | "scalbnl" | "remainderl" | "logbl" | "nextafterl" | "remquol" => {
                self.basic.ldouble
            }
            _ => return None,
        })
    }

    fn byte_swap(&mut self, bits: u32, args: List<ast::ExprId>) -> Lowers<Value> {
        let kind = match bits {
            16 => cfa::types::IntKind::UShort,
            32 => cfa::types::IntKind::UInt,
            _ => cfa::types::IntKind::ULongLong,
        };
        let ty = self.intern(Type::Int(kind));
        let x = self.converted(args, &[ty])?[0];
        let x = if self.stable(x) || self.depth(x) == 0 { x } else { self.spill(ty, x) };
        let scalar = Scalar::int(bits, false);
        let mask = self.number(scalar, 0xff);
        let mut result = self.number(scalar, 0);
        for byte in 0..bits / 8 {
            let (down, up) = (self.number(Scalar::INT, (8 * byte).into()), bits - 8 - 8 * byte);
            let up = self.number(Scalar::INT, up.into());
            let one = self.binary(BinOp::Shr, x, down);
            let one = self.binary(BinOp::And, one, mask);
            let one = self.binary(BinOp::Shl, one, up);
            result = self.binary(BinOp::Or, result, one);
        }
        Ok(Value { ty, expr: result })
    }
}
