//! `getenv`: what the environment says of a name comes from outside, but it says the same again, as in
//! `getenv("HOME") ? getenv("HOME") : "/"`. Two global registers for each name, which is a literal, hold whether it was asked
//! for and what was said. Where the program can change its environment, each call may give something else.

use crate::context::{Lowering, Value};
use cfa::types::TypeId;
use cfa::{BinOp, Op, Scalar, Source, VarId};
use syntax::ast::ExprKind;

/// By what programs change their environment.
const CHANGES: [&str; 6] = ["setenv", "unsetenv", "putenv", "clearenv", "environ", "__environ"];

/// What is known of a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Not zero once it was asked for.
    asked: VarId,
    value: VarId,
}

impl Lowering<'_> {
    /// What the function of this name says of `setting`.
    pub fn environment_says(&mut self, function: base::Symbol, setting: Option<Vec<u8>>, ty: TypeId) -> Value {
        let source = Source::Extern(function);
        let Some(setting) = setting.filter(|_| !self.changes_environment()) else {
            return Value { ty, expr: self.arbitrary(ty, Scalar::Ptr, source) };
        };
        let setting = [self.text(function).as_bytes(), &setting].join(&0);
        let Setting { asked, value } = self.setting(setting, ty);
        let (before, zero) = (self.var(asked), self.number(Scalar::INT, 0));
        let is_first = self.binary(BinOp::Eq, before, zero);
        let (first, again) = self.fork(is_first);
        self.body.at = first;
        let one = self.number(Scalar::INT, 1);
        self.emit(Op::Assign(asked, one));
        self.emit(Op::Havoc(value, source));
        let after = self.body.at;
        self.join(after, again);
        self.body.at = again;
        Value { ty, expr: self.var(value) }
    }

    /// When the program starts, nothing was asked for.
    pub fn initial_environment(&mut self) {
        let settings: Vec<Setting> = self.settings.values().copied().collect();
        for Setting { asked, value } in settings {
            let (zero, null) = (self.number(Scalar::INT, 0), self.null());
            self.emit(Op::Assign(asked, zero));
            self.emit(Op::Assign(value, null));
        }
    }

    fn setting(&mut self, name: Vec<u8>, ty: TypeId) -> Setting {
        if let Some(&known) = self.settings.get(&name) {
            return known;
        }
        let asked = self.hidden_register("$asked", self.basic.int, Scalar::INT);
        let value = self.hidden_register("$setting", ty, Scalar::Ptr);
        let new = Setting { asked, value };
        self.settings.insert(name, new);
        new
    }

    fn changes_environment(&mut self) -> bool {
        let names = CHANGES.map(|name| self.program.names.intern(name));
        let is_change = |kind: &ExprKind| matches!(kind, ExprKind::Name(name) if names.contains(name));
        self.units.iter().any(|unit| unit.exprs.iter().any(|(_, expr)| is_change(&expr.kind)))
    }
}
