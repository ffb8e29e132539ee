//! Library functions without exact model. A contract says what they may write: what a function's non-const pointers
//! lead to becomes arbitrary, its result is an arbitrary value, `errno` may change. `--extern=pure` is not about them.
//! No counterexample may rest on such a value (`cfa::standard`).

use crate::context::{CalleeId, Lowering, Lowers, Value};
use crate::expr::Want;
use cfa::types::{Type, TypeId};
use cfa::{BinOp, Check, Expr, ExprId, Op, Scalar, Source, VarKind, standard};
use syntax::ast::{self, List};

/// A conversion of `scanf`.
enum Scanned {
    /// A number or characters of so many bytes.
    Bytes(u64),
    /// A number that is read from so many characters at most: not every value of these bytes.
    Narrow(u64),
    /// A string of at most so many characters, then a zero.
    String(u64),
    /// A string without limit.
    Any,
    /// `%n`, which is not a conversion.
    Count(u64),
}

impl Lowering<'_> {
    pub fn contract(&mut self, callee: CalleeId, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        let name = self.callees[callee].name;
        let text = self.text(name).to_owned();
        let Type::Function { result, params, .. } = self.ty(self.callees[callee].ty).clone() else {
            return self.error(self.here, "expected a function");
        };
        let span = self.here;
        let mut passed = Vec::new();
        for (index, value) in self.arguments(args)?.into_iter().enumerate() {
            passed.push(match params.get(index) {
                Some(&param) => self.convert_assigned(value, param, span)?,
                None => self.default_promote(value),
            });
        }
        if let Some(printed) = self.printed_wide(&text, &passed, want) {
            return Ok(printed);
        }
        if passed.iter().any(|value| self.is_function_pointer(*value)) || self.calls_back(&text, &passed) {
            return Ok(self.unsupported_value(&format!("{text} with a function"), result));
        }
        if standard::follows_pointers(&text) && passed.iter().any(|value| self.leads_on(*value)) {
            return Ok(self.unsupported_value(&format!("{text} with memory that leads elsewhere"), result));
        }
        if self.allocates_unseen(&text, &passed) {
            return Ok(self.unsupported_value(&format!("memory that {text} allocates"), result));
        }
        if standard::keeps(&text) && self.checks_leaks() {
            return Ok(self.unsupported_value(&format!("memory that {text} keeps"), result));
        }
        if text == standard::UNKNOWN_STATE {
            return Ok(self.arbitrary_result(result, Source::Extern(name), want));
        }
        self.assume(format!(
            "{text} is not modelled: its result and what its non-const pointers point to are arbitrary, nothing else changes"
        ));
        self.access_arguments(&text, &passed);
        let source = Source::Extern(name);
        for &value in &passed {
            if self.may_write_to(value) {
                self.emit(Op::HavocMemory { to: value.expr, size: None, source });
            }
        }
        let given: Vec<ExprId> = passed.iter().map(|value| value.expr).collect();
        self.give_outside(&given);
        self.may_set_errno(name);
        self.note_change(&text);
        if standard::may_end(&text) {
            self.may_end(source);
        }
        if self.callees[callee].noreturn {
            self.halt(None);
        }
        Ok(self.arbitrary_result(result, source, want))
    }

    /// Whether a function allocates memory that has to be freed, where that is checked. If it does so for one argument
    /// only, calls with a null argument are not modelled.
    fn allocates_unseen(&mut self, name: &str, passed: &[Value]) -> bool {
        if !self.checks_leaks() {
            return false;
        }
        let Some(where_null) = standard::allocates(name) else { return false };
        let Some(&value) = where_null.and_then(|at| passed.get(at)) else { return true };
        let null = self.null();
        let is_null = self.binary(BinOp::Eq, value.expr, null);
        let (yes, no) = self.fork(is_null);
        self.body.at = yes;
        self.unsupported(&format!("memory that {name} allocates"));
        let after = self.body.at;
        self.join(after, no);
        self.body.at = no;
        false
    }

    /// Whether it is checked that memory is freed.
    fn checks_leaks(&self) -> bool {
        [Check::Track, Check::Cleanup].into_iter().any(|check| self.options.checks.has(check))
    }

    /// Whether a format of `scanf` has conversions that allocate memory, which has to be freed.
    pub fn scans_unseen(&self, format: Option<&[u8]>) -> bool {
        self.checks_leaks() && format.is_some_and(allocates)
    }

    /// Whether what a value points to is or has a pointer.
    fn leads_on(&self, value: Value) -> bool {
        self.leads_to(value, |_| true)
    }

    /// Whether a function is given a structure with functions that it may call.
    fn calls_back(&self, name: &str, passed: &[Value]) -> bool {
        const GLOB_ALTDIRFUNC: u128 = 1 << 9;
        let flags = passed.get(1).and_then(|flags| self.constant(flags.expr));
        if name == "globfree" || name.starts_with("glob") && flags.is_some_and(|flags| flags & GLOB_ALTDIRFUNC == 0) {
            return false;
        }
        let is_function = |to| matches!(self.ty(to), Type::Function { .. });
        passed.iter().any(|value| self.constant(value.expr) != Some(0) && self.leads_to(*value, is_function))
    }

    /// Whether what a value points to is or has a pointer to a type of this kind.
    fn leads_to(&self, value: Value, kind: impl Fn(TypeId) -> bool) -> bool {
        let mut waiting: Vec<TypeId> = self.pointee(value.ty).into_iter().collect();
        while let Some(ty) = waiting.pop() {
            match self.ty(self.program.types.unqualified(ty)) {
                &Type::Pointer(to) if kind(to) => return true,
                Type::Array(element, _) | Type::OpenArray(element) => waiting.push(*element),
                Type::Record(record) => {
                    let fields = self.program.types.records[*record].fields.iter().flatten();
                    waiting.extend(fields.map(|field| field.ty));
                }
                _ => {}
            }
        }
        false
    }

    /// Models of other functions know of changes that this one makes to the environment, to positions in files and to
    /// descriptors.
    fn note_change(&mut self, name: &str) {
        let (model, event) = match name {
            "putenv" | "clearenv" => ("__model_environment", 1),
            "lseek" | "lseek64" | "fseeko" | "fseeko64" | "fsetpos" | "fsetpos64" => ("__model_position", 0),
            "dup2" | "dup3" | "close_range" | "closefrom" => {
                let (copies, file) = (self.number(Scalar::INT, b'd'.into()), self.number(Scalar::INT, -1));
                self.call_model("__model_descriptor_mode", &[copies, file], self.basic.int);
                ("__model_is_free", -1)
            }
            _ => return,
        };
        let event = self.number(Scalar::INT, event);
        self.call_model(model, &[event], self.basic.int);
    }

    /// The program ends here, or goes on: a choice on which no counterexample may rest.
    fn may_end(&mut self, source: Source) {
        let choice = self.arbitrary(self.basic.int, Scalar::INT, source);
        let zero = self.number(Scalar::INT, 0);
        let goes_on = self.binary(BinOp::Eq, choice, zero);
        let (yes, no) = self.fork(goes_on);
        self.body.at = no;
        self.halt(None);
        self.body.at = yes;
    }

    pub fn arbitrary_result(&mut self, ty: TypeId, source: Source, want: Want) -> Value {
        if want == Want::Nothing || self.is_void(ty) {
            return self.dead_value(ty);
        }
        let Some(scalar) = self.scalar(ty) else {
            let bytes = self.program.types.size(ty).unwrap_or(0);
            let object = self.temporary_object(ty, bytes);
            let (to, size) = (self.addr(object), self.size_const(bytes));
            self.emit(Op::HavocMemory { to, size: Some(size), source });
            return Value { ty, expr: to };
        };
        let expr = self.arbitrary(ty, scalar, source);
        if matches!(self.ty(self.program.types.unqualified(ty)), Type::Bool) {
            self.assume_truth(expr);
        }
        Value { ty, expr }
    }

    fn is_function_pointer(&self, value: Value) -> bool {
        self.pointee(value.ty).is_some_and(|to| matches!(self.ty(to), Type::Function { .. }))
            && self.constant(value.expr) != Some(0)
    }

    /// The text of an argument that is a string literal.
    pub fn literal_text(&self, value: ExprId) -> Option<Vec<u8>> {
        let mut text = self.literal_bytes(value)?;
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
        text.truncate(end);
        Some(text)
    }

    /// The bytes of an argument that is a string literal, without zeros at its end.
    pub fn literal_bytes(&self, value: ExprId) -> Option<Vec<u8>> {
        let Expr::Addr(var) = self.program.exprs.node(value) else { return None };
        let variable = &self.program.vars[var];
        if variable.kind != VarKind::Literal {
            return None;
        }
        let mut text = Vec::new();
        for cell in &variable.init {
            let bits = self.program.exprs.constant(cell.value)?;
            let bytes = self.program.exprs.ty(cell.value).bytes(self.program.model) as usize;
            text.resize(text.len().max(cell.offset as usize + bytes), 0);
            text[cell.offset as usize..][..bytes].copy_from_slice(&bits.to_le_bytes()[..bytes]);
        }
        Some(text)
    }

    /// `scanf` and `fscanf`: what they read comes from outside. `format` is the position of the format.
    pub fn scan(&mut self, callee: CalleeId, args: List<ast::ExprId>, format: usize, want: Want) -> Lowers<Value> {
        let name = self.callees[callee].name;
        let mut values = self.arguments(args)?;
        let (int, source) = (self.basic.int, Source::Extern(name));
        let stream = match values.first_mut() {
            Some(stream) if format > 0 && self.scalar_of(stream.expr) == Scalar::Ptr => {
                stream.expr = self.spill(stream.ty, stream.expr);
                stream.expr
            }
            _ => self.standard_stream(0),
        };
        let targets = values.get(format + 1..).unwrap_or_default().to_vec();
        if targets.iter().any(|target| self.scalar_of(target.expr) != Scalar::Ptr) {
            return Ok(self.unsupported_value("scanf into something that is not a pointer", int));
        }
        let text = values.get(format).and_then(|format| self.literal_text(format.expr));
        if self.scans_unseen(text.as_deref()) {
            return Ok(self.unsupported_value("memory that scanf allocates", int));
        }
        if format > 0 {
            self.call_model("__model_reads", &[], self.basic.void);
        }
        let starts_with_text = text.as_ref().is_some_and(|text| starts_with_text(text));
        let conversions = text.and_then(|text| scanned(&text, u64::from(self.program.model.pointer_bits() / 8)));
        let Some(conversions) = conversions.filter(|found| found.len() == targets.len()) else {
            let unknown = Source::Extern(self.program.names.intern(standard::SCANNED_STRING));
            for value in targets {
                self.emit(Op::HavocMemory { to: value.expr, size: None, source: unknown });
            }
            self.set_any_errno_perhaps();
            return Ok(self.arbitrary_result(int, unknown, want));
        };
        let converted = conversions.iter().filter(|one| !matches!(one, Scanned::Count(_))).count();
        // A harness cannot define `scanf`, so its result is none of the choices that name it.
        let result = self.arbitrary(int, Scalar::INT, Source::Uninitialised);
        let (least, most) = (self.number(Scalar::INT, -1), self.number(Scalar::INT, converted as i128));
        let (above, below) = (self.binary(BinOp::Le, least, result), self.binary(BinOp::Le, result, most));
        let within = self.binary(BinOp::And, above, below);
        self.emit(Op::Assume(within));
        if starts_with_text {
            // Any character matches: only the end of the input can be in the way.
            let zero = self.number(Scalar::INT, 0);
            let nothing = self.binary(BinOp::Eq, result, zero);
            let some = self.not(nothing);
            self.emit(Op::Assume(some));
        }
        let mut number = 0;
        for (conversion, target) in conversions.iter().zip(targets) {
            let at = self.number(Scalar::INT, number);
            let counts = !matches!(conversion, Scanned::Count(_));
            // `%n` after the last success may be reached, or not.
            let reached = self.binary(if counts { BinOp::Lt } else { BinOp::Le }, at, result);
            number += i128::from(counts);
            let (yes, no) = self.fork(reached);
            self.body.at = yes;
            self.scanned_target(conversion, target.expr, source);
            let after = self.body.at;
            self.join(after, no);
            self.body.at = no;
        }
        self.call_model("__model_scanned", &[stream, result], self.basic.void);
        Ok(Value { ty: int, expr: result })
    }

    fn scanned_target(&mut self, conversion: &Scanned, to: ExprId, source: Source) {
        let string = Source::Extern(self.program.names.intern(standard::SCANNED_STRING));
        match *conversion {
            Scanned::Bytes(bytes) => {
                let size = Some(self.size_const(bytes));
                self.emit(Op::HavocMemory { to, size, source });
            }
            Scanned::String(length) => {
                let size = Some(self.size_const(length));
                self.emit(Op::HavocMemory { to, size, source: string });
                let (end, zero) = (self.offset(to, length), self.number(Scalar::BYTE, 0));
                self.emit(Op::Store { to: end, value: zero });
            }
            Scanned::Any => self.emit(Op::HavocMemory { to, size: None, source: string }),
            Scanned::Narrow(bytes) | Scanned::Count(bytes) => {
                let size = Some(self.size_const(bytes));
                self.emit(Op::HavocMemory { to, size, source: string });
            }
        }
    }

    /// `%n` of the `printf` family: what it leads to is arbitrary before the call, which the interpreter then executes.
    pub fn printed_counts(&mut self, name: &str, values: &mut [Value]) {
        let format = match name {
            "printf" | "vprintf" => 0,
            "fprintf" | "vfprintf" | "sprintf" | "vsprintf" => 1,
            "snprintf" | "vsnprintf" => 2,
            _ => return,
        };
        let text = values.get(format).and_then(|format| self.literal_text(format.expr));
        let Some(text) = text.filter(|text| !name.starts_with('v') || counts(text, 0).is_empty()) else {
            self.assume(format!("formats of {name} that are not literals contain no %n"));
            return;
        };
        let counted = counts(&text, u64::from(self.program.model.pointer_bits() / 8));
        if counted.is_empty() {
            return;
        }
        for value in values.iter_mut() {
            if self.scalar(value.ty).is_some() && self.loads(value.expr) {
                value.expr = self.spill(value.ty, value.expr);
            }
        }
        let source = Source::Extern(self.program.names.intern(name));
        for (position, bytes) in counted {
            let Some(&to) = values.get(format + 1 + position) else { continue };
            let size = Some(self.size_const(bytes));
            self.emit(Op::HavocMemory { to: to.expr, size, source });
        }
    }
}

/// Which arguments a format's `%n` write to, counted from after the format, and how many bytes.
fn counts(format: &[u8], word: u64) -> Vec<(usize, u64)> {
    let mut found = Vec::new();
    let (mut at, mut position) = (0, 0);
    while at < format.len() {
        at += 1;
        if format[at - 1] != b'%' {
            continue;
        }
        let start = at;
        while format.get(at).is_some_and(|byte| b"-+ #0'I*.123456789hlLqjzt".contains(byte)) {
            position += usize::from(format[at] == b'*');
            at += 1;
        }
        let Some(&letter) = format.get(at) else { break };
        let long = format[start..at].iter().filter(|byte| b"lzt".contains(byte)).count();
        let short = format[start..at].iter().filter(|&&byte| byte == b'h').count();
        at += 1;
        if letter == b'n' {
            let bytes = match (long, short) {
                (0, 0) => 4,
                (0, 1) => 2,
                (0, _) => 1,
                (1, _) => word,
                _ => 8,
            };
            found.push((position, bytes));
        }
        position += usize::from(letter != b'%');
    }
    found
}

/// Whether a format of `scanf` has a conversion like `%ms`.
fn allocates(format: &[u8]) -> bool {
    let pieces = format.split(|&byte| byte == b'%').skip(1);
    pieces.into_iter().any(|piece| piece.iter().find(|byte| !byte.is_ascii_digit()) == Some(&b'm'))
}

/// Whether a format of `scanf` begins with a conversion that any text matches.
fn starts_with_text(format: &[u8]) -> bool {
    let conversion = format.trim_ascii_start().strip_prefix(b"%");
    let letter = conversion.and_then(|rest| rest.iter().find(|byte| !byte.is_ascii_digit()));
    matches!(letter, Some(b'c' | b's'))
}

/// The conversions of a format of `scanf` that store something; `None` if there is one that is not known.
fn scanned(format: &[u8], word: u64) -> Option<Vec<Scanned>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < format.len() {
        at += 1;
        if format[at - 1] != b'%' {
            continue;
        }
        let skips = format.get(at) == Some(&b'*');
        at += usize::from(skips);
        let mut width = None;
        while let Some(digit) = format.get(at).filter(|byte| byte.is_ascii_digit()) {
            width = Some(width.unwrap_or(0u64).checked_mul(10)? + u64::from(digit - b'0'));
            at += 1;
        }
        let start = at;
        while format.get(at).is_some_and(|byte| b"hlLqjzt".contains(byte)) {
            at += 1;
        }
        let length = &format[start..at];
        let letter = *format.get(at)?;
        at += 1;
        if letter == b'[' {
            at += usize::from(format.get(at) == Some(&b'^'));
            at += usize::from(format.get(at) == Some(&b']'));
            at += format.get(at..)?.iter().position(|&byte| byte == b']')? + 1;
        }
        let integer = crate::scanned::integer_bytes(length, word)?;
        let number = |bytes| if width.is_none() { Scanned::Bytes(bytes) } else { Scanned::Narrow(bytes) };
        let one = match (letter, length) {
            (b'%', _) => continue,
            (b'd' | b'i' | b'u' | b'o' | b'x' | b'X', _) => number(integer),
            (b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G', b"") => number(4),
            (b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G', b"l") => number(8),
            (b'c', b"") => Scanned::Bytes(width.unwrap_or(1)),
            (b's' | b'[', b"") => width.map_or(Scanned::Any, Scanned::String),
            (b'n', _) => Scanned::Count(integer),
            _ => return None,
        };
        if !skips {
            found.push(one);
        }
    }
    Some(found)
}
