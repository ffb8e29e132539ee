//! Functions without body: an automaton that returns an arbitrary value and, unless externals are pure, makes
//! arbitrary what its non-const pointer parameters point to.

use crate::body::Body;
use crate::context::{CalleeId, Lowering};
use cfa::types::Type;
use cfa::{FunctionKind, Op, Source, TargetKind};

impl Lowering<'_> {
    /// Gives every function that is used but has no body an automaton.
    pub fn add_externs(&mut self) {
        for callee in self.callees.ids() {
            if let Some(function) = self.callees[callee].function
                && self.program.functions[function].kind == FunctionKind::Extern
            {
                self.add_extern(callee);
            }
        }
    }

    fn add_extern(&mut self, callee: CalleeId) {
        let function = self.function(callee);
        let crate::context::Callee { name, ty, noreturn, span, .. } = self.callees[callee];
        self.program.functions[function].ty = ty;
        self.here = span;
        self.body = Body::new(Some(function));
        let Type::Function { result, params, variadic, prototyped } = self.ty(ty).clone() else {
            self.unsupported("call of something that is not a function");
            let (at, exit) = (self.body.at, self.body.exit);
            self.body.edge(at, exit, Op::Return(None), span);
            return self.finish_body(function);
        };
        self.set_result(result, span);
        let source = Source::Extern(name);
        let mut written = Vec::new();
        for &param in &params {
            let scalar = self.scalar(param).unwrap_or(cfa::Scalar::Ptr);
            let symbol = self.program.names.intern("$unnamed");
            let var = self.named_param(symbol, param, scalar, span);
            if let Some(to) = self.pointee(param)
                && !matches!(self.ty(to), Type::Const(_) | Type::Function { .. })
            {
                written.push(var);
            }
        }
        if variadic && prototyped {
            self.param("$further", self.basic.void_ptr, span);
        }
        if self.targets.contains(&name) {
            self.target(TargetKind::Call(name));
        } else {
            if noreturn {
                let text = self.text(name).to_owned();
                self.assume(format!("{text} has no body and does not return: it ends the program"));
                self.halt(None);
            } else {
                self.extern_effect(name, &written, source);
            }
            if let Some(address) = self.body.result_address {
                let size = self.program.types.size(result).unwrap_or(0);
                let (to, size) = (self.var(address), self.size_const(size));
                self.emit(Op::HavocMemory { to, size: Some(size), source });
                self.assume_proper_object(result, to);
            }
            let value = self.scalar(result).map(|scalar| self.arbitrary(result, scalar, source));
            if let Some(value) = value {
                self.assume_proper(result, value);
            }
            let (at, exit) = (self.body.at, self.body.exit);
            self.body.edge(at, exit, Op::Return(value), span);
        }
        self.finish_body(function);
    }

    fn extern_effect(&mut self, name: base::Symbol, written: &[cfa::VarId], source: Source) {
        let text = self.text(name).to_owned();
        let is_pure = self.options.outside == cfa::Outside::Pure && !cfa::standard::is_unmodelled(&text);
        if is_pure || written.is_empty() {
            self.assume(format!("{text} has no body: it returns an arbitrary value and changes nothing"));
            return;
        }
        self.assume(format!("{text} has no body: it changes only what its non-const pointers point to"));
        for &var in written {
            let to = self.var(var);
            self.emit(Op::HavocMemory { to, size: None, source });
        }
    }
}
