//! Reads operations.

use super::expr::read_expr;
use super::lexer::{Lexer, Reads};
use super::reader::Scope;
use super::types::read_type;
use crate::expr::ExprId;
use crate::library::Library;
use crate::op::{Allocation, Op, Source};
use crate::program::VarId;
use crate::scalar::Scalar;

/// What an edge does.
pub(super) fn read_op(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>) -> Reads<Op> {
    if lexer.takes("[") {
        let condition = read_expr(lexer, scope, Some(Scalar::Bool))?;
        lexer.expect("]")?;
        return Ok(Op::Assume(condition));
    }
    if let Some(ty) = lexer.takes_scalar() {
        lexer.expect("[")?;
        let to = read_expr(lexer, scope, Some(Scalar::Ptr))?;
        lexer.expect("]")?;
        lexer.expect(":=")?;
        return Ok(Op::Store { to, value: read_expr(lexer, scope, Some(ty))? });
    }
    let size = scope.program.model.size_type();
    let word = lexer.peek_word().unwrap_or("");
    let statement =
        ["skip", "init", "declare", "copy", "fill", "havoc", "free", "end", "return", "halt", "unsupported"];
    if !statement.contains(&word) {
        return read_result(lexer, scope);
    }
    lexer.takes_word(word);
    Ok(match word {
        "skip" => Op::Skip,
        "init" => Op::Init(variable(lexer, scope)?),
        "declare" => Op::Declare(variable(lexer, scope)?),
        "copy" => {
            let [to, from, size] = list(lexer, scope, [Scalar::Ptr, Scalar::Ptr, size])?;
            Op::Copy { to, from, size }
        }
        "fill" => {
            let [to, byte, size] = list(lexer, scope, [Scalar::Ptr, Scalar::BYTE, size])?;
            Op::Fill { to, byte, size }
        }
        "havoc" => {
            lexer.expect("(")?;
            let to = read_expr(lexer, scope, Some(Scalar::Ptr))?;
            lexer.expect(",")?;
            let size = if lexer.takes_word("all") { None } else { Some(read_expr(lexer, scope, Some(size))?) };
            lexer.expect(")")?;
            lexer.expect(":=")?;
            let Some(source) = read_source(lexer, scope)? else { return Err(lexer.wrong("a source")) };
            Op::HavocMemory { to, size, source }
        }
        "free" => {
            let [pointer] = list(lexer, scope, [Scalar::Ptr])?;
            Op::Free(pointer)
        }
        "end" => {
            let [pointer] = list(lexer, scope, [Scalar::Ptr])?;
            Op::End(pointer)
        }
        "return" => {
            let wanted = scope.result_type();
            Op::Return(optional(lexer, scope, wanted)?)
        }
        "halt" => Op::Halt(optional(lexer, scope, None)?),
        _ => {
            let what = lexer.quoted('"')?;
            Op::Unsupported(scope.program.names.intern(&what))
        }
    })
}

fn optional(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>, wanted: Option<Scalar>) -> Reads<Option<ExprId>> {
    if lexer.symbol() == ";" { Ok(None) } else { read_expr(lexer, scope, wanted).map(Some) }
}

/// A variable of the function, or `@` and a global one.
fn variable(lexer: &mut Lexer<'_>, scope: &Scope<'_>) -> Reads<VarId> {
    let at = lexer.at();
    let global = lexer.takes("@");
    let key = lexer.key()?;
    let var = if global { scope.global(&key) } else { scope.local(&key) };
    var.ok_or_else(|| lexer.error(at, format!("no variable {}", key.0)))
}

/// As many expressions as there are types, in parentheses.
fn list<const N: usize>(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>, types: [Scalar; N]) -> Reads<[ExprId; N]> {
    let at = lexer.at();
    let read = arguments(lexer, scope, &types.map(Some))?;
    read.try_into().map_err(|_| lexer.wrong_at(at, &format!("{N} operands")))
}

fn arguments(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>, types: &[Option<Scalar>]) -> Reads<Vec<ExprId>> {
    let mut read = Vec::new();
    lexer.expect("(")?;
    while !lexer.takes(")") {
        let wanted = types.get(read.len()).copied().flatten();
        read.push(read_expr(lexer, scope, wanted)?);
        lexer.separator(")")?;
    }
    Ok(read)
}

/// What may give a variable a value: `x := ...`, or a call whose result is not used.
fn read_result(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>) -> Reads<Op> {
    if let Some(call) = read_call(lexer, scope, None)? {
        return Ok(call);
    }
    let var = variable(lexer, scope)?;
    lexer.expect(":=")?;
    if let Some(call) = read_call(lexer, scope, Some(var))? {
        return Ok(call);
    }
    if let Some(source) = read_source(lexer, scope)? {
        return Ok(Op::Havoc(var, source));
    }
    let size = scope.program.model.size_type();
    let allocations = [("malloc", Allocation::Heap), ("calloc", Allocation::HeapZeroed), ("alloca", Allocation::Stack)];
    for (word, how) in allocations {
        if lexer.takes_word(word) {
            let [size] = list(lexer, scope, [size])?;
            return Ok(Op::Allocate { result: var, size, how });
        }
    }
    if lexer.takes_word("realloc") {
        let [old, size] = list(lexer, scope, [Scalar::Ptr, size])?;
        return Ok(Op::Allocate { result: var, size, how: Allocation::Resize(old) });
    }
    let ty = scope.program.register(var);
    Ok(Op::Assign(var, read_expr(lexer, scope, ty)?))
}

fn read_call(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>, result: Option<VarId>) -> Reads<Option<Op>> {
    if lexer.takes_word("library") {
        let at = lexer.at();
        let name = lexer.name()?;
        let function = Library::named(&name).ok_or_else(|| lexer.wrong_at(at, "a library function"))?;
        let args = arguments(lexer, scope, &[])?.into();
        return Ok(Some(Op::Library { function, args, result }));
    }
    if !lexer.takes_word("call") {
        return Ok(None);
    }
    if lexer.takes_word("through") {
        let pointer = read_expr(lexer, scope, Some(Scalar::Ptr))?;
        if !lexer.takes_word("as") {
            return Err(lexer.wrong("`as`"));
        }
        let ty = read_type(lexer, scope.program)?;
        let args = arguments(lexer, scope, &[])?.into();
        return Ok(Some(Op::CallPointer { pointer, args, result, ty }));
    }
    let at = lexer.at();
    let key = lexer.key()?;
    let function = scope.function(&key).ok_or_else(|| lexer.error(at, format!("no function {}", key.0)))?;
    let params = scope.program.functions[function].params.iter();
    let types: Vec<Option<Scalar>> = params.map(|&param| scope.program.register(param)).collect();
    let args = arguments(lexer, scope, &types)?.into();
    Ok(Some(Op::Call { function, args, result }))
}

fn read_source(lexer: &mut Lexer<'_>, scope: &mut Scope<'_>) -> Reads<Option<Source>> {
    let plain = [
        ("uninitialised", Source::Uninitialised),
        ("indeterminate", Source::Indeterminate),
        ("asm", Source::Asm),
        ("parameter", Source::Parameter),
    ];
    for (word, source) in plain {
        if lexer.takes_word(word) {
            return Ok(Some(source));
        }
    }
    if lexer.takes_word("input") {
        let name = lexer.name()?;
        return Ok(Some(Source::Input(scope.program.names.intern(&name))));
    }
    if lexer.takes_word("extern") {
        let name = lexer.name()?;
        return Ok(Some(Source::Extern(scope.program.names.intern(&name))));
    }
    Ok(None)
}
