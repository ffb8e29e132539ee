//! The printable form of programs: C-like expressions with few parentheses, one operation a line.
//! For people and golden tests; nothing parses it.

use crate::expr::ExprId;
use crate::op::{Allocation, Op, Source};
use crate::program::{EdgeId, FunctionId, FunctionKind, Node, Program, Storage, VarId, VarKind};
use base::IdVec;
use std::fmt::{self, Write};

mod expr;
mod float;
mod place;

/// The whole program: globals, then every function.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.globals_text())?;
        f.write_str(&self.functions_text(self.functions.ids(), ""))
    }
}

impl Program {
    /// The nodes of every function in ascending order.
    pub fn nodes_by_function(&self) -> IdVec<FunctionId, Vec<Node>> {
        let mut nodes = IdVec::filled(self.functions.len(), Vec::new());
        for (id, info) in self.nodes.iter() {
            nodes[info.function].push(id);
        }
        nodes
    }

    /// All globals, one a line.
    pub fn globals_text(&self) -> String {
        let mut out = String::new();
        for (id, var) in self.vars.iter().filter(|(_, var)| var.function.is_none() && var.kind != VarKind::Literal) {
            let values = var.init.iter().map(|cell| format!(" [{}] = {}", cell.offset, self.expr_text(cell.value)));
            out.push_str(&format!("{};{}\n", self.declaration_text(id), values.collect::<String>()));
        }
        out
    }

    /// These functions, each after an empty line and what comes before it.
    pub fn functions_text(&self, functions: impl IntoIterator<Item = FunctionId>, before: &str) -> String {
        let nodes = self.nodes_by_function();
        let texts = functions.into_iter().map(|id| format!("\n{before}{}", self.function_text_of(id, &nodes[id])));
        texts.collect()
    }

    /// One function: its header, its variables and its edges.
    pub fn function_text(&self, function: FunctionId) -> String {
        let nodes: Vec<Node> =
            self.nodes.iter().filter(|(_, info)| info.function == function).map(|(id, _)| id).collect();
        self.function_text_of(function, &nodes)
    }

    fn function_text_of(&self, id: FunctionId, nodes: &[Node]) -> String {
        let function = &self.functions[id];
        let params: Vec<String> = function.params.iter().map(|&param| self.declaration_text(param)).collect();
        let kind = match function.kind {
            FunctionKind::Defined => "",
            FunctionKind::Start => "start ",
            FunctionKind::Model => "model ",
            FunctionKind::Extern => "extern ",
        };
        let result = function.result.and_then(|var| self.register(var)).map_or(String::new(), |ty| format!(" -> {ty}"));
        let mut out = format!("{kind}fn {}({}){result} {{\n", self.text(function.name), params.join(", "));
        for &local in &function.locals {
            if !matches!(self.vars[local].kind, VarKind::Parameter | VarKind::Result) {
                out.push_str(&format!("  {};\n", self.declaration_text(local)));
            }
        }
        for &node in nodes {
            if let Some(notes) = self.node_notes(node) {
                out.push_str(&format!("  {node}: {notes}\n"));
            }
            for edge in self.leaving(node) {
                out.push_str(&format!("  {}\n", self.edge_text(edge)));
            }
        }
        out + "}\n"
    }

    /// What is special about a node: `entry`, `exit`, `loop head`, `target`.
    pub fn node_notes(&self, node: Node) -> Option<String> {
        let info = &self.nodes[node];
        let function = &self.functions[info.function];
        let mut notes = Vec::new();
        if function.entry == node {
            notes.push("entry".to_owned());
        }
        if info.loop_head {
            notes.push("loop head".to_owned());
        }
        if function.exit == node {
            notes.push("exit".to_owned());
        }
        if let Some(target) = self.target_at(node) {
            notes.push(format!("target {}", self.target_word(target.kind)));
        }
        (!notes.is_empty()).then(|| notes.join(", "))
    }

    /// `x: i32` for registers, `s: struct s [16 bytes]` for memory.
    fn declaration_text(&self, id: VarId) -> String {
        let var = &self.vars[id];
        let name = self.unique_var_name(id);
        match var.storage {
            Storage::Register(ty) => format!("{name}: {ty}"),
            Storage::Memory { size, .. } => {
                format!("{name}: {} [{size} bytes]", self.types.display(var.ty, &self.names))
            }
        }
    }

    /// The variable's name; the second of a name in one function is `x'2`, and so on.
    pub fn unique_var_name(&self, id: VarId) -> String {
        let var = &self.vars[id];
        let name = self.text(var.name);
        let Some(function) = var.function else { return name.to_owned() };
        let locals = &self.functions[function].locals;
        let before = locals
            .iter()
            .take_while(|&&local| local != id)
            .filter(|&&local| self.vars[local].name == var.name && self.vars[local].kind != VarKind::Result);
        match before.count() {
            0 => name.to_owned(),
            count => format!("{name}'{}", count + 1),
        }
    }

    /// `n3 -> n4: x := x + 1;`
    pub fn edge_text(&self, edge: EdgeId) -> String {
        let edge = &self.edges[edge];
        format!("{} -> {}: {}", edge.from, edge.to, self.op_text(&edge.op))
    }

    /// `x := x + 1;` or `[x < 5]`
    pub fn op_text(&self, op: &Op) -> String {
        let text = |id: ExprId| self.expr_text(id);
        match op {
            Op::Skip => "skip;".to_owned(),
            Op::Assume(condition) => format!("[{}]", text(*condition)),
            Op::Assign(var, value) => format!("{} := {};", self.unique_var_name(*var), text(*value)),
            Op::Havoc(var, source) => format!("{} := {};", self.unique_var_name(*var), self.source_text(*source)),
            Op::Init(var) => format!("init {};", self.unique_var_name(*var)),
            Op::Declare(var) => format!("declare {};", self.unique_var_name(*var)),
            Op::Store { to, value } => {
                format!("{} := {};", self.lvalue_text(*to, self.exprs.ty(*value)), text(*value))
            }
            Op::Copy { to, from, size } => format!("copy({}, {}, {});", text(*to), text(*from), text(*size)),
            Op::Fill { to, byte, size } => format!("fill({}, {}, {});", text(*to), text(*byte), text(*size)),
            Op::HavocMemory { to, size, source } => {
                let size = size.map_or("all".to_owned(), text);
                format!("havoc({}, {size}) := {};", text(*to), self.source_text(*source))
            }
            Op::Allocate { result, size, how } => {
                let result = self.unique_var_name(*result);
                match how {
                    Allocation::Heap => format!("{result} := malloc({});", text(*size)),
                    Allocation::HeapZeroed => format!("{result} := calloc({});", text(*size)),
                    Allocation::Stack => format!("{result} := alloca({});", text(*size)),
                    Allocation::Resize(old) => format!("{result} := realloc({}, {});", text(*old), text(*size)),
                }
            }
            Op::Free(pointer) => format!("free({});", text(*pointer)),
            Op::End(pointer) => format!("end({});", text(*pointer)),
            Op::Call { function, args, result } => {
                self.call_text(*result, self.function_name(*function).to_owned(), args)
            }
            Op::CallPointer { pointer, args, result, ty: _ } => {
                self.call_text(*result, format!("(*{})", text(*pointer)), args)
            }
            Op::Return(None) => "return;".to_owned(),
            Op::Return(Some(value)) => format!("return {};", text(*value)),
            Op::Library { function, args, result } => {
                self.call_text(*result, format!("library {}", function.name()), args)
            }
            Op::Halt(None) => "halt;".to_owned(),
            Op::Halt(Some(status)) => format!("halt {};", text(*status)),
            Op::Unsupported(what) => format!("unsupported \"{}\";", self.text(*what)),
        }
    }

    fn call_text(&self, result: Option<VarId>, callee: String, args: &[ExprId]) -> String {
        let mut out = result.map_or(String::new(), |var| format!("{} := ", self.unique_var_name(var)));
        let args: Vec<String> = args.iter().map(|&arg| self.expr_text(arg)).collect();
        write!(out, "{callee}({});", args.join(", ")).expect("strings take all text");
        out
    }

    fn source_text(&self, source: Source) -> String {
        match source {
            Source::Input(name) => format!("input {}()", self.text(name)),
            Source::Uninitialised => "uninitialised".to_owned(),
            Source::Indeterminate => "indeterminate".to_owned(),
            Source::Extern(name) => format!("extern {}()", self.text(name)),
            Source::Asm => "asm".to_owned(),
            Source::Parameter => "parameter".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
