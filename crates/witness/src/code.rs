//! The source text as witnesses see it: statements, branches, loops and calls with their positions.

use crate::model::Location;
use base::{Interner, SourceMap, Span};
use cfa::{Program, VarId};
use std::collections::HashMap;
use syntax::Ast;
use syntax::ast::{DeclKind, ExprId, ExprKind, ForInit, LabelKind, StmtId, StmtKind};

/// A statement or a declaration in a block.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    /// From its first byte to one past its last.
    pub span: Span,
    /// What it is.
    pub form: Form,
    /// Whether it stands directly in `{ ... }`.
    pub in_block: bool,
    /// The first byte of the statement after it in the same block.
    pub next: Option<u32>,
    /// The first byte of the keyword whose condition decides: of `do ... while (x)` that is the `while`.
    pub keyword: u32,
    unit: usize,
}

/// What a statement is, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// `if (condition)`
    If(ExprId),
    /// `while (condition)`
    While(ExprId),
    /// `do ... while (condition)`
    DoWhile(ExprId),
    /// `for (...)`, with the condition or the place where it would stand.
    For(Result<ExprId, u32>),
    /// `switch (value)`
    Switch(ExprId),
    /// A declaration.
    Declaration,
    /// `{ ... }`
    Block,
    /// `label: ...`; starts where the label does.
    Labelled,
    /// Anything else.
    Plain,
}

impl Form {
    /// Whether it is a loop.
    pub fn is_loop(self) -> bool {
        matches!(self, Form::While(_) | Form::DoWhile(_) | Form::For(_))
    }

    /// The expression that decides where control goes on.
    pub fn condition(self) -> Option<ExprId> {
        match self {
            Form::If(cond) | Form::While(cond) | Form::DoWhile(cond) | Form::Switch(cond) => Some(cond),
            Form::For(cond) => cond.ok(),
            Form::Declaration | Form::Block | Form::Labelled | Form::Plain => None,
        }
    }
}

/// Whether something is the last of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Last {
    /// It is.
    Yes,
    /// More follow.
    No,
}

/// An expression of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExprAt {
    unit: usize,
    expr: ExprId,
}

/// All units of a program.
pub struct Code<'s> {
    sources: &'s SourceMap,
    names: Interner,
    units: Vec<Ast>,
    /// In the order of their first bytes; of two that start at the same byte the outer one comes first.
    pub statements: Vec<Statement>,
    /// Bodies of functions with their names, in order.
    functions: Vec<(Span, String)>,
    /// Where names live: blocks, `for` statements, function definitions.
    scopes: Vec<Span>,
    /// Calls by the offset of their closing parenthesis, and `?` by its own.
    calls: HashMap<u32, ExprAt>,
    choices: HashMap<u32, ExprAt>,
    lines: HashMap<(String, u32), Vec<usize>>,
    /// Those that branch, by the lines of their keywords.
    branches: HashMap<(String, u32), Vec<usize>>,
}

impl<'s> Code<'s> {
    /// Parses the texts once more; they are known to be free of errors.
    pub fn new(sources: &'s SourceMap, names: &Interner) -> Code<'s> {
        let mut names = names.clone();
        let parse = |start: u32| syntax::parse(sources.text_at(start), start, &mut names).0;
        let units: Vec<Ast> = sources.starts().map(parse).collect();
        let mut code = Code {
            sources,
            names,
            units: Vec::new(),
            statements: Vec::new(),
            functions: Vec::new(),
            scopes: Vec::new(),
            calls: HashMap::new(),
            choices: HashMap::new(),
            lines: HashMap::new(),
            branches: HashMap::new(),
        };
        for (unit, ast) in units.iter().enumerate() {
            code.add_functions(ast);
            code.add_statements(ast, unit);
            code.add_expressions(ast, unit);
        }
        code.units = units;
        code.functions.sort_by_key(|(span, _)| span.start);
        code.statements.sort_by_key(|statement| (statement.span.start, std::cmp::Reverse(statement.span.end)));
        for (at, statement) in code.statements.iter().enumerate() {
            let place = sources.position(statement.span);
            code.lines.entry((sources.name(place.file).to_owned(), place.line)).or_default().push(at);
            if statement.form.condition().is_some() {
                let start = statement.keyword;
                let place = sources.position(Span { start, end: start + 1 });
                code.branches.entry((sources.name(place.file).to_owned(), place.line)).or_default().push(at);
            }
        }
        code
    }

    /// The full expression that starts at a place.
    pub fn expression_at(&self, location: &Location) -> Option<Span> {
        let column = location.column?;
        let same_file =
            |name: &str| name == location.file || name.rsplit('/').next() == location.file.rsplit('/').next();
        let starts = |span: &Span| {
            let at = self.sources.position(*span);
            (at.line, at.column) == (location.line, column) && same_file(self.sources.name(at.file))
        };
        let mut spans = self.units.iter().flat_map(|ast| ast.exprs.iter().map(|(_, expr)| expr.span));
        self.full_expression(spans.find(starts)?)
    }

    /// The expression around a part of it that is in no other expression of the same statement.
    pub fn full_expression(&self, part: Span) -> Option<Span> {
        let statement = self.statement_around(part)?;
        let inside = |inner: Span, outer: Span| outer.start <= inner.start && inner.end <= outer.end;
        let spans = self.units[statement.unit].exprs.iter().map(|(_, expr)| expr.span);
        let around = spans.filter(|&span| inside(part, span) && inside(span, statement.span));
        around.max_by_key(|span| span.end - span.start)
    }

    fn add_functions(&mut self, ast: &Ast) {
        for (_, decl) in ast.decls.iter() {
            if let DeclKind::Function { declarator, body, .. } = decl.kind
                && let Some(name) = ast[declarator].name
            {
                self.functions.push((ast[body].span, self.names.text(name).to_owned()));
                self.scopes.push(decl.span);
            }
        }
    }

    fn add_statements(&mut self, ast: &Ast, unit: usize) {
        let mut next: HashMap<StmtId, Option<u32>> = HashMap::new();
        for (_, stmt) in ast.stmts.iter() {
            if let StmtKind::Compound(list) = stmt.kind {
                let list = &ast[list];
                let starts = list.iter().skip(1).map(|&id| Some(ast[id].span.start)).chain([None]);
                next.extend(list.iter().copied().zip(starts));
                self.scopes.push(stmt.span);
            }
        }
        for (id, stmt) in ast.stmts.iter() {
            let form = match stmt.kind {
                StmtKind::If { cond, .. } => Form::If(cond),
                StmtKind::While { cond, .. } => Form::While(cond),
                StmtKind::DoWhile { cond, .. } => Form::DoWhile(cond),
                StmtKind::For { head, .. } => {
                    self.scopes.push(stmt.span);
                    Form::For(ast[head].cond.ok_or_else(|| self.behind_init(ast, ast[head].init, stmt.span)))
                }
                StmtKind::Switch { value, .. } => Form::Switch(value),
                StmtKind::Decl(_) => Form::Declaration,
                StmtKind::Compound(_) => Form::Block,
                StmtKind::Labeled { .. } => Form::Labelled,
                StmtKind::Error | StmtKind::Empty { .. } | StmtKind::Expr(_) | StmtKind::LocalLabels(_) => Form::Plain,
                StmtKind::Goto(_) | StmtKind::GotoComputed(_) | StmtKind::Break | StmtKind::Continue => Form::Plain,
                StmtKind::Return(_) | StmtKind::Asm(_) => Form::Plain,
            };
            let listed = next.get(&id);
            self.statements.push(Statement {
                span: stmt.span,
                form,
                keyword: self.keyword(ast, stmt.kind, stmt.span),
                in_block: listed.is_some(),
                next: listed.copied().flatten(),
                unit,
            });
        }
    }

    fn keyword(&self, ast: &Ast, kind: StmtKind, span: Span) -> u32 {
        let StmtKind::DoWhile { body, cond } = kind else { return span.start };
        let between = Span { start: ast[body].span.end, end: ast[cond].span.start };
        let found = self.sources.snippet(between).find("while");
        found.map_or(span.start, |at| between.start + at as u32)
    }

    /// The offset of the second `;` of `for (init; ; step)`.
    fn behind_init(&self, ast: &Ast, init: ForInit, span: Span) -> u32 {
        let from = match init {
            ForInit::None => span.start,
            ForInit::Expr(expr) => ast[expr].span.end,
            // Ends with its `;`.
            ForInit::Decl(decl) => ast[decl].span.end - 1,
        };
        let text = self.sources.snippet(Span { start: from, end: span.end });
        let first = text.find(';').unwrap_or(0);
        let second = text[first + 1..].find(';').map_or(first, |at| first + 1 + at);
        from + second as u32
    }

    fn add_expressions(&mut self, ast: &Ast, unit: usize) {
        for (expr, node) in ast.exprs.iter() {
            match node.kind {
                ExprKind::Call { .. } => drop(self.calls.insert(node.span.end - 1, ExprAt { unit, expr })),
                ExprKind::Conditional { cond, then, .. } => {
                    let between = Span { start: ast[cond].span.end, end: ast[then].span.start };
                    if let Some(at) = self.sources.snippet(between).find('?') {
                        self.choices.insert(between.start + at as u32, ExprAt { unit, expr: cond });
                    }
                }
                _ => {}
            }
        }
    }

    /// The span of an expression, without parentheses around it.
    pub fn span(&self, at: ExprAt) -> Span {
        self.units[at.unit][at.expr].span
    }

    /// The labels of a `switch`, as conditions on its value; those of a `switch` inside it are not among them.
    pub fn cases(&self, switch: &Statement, value: &str) -> Vec<String> {
        let ast = &self.units[switch.unit];
        let text = |expr: ExprId| self.text(ast[expr].span);
        let mut conditions = Vec::new();
        for (_, kind) in self.labels(switch) {
            match kind {
                LabelKind::Case(only) => conditions.push(format!("{value} == ({})", text(only))),
                LabelKind::Range(low, high) => {
                    conditions.push(format!("({value} >= ({}) && {value} <= ({}))", text(low), text(high)));
                }
                LabelKind::Default | LabelKind::Name { .. } => {}
            }
        }
        conditions
    }

    /// The characters of a span.
    pub fn text(&self, span: Span) -> &str {
        self.sources.snippet(span)
    }

    /// The user's column of a byte.
    pub fn column(&self, offset: u32) -> u32 {
        self.sources.position(Span { start: offset, end: offset + 1 }).column
    }

    /// The syntax around an expression.
    pub fn unit(&self, at: ExprAt) -> (&Ast, ExprId) {
        (&self.units[at.unit], at.expr)
    }

    /// The expression that decides about a statement's branches.
    pub fn condition(&self, statement: &Statement) -> Option<ExprAt> {
        statement.form.condition().map(|expr| ExprAt { unit: statement.unit, expr })
    }

    /// The function whose body holds this byte.
    pub fn function_at(&self, offset: u32) -> Option<&str> {
        let behind = self.functions.partition_point(|(span, _)| span.start <= offset);
        let (span, name) = &self.functions[behind.checked_sub(1)?];
        (offset < span.end).then_some(name)
    }

    /// The innermost statement around a piece of source.
    pub fn statement_around(&self, span: Span) -> Option<&Statement> {
        let behind = self.statements.partition_point(|statement| statement.span.start <= span.start);
        self.statements[..behind].iter().rev().find(|statement| span.end <= statement.span.end)
    }

    /// The statements that start on a line, in order. A file is known by its name or, if that is not known, by the last
    /// part of it.
    pub fn on_line(&self, file: &str, line: u32) -> Vec<&Statement> {
        self.listed(&self.lines, file, line)
    }

    /// The statements whose branching keyword stands on a line, in the order of the statements.
    pub fn branching_on_line(&self, file: &str, line: u32) -> Vec<&Statement> {
        self.listed(&self.branches, file, line)
    }

    fn listed(&self, map: &HashMap<(String, u32), Vec<usize>>, file: &str, line: u32) -> Vec<&Statement> {
        let found = map.get(&(file.to_owned(), line)).or_else(|| {
            let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
            let key = map.keys().find(|(known, number)| *number == line && last(known) == last(file))?;
            map.get(key)
        });
        found.into_iter().flatten().map(|&at| &self.statements[at]).collect()
    }

    /// The `switch` that a label belongs to, and whether it is its last `case`.
    pub fn switch_of(&self, label: Span) -> Option<(&Statement, Last)> {
        let around = |statement: &&Statement| {
            matches!(statement.form, Form::Switch(_))
                && statement.span.start < label.start
                && label.end <= statement.span.end
        };
        let switch = self.statements.iter().filter(around).min_by_key(|switch| switch.span.end - switch.span.start)?;
        let cases = self.labels(switch).filter(|(_, kind)| matches!(kind, LabelKind::Case(_) | LabelKind::Range(..)));
        let starts: Vec<u32> = cases.map(|(span, _)| span.start).collect();
        starts.contains(&label.start).then_some(())?;
        let last = if starts.iter().all(|&start| start <= label.start) { Last::Yes } else { Last::No };
        Some((switch, last))
    }

    /// The labels of a `switch` without those of a `switch` inside it.
    fn labels(&self, switch: &Statement) -> impl Iterator<Item = (Span, LabelKind)> + '_ {
        let (ast, around) = (&self.units[switch.unit], switch.span);
        let inside = move |span: Span| around.start < span.start && span.end <= around.end;
        let inner: Vec<Span> = self
            .statements
            .iter()
            .filter(|statement| matches!(statement.form, Form::Switch(_)) && inside(statement.span))
            .map(|statement| statement.span)
            .collect();
        let own =
            move |span: Span| inside(span) && !inner.iter().any(|at| at.start <= span.start && span.end <= at.end);
        let lists = ast.stmts.iter().filter_map(|(_, stmt)| match stmt.kind {
            StmtKind::Labeled { labels, .. } => Some(&ast[labels]),
            _ => None,
        });
        lists.flatten().map(|label| (label.span, label.kind)).filter(move |(span, _)| own(*span))
    }

    /// The call whose closing parenthesis stands there.
    pub fn call_ending(&self, file: &str, line: u32, column: Option<u32>) -> Option<ExprAt> {
        self.nearest(&self.calls, file, line, column)
    }

    /// Whether a piece of source is a call, as the user wrote it, with no other call in it.
    pub fn is_innermost_call(&self, span: Span) -> bool {
        let last = span.end.saturating_sub(1);
        self.calls.get(&last).is_some_and(|&call| self.span(call) == span)
            && self.sources.snippet(span).ends_with(')')
            && !self.calls.keys().any(|&end| span.start <= end && end < last)
    }

    /// The condition of the `? :` whose `?` stands there.
    pub fn choice_at(&self, file: &str, line: u32, column: Option<u32>) -> Option<ExprAt> {
        self.nearest(&self.choices, file, line, column)
    }

    fn nearest(&self, map: &HashMap<u32, ExprAt>, file: &str, line: u32, column: Option<u32>) -> Option<ExprAt> {
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let fits = |&&offset: &&u32| {
            let at = self.sources.position(Span { start: offset, end: offset + 1 });
            at.line == line
                && column.is_none_or(|column| column == at.column)
                && last(self.sources.name(at.file)) == last(file)
        };
        map.keys().filter(fits).min().map(|offset| map[offset])
    }

    /// The name of a variable at a byte, if it is in scope there and no other one hides it.
    pub fn name_at(&self, program: &Program, var: VarId, offset: u32) -> Option<String> {
        let visible = |var: VarId| self.visible(program, var, offset);
        let own = visible(var)?;
        let name = program.vars[var].name;
        let same_name = program.vars.iter().filter(|(other, variable)| *other != var && variable.name == name);
        let hidden = same_name.filter_map(|(other, _)| visible(other)).any(|depth| depth >= own);
        let text = program.text(name);
        let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (!hidden && plain).then(|| text.to_owned())
    }

    /// How deep the scope of a variable nests, if it reaches a byte.
    fn visible(&self, program: &Program, var: VarId, offset: u32) -> Option<usize> {
        let variable = &program.vars[var];
        let declared = variable.span;
        if declared.start >= offset || declared.start == declared.end {
            return None;
        }
        let around = |at: u32| self.scopes.iter().filter(move |scope| scope.start <= at && at < scope.end);
        let own = around(declared.start).min_by_key(|scope| scope.end - scope.start);
        match own {
            Some(scope) if scope.start <= offset && offset < scope.end => Some(around(declared.start).count()),
            Some(_) => None,
            None => (variable.function.is_none()).then_some(0),
        }
    }
}
