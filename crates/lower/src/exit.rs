//! How a program ends: handlers that `atexit` and `on_exit` registered run in reverse order, then functions with the
//! attribute `destructor`, those without or with a higher priority first. `quick_exit` runs those of `at_quick_exit`
//! only, `_exit` and `abort` run nothing. Programs that have none of all this just halt.

use crate::body::Body;
use crate::context::{CalleeId, Entity, Lowering};
use base::{Span, Symbol};
use cfa::types::Type;
use cfa::{ExprId, Function, FunctionId, FunctionKind, Op, Scalar};
use syntax::ast::{self, ExprKind};

/// The priority of functions that state none.
const LAST: u64 = 65535;

/// A function with the attribute `constructor` or `destructor`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Automatic {
    callee: CalleeId,
    priority: u64,
}

/// What `exit` and `quick_exit` call, if there is something to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Endings {
    exit: Option<Ending>,
    quick_exit: Option<Ending>,
}

/// A function that ends the program with the status given.
#[derive(Clone, Copy, Debug)]
struct Ending {
    function: FunctionId,
    /// The model that runs what was registered.
    handlers: Option<Symbol>,
}

impl Lowering<'_> {
    /// Finds out whether something runs at the end of the program.
    pub fn find_endings(&mut self) {
        let registers = self.is_named("atexit") || self.is_named("on_exit");
        if registers || self.symbols.destructors {
            self.endings.exit = Some(self.new_ending("$exit", registers.then_some("exit$handlers")));
        }
        if self.is_named("at_quick_exit") {
            self.endings.quick_exit = Some(self.new_ending("$quick_exit", Some("quick_exit$handlers")));
        }
    }

    /// Whether some unit names a function that none defines.
    pub fn is_named(&mut self, name: &str) -> bool {
        let name = self.program.names.intern(name);
        let mut exprs = self.units.iter().flat_map(|unit| unit.exprs.iter());
        !self.defined_functions.contains(&name) && exprs.any(|(_, expr)| expr.kind == ExprKind::Name(name))
    }

    fn new_ending(&mut self, name: &str, handlers: Option<&str>) -> Ending {
        let name = self.program.names.intern(name);
        let (result, params) = (self.basic.void, [self.basic.int].into());
        let ty = self.intern(Type::Function { result, params, variadic: false, prototyped: true });
        let function = self.program.functions.push(Function::new(name, FunctionKind::Model, ty, Span::default()));
        let handlers = handlers.map(|handlers| self.program.names.intern(handlers));
        self.model_functions.extend(handlers);
        Ending { function, handlers }
    }

    /// `exit(status)`, or `main` returned.
    pub fn exit(&mut self, status: Option<ExprId>) {
        self.end(self.endings.exit, status);
    }

    /// `quick_exit(status)`
    pub fn quick_exit(&mut self, status: ExprId) {
        self.end(self.endings.quick_exit, Some(status));
    }

    fn end(&mut self, ending: Option<Ending>, status: Option<ExprId>) {
        if let Some(Ending { function, .. }) = ending {
            let int = self.basic.int;
            let status = match status {
                Some(status) => self.cast(status, Scalar::INT),
                None => self.arbitrary(int, Scalar::INT, cfa::Source::Uninitialised),
            };
            self.emit(Op::Call { function, args: [status].into(), result: None });
            return self.halt(Some(status));
        }
        self.halt(status);
    }

    /// Notes what an attribute says about when a function runs.
    pub fn runs_automatically(&mut self, callee: CalleeId, attr: &ast::Attr, constructor: bool) {
        let priority = match self.ast[attr.args].first() {
            Some(&ast::AttrArg::Expr(expr)) => self.constant_int(expr).map_or(LAST, |(value, _)| value as u64),
            Some(ast::AttrArg::Type(_)) | None => LAST,
        };
        let list = if constructor { &mut self.constructors } else { &mut self.destructors };
        match list.iter_mut().find(|known| known.callee == callee) {
            Some(known) => known.priority = priority,
            None => list.push(Automatic { callee, priority }),
        }
    }

    /// Constructors in the order in which they run; destructors run in the reverse one of theirs.
    fn in_order(&mut self, list: &[Automatic]) -> Vec<FunctionId> {
        let mut defined: Vec<(u64, u32, FunctionId)> = Vec::new();
        for &Automatic { callee, priority } in list {
            if self.callees[callee].defined {
                let function = self.function(callee);
                defined.push((priority, self.program.functions[function].span.start, function));
            }
        }
        defined.sort_unstable();
        defined.into_iter().map(|(_, _, function)| function).collect()
    }

    /// Calls the constructors.
    pub fn run_constructors(&mut self) {
        let constructors = self.constructors.clone();
        for function in self.in_order(&constructors) {
            self.run_automatic(function);
        }
    }

    fn run_automatic(&mut self, function: FunctionId) {
        if self.program.functions[function].params.is_empty() {
            self.emit(Op::Call { function, args: Box::default(), result: None });
        } else {
            // The system passes the arguments of `main` to them.
            self.unsupported("constructor or destructor with parameters");
        }
    }

    /// Gives the functions that end the program their bodies.
    pub fn add_endings(&mut self) {
        let destructors = self.destructors.clone();
        let mut destructors = self.in_order(&destructors);
        destructors.reverse();
        let Endings { exit, quick_exit } = self.endings;
        for (ending, destructors) in [(exit, destructors), (quick_exit, Vec::new())] {
            let Some(Ending { function, handlers }) = ending else { continue };
            self.here = Span::default();
            self.body = Body::new(Some(function));
            let (name, int) = (self.program.names.intern("status"), self.basic.int);
            let status = self.named_param(name, int, Scalar::INT, Span::default());
            let status = self.var(status);
            if let Some(Entity::Function(callee)) = handlers.and_then(|name| self.externals.get(&name).copied()) {
                let function = self.function(callee);
                let (run, null) = (self.number(Scalar::INT, 1), self.null());
                let args = [run, status, null, null, null].into();
                self.emit(Op::Call { function, args, result: None });
            }
            for destructor in destructors {
                self.run_automatic(destructor);
            }
            self.halt(Some(status));
            self.finish_body(function);
        }
    }
}
