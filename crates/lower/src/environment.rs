//! `getenv`: what the environment says of a name comes from outside, but it says the same again, as in
//! `getenv("HOME") ? getenv("HOME") : "/"`. Two global registers for each name, which is a literal, hold whether it was asked
//! for and what was said. After a change of the environment, and for names that are computed, the answer may follow from
//! earlier calls: it is arbitrary, and no execution rests on it.

use crate::context::{Lowering, Value};
use cfa::types::TypeId;
use cfa::{BinOp, ExprId, Op, Scalar, Source, VarId, standard};
use syntax::ast::ExprKind;

/// Functions that change the environment.
const CHANGES: [&str; 4] = ["setenv", "unsetenv", "putenv", "clearenv"];

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
        if self.mentions(&standard::ENVIRONMENT) {
            let unknown = Source::Extern(self.program.names.intern(standard::UNKNOWN_STATE));
            return Value { ty, expr: self.arbitrary(ty, Scalar::Ptr, unknown) };
        }
        let Some(setting) = setting else {
            self.may_follow(2);
            return Value { ty, expr: self.arbitrary(ty, Scalar::Ptr, source) };
        };
        let setting = [self.text(function).as_bytes(), &setting].join(&0);
        let Setting { asked, value } = self.setting(setting, ty);
        let (before, zero) = (self.var(asked), self.number(Scalar::INT, 0));
        let mut is_first = self.binary(BinOp::Eq, before, zero);
        if self.mentions(&CHANGES) {
            let follows = self.may_follow(0);
            is_first = self.binary(BinOp::Or, is_first, follows);
        }
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

    /// Whether the answer may follow from earlier calls; if so, no execution rests on it. `event` is that of the model.
    fn may_follow(&mut self, event: i128) -> ExprId {
        let (event, zero) = (self.number(Scalar::INT, event), self.number(Scalar::INT, 0));
        let follows = self.call_model("__model_environment", &[event], self.basic.int);
        let stands_alone = self.binary(BinOp::Eq, follows, zero);
        let follows = self.not(stands_alone);
        let (yes, no) = self.fork(follows);
        self.body.at = yes;
        self.call_model("__model_unsure", &[], self.basic.void);
        let after = self.body.at;
        self.join(after, no);
        self.body.at = no;
        follows
    }

    /// The third argument of `main`. If the program looks at it, no execution rests on it.
    pub fn environment_list(&mut self, param: VarId) -> ExprId {
        let name = self.text(self.program.vars[param].name).to_owned();
        if !self.mentions(&[&name]) {
            return self.entry_argument(param, Scalar::Ptr);
        }
        let list = Source::Extern(self.program.names.intern(standard::ENVIRONMENT[0]));
        self.arbitrary(self.program.vars[param].ty, Scalar::Ptr, list)
    }

    /// Whether a header alone names this variable, whose value no execution may rest on.
    pub fn is_unused_variable_of_library(&mut self, name: base::Symbol) -> bool {
        let name = self.text(name).to_owned();
        standard::is_unmodelled(&name) && !self.mentions(&[&name])
    }

    /// Whether the program mentions one of these names.
    pub fn mentions(&mut self, names: &[&str]) -> bool {
        let names: Vec<base::Symbol> = names.iter().map(|name| self.program.names.intern(name)).collect();
        let is_one = |kind: &ExprKind| matches!(kind, ExprKind::Name(name) if names.contains(name));
        self.units.iter().any(|unit| unit.exprs.iter().any(|(_, expr)| is_one(&expr.kind)))
    }
}
