//! Library functions written in C, parsed and lowered only when a program calls them.

use crate::address::AddressTaken;
use crate::context::Lowering;
use crate::scope::Scopes;
use base::Symbol;
use std::collections::HashSet;

/// All models: they share one scope, and each function stands alone or calls others.
const SOURCES: &[(&str, &str)] = &[
    ("string.c", include_str!("../models/string.c")),
    ("stdlib.c", include_str!("../models/stdlib.c")),
    ("ctype.c", include_str!("../models/ctype.c")),
    ("wchar.c", include_str!("../models/wchar.c")),
    ("stdio.c", include_str!("../models/stdio.c")),
    ("socket.c", include_str!("../models/socket.c")),
    ("time.c", include_str!("../models/time.c")),
    ("bits.c", include_str!("../models/bits.c")),
    ("exit.c", include_str!("../models/exit.c")),
    ("math.c", include_str!("../models/math.c")),
    ("transcendental.c", include_str!("../models/transcendental.c")),
    ("complex.c", include_str!("../models/complex.c")),
    ("floats.c", include_str!("../models/floats.c")),
    ("print.c", include_str!("../models/print.c")),
    ("scan.c", include_str!("../models/scan.c")),
    ("errors.c", include_str!("../models/errors.c")),
    ("locale.c", include_str!("../models/locale.c")),
    ("getopt.c", include_str!("../models/getopt.c")),
    ("pthread.c", include_str!("../models/pthread.c")),
    ("signal.c", include_str!("../models/signal.c")),
    ("pointers.c", include_str!("../models/pointers.c")),
];

impl Lowering<'_> {
    /// Known functions whose name is used as a value need a body.
    fn want_named_functions(&mut self) {
        for (_, callee) in self.callees.iter() {
            if callee.known.is_some() && callee.function.is_some() && !callee.defined {
                self.model_functions.insert(callee.name);
            }
        }
    }

    /// Lowers the models that are called, and those that they call.
    pub fn add_models(&mut self) {
        self.want_named_functions();
        let mut done: HashSet<Symbol> = HashSet::new();
        while self.model_functions.iter().any(|name| !done.contains(name)) {
            if self.models.get().is_none() {
                self.parse_models();
            }
            let unit = self.models.get().expect("just parsed");
            let wanted = self.model_functions.clone();
            let waiting: HashSet<Symbol> = wanted.difference(&done).copied().collect();
            self.in_model = true;
            self.ast = unit;
            (self.names, self.tags) = (Scopes::new(), Scopes::new());
            self.met_records.clear();
            self.met_enums.clear();
            self.taken = AddressTaken::scan(unit);
            self.defined_here = HashSet::new();
            self.model_functions = waiting.clone();
            for &item in &unit.items {
                self.top_level(item);
            }
            done.extend(waiting);
            self.model_functions.extend(wanted);
            self.in_model = false;
        }
    }

    fn parse_models(&mut self) {
        let text: String = SOURCES.iter().map(|(_, text)| *text).collect();
        let start = self.program.sources.add(base::MODELS, text.clone());
        let (ast, diagnostics) = syntax::parse(&text, start, &mut self.program.names);
        debug_assert!(diagnostics.is_empty(), "the models are correct: {diagnostics:?}");
        assert!(self.models.set(ast).is_ok(), "models are parsed once");
    }
}
