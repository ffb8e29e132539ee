//! Which variables have their address taken, found before any body is lowered: by scans over the arenas of the
//! tree, without walking it.
//!
//! 1. Collect every `&name` with its position. An operand of inline assembly that must lie in memory is one, too.
//! 2. Collect every declaration of such a name with the extent of its scope: a declaration in a block reaches to the
//!    block's end, one in a `for` to its statement's, a parameter to its function's.
//! 3. `&name` takes the address of the innermost such declaration around it, or else of a file-scope object.
//! 4. A function inside another reaches the variables of that one by address: each use there is as `&name`.

use base::{Span, Symbol};
use std::collections::{HashMap, HashSet};
use syntax::Ast;
use syntax::ast::{DeclId, DeclKind, ExprKind, ForInit, Params, StmtKind, Storage, TypeKind, UnaryOp};

/// The result for one unit.
#[derive(Debug, Default)]
pub(crate) struct AddressTaken {
    /// First bytes of the names of declarators and of whole parameter declarations.
    locals: HashSet<u32>,
    /// Names of file-scope objects.
    pub globals: HashSet<Symbol>,
}

/// A declaration of a name whose address is taken somewhere.
struct Candidate {
    name: Symbol,
    key: u32,
    scope: Span,
}

impl AddressTaken {
    pub fn scan(ast: &Ast) -> Self {
        let taken: Vec<(Symbol, u32)> = taken_names(ast); // 1
        let used = names_in_inner_functions(ast);
        let names: HashSet<Symbol> =
            taken.iter().map(|&(name, _)| name).chain(used.iter().map(|used| used.name)).collect();
        let mut scopes: HashMap<Symbol, Vec<Candidate>> = HashMap::new();
        for candidate in candidates(ast, &names) {
            scopes.entry(candidate.name).or_default().push(candidate); // 2
        }
        let mut result = Self::default();
        for declarations in scopes.values_mut() {
            declarations.sort_by_key(|candidate| candidate.scope.start);
        }
        for (name, at) in taken {
            let declarations = scopes.get(&name).map_or(&[][..], Vec::as_slice);
            let before = &declarations[..declarations.partition_point(|candidate| candidate.scope.start <= at)];
            match before.iter().rev().find(|candidate| at < candidate.scope.end) {
                Some(candidate) => _ = result.locals.insert(candidate.key), // 3
                None => _ = result.globals.insert(name),
            }
        }
        let old = if used.is_empty() { HashSet::new() } else { old_parameters(ast) };
        for Used { name, at, function } in used {
            let declarations = scopes.get(&name).map_or(&[][..], Vec::as_slice);
            let before = &declarations[..declarations.partition_point(|candidate| candidate.scope.start <= at)];
            match before.iter().rev().find(|candidate| at < candidate.scope.end) {
                Some(candidate) if function.start <= candidate.key => {}
                Some(candidate) => _ = result.locals.insert(candidate.key), // 4
                // A K&R parameter without declaration has no place of its own.
                None if old.contains(&name) => _ = result.globals.insert(name),
                None => {}
            }
        }
        result
    }

    /// Whether the address of the declarator whose name starts here, or of the parameter that starts here, is taken.
    pub fn local(&self, key: u32) -> bool {
        self.locals.contains(&key)
    }
}

/// A name in a function inside another.
struct Used {
    name: Symbol,
    at: u32,
    /// The innermost function around it.
    function: Span,
}

fn names_in_inner_functions(ast: &Ast) -> Vec<Used> {
    let outer: HashSet<DeclId> = ast.items.iter().copied().collect();
    let is_inner = |id: DeclId| matches!(ast[id].kind, DeclKind::Function { .. }) && !outer.contains(&id);
    let mut functions: Vec<Span> = ast.decls.ids().filter(|&id| is_inner(id)).map(|id| ast[id].span).collect();
    functions.sort_by_key(|function| function.start);
    let parents = parents(&functions);
    let mut used = Vec::new();
    for (_, expr) in ast.exprs.iter().filter(|_| !functions.is_empty()) {
        let ExprKind::Name(name) = expr.kind else { continue };
        let at = expr.span.start;
        let mut around = functions.partition_point(|function| function.start <= at).checked_sub(1);
        while let Some(index) = around.filter(|&index| functions[index].end <= at) {
            around = parents[index];
        }
        used.extend(around.map(|index| Used { name, at, function: functions[index] }));
    }
    used
}

/// Of spans that lie in each other or apart, sorted by their starts: the innermost one around each.
fn parents(spans: &[Span]) -> Vec<Option<usize>> {
    let (mut open, mut parents): (Vec<usize>, Vec<Option<usize>>) = (Vec::new(), Vec::new());
    for (index, span) in spans.iter().enumerate() {
        while open.pop_if(|&mut outer| spans[outer].end <= span.start).is_some() {}
        parents.push(open.last().copied());
        open.push(index);
    }
    parents
}

/// Names in lists of K&R parameters.
fn old_parameters(ast: &Ast) -> HashSet<Symbol> {
    let names = ast.functions.iter().map(|(_, function)| match function.params {
        Params::Identifiers(names) => &ast[names],
        Params::Unspecified | Params::Prototype { .. } => &[],
    });
    names.flatten().copied().collect()
}

fn taken_names(ast: &Ast) -> Vec<(Symbol, u32)> {
    let mut taken = Vec::new();
    for (_, expr) in ast.exprs.iter() {
        if let ExprKind::Unary { op: UnaryOp::AddressOf, operand } = expr.kind
            && let ExprKind::Name(name) = ast[operand].kind
        {
            taken.push((name, ast[operand].span.start));
        }
    }
    for (_, asm) in ast.asms.iter() {
        for operand in ast[asm.outputs].iter().chain(&ast[asm.inputs]) {
            if let ExprKind::Name(name) = ast[operand.value].kind
                && lies_in_memory(ast.string_bytes(operand.constraint))
            {
                taken.push((name, ast[operand.value].span.start));
            }
        }
    }
    taken
}

/// Whether a constraint allows memory and nothing else.
fn lies_in_memory(constraint: &[u8]) -> bool {
    let mut letters = constraint.iter().filter(|byte| !b"=+&%*, ".contains(byte)).peekable();
    letters.peek().is_some() && letters.all(|letter| b"moV<>".contains(letter))
}

fn candidates(ast: &Ast, names: &HashSet<Symbol>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for (_, stmt) in ast.stmts.iter() {
        match stmt.kind {
            StmtKind::Compound(list) => {
                for &inner in &ast[list] {
                    if let StmtKind::Decl(decl) = ast[inner].kind {
                        declared(ast, decl, stmt.span.end, names, &mut found);
                    }
                }
            }
            StmtKind::For { head, .. } => {
                if let ForInit::Decl(decl) = ast[head].init {
                    declared(ast, decl, stmt.span.end, names, &mut found);
                }
            }
            _ => {}
        }
    }
    for (_, decl) in ast.decls.iter() {
        if let DeclKind::Function { declarator, knr, .. } = decl.kind {
            let mut ty = ast[declarator].ty;
            // The parameters of `int (*f(int a))(int b)` are those of the innermost function type.
            while let TypeKind::Function { result, function } = ast[ty].kind {
                if let Params::Prototype { params, .. } = ast[function].params {
                    for param in &ast[params] {
                        if let Some(name) = param.name.filter(|name| names.contains(name)) {
                            let scope = Span { start: param.span.start, end: decl.span.end };
                            found.push(Candidate { name, key: param.span.start, scope });
                        }
                    }
                }
                ty = result;
            }
            for &old in &ast[knr] {
                declared(ast, old, decl.span.end, names, &mut found);
            }
        }
    }
    found
}

fn declared(ast: &Ast, decl: DeclId, end: u32, names: &HashSet<Symbol>, found: &mut Vec<Candidate>) {
    if let DeclKind::Declaration { declarators, specs } = ast[decl].kind {
        if specs.storage == Some(Storage::Extern) {
            return;
        }
        for &declarator in &ast[declarators] {
            let declarator = &ast[declarator];
            if let Some(name) = declarator.name.filter(|name| names.contains(name)) {
                let start = declarator.name_span.start;
                found.push(Candidate { name, key: start, scope: Span { start, end } });
            }
        }
    }
}
