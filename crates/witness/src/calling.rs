//! The call of a function that is verified on its own as a C file: it includes the file that defines the function, so
//! static functions and types are in scope, makes the objects on the heap, where sanitizers watch them, and calls.

use crate::arguments::{Call, PassedArgument, PassedObject, PassedValue};
use crate::c_expr::constant;
use cfa::types::{Type, TypeId};
use cfa::{Program, Scalar, Source};
use std::fmt::Write;
use verdict::Counterexample;

/// The C text. `including` is the line that includes the file of the function, `name` the function.
pub fn calling(
    program: &Program,
    call: &Call,
    counterexample: &Counterexample,
    including: &str,
    name: &str,
) -> Result<String, String> {
    let mut out = String::from("/* Written by Argonaut: the call that leads to the error.\n");
    for (name, value) in call.shown_arguments(program) {
        writeln!(out, "   {name} = {value}", value = value.replace("*/", "* /")).expect("strings take all text");
    }
    for line in call.shown_objects(program) {
        writeln!(out, "   {}", line.replace("*/", "* /")).expect("strings take all text");
    }
    out += "*/\n#define main argonaut_original_main\n";
    out += including;
    out += "#undef main\n";
    out += &crate::harness::default_options("asan", "detect_leaks=0:hard_rss_limit_mb=4096");
    out += &stub(program, call, counterexample);
    out += "int main(void) {\n";
    let reached = call.reached();
    for &object in &reached {
        let PassedObject { size, global, bytes, .. } = &call.objects[object];
        let line = match global {
            Some(var) => format!("unsigned char *argonaut_{object} = (unsigned char *)&{};", program.var_name(*var)),
            None => format!("unsigned char *argonaut_{object} = __builtin_calloc(1, {size});"),
        };
        writeln!(out, "    {line}").expect("strings take all text");
        for (offset, byte) in bytes.iter().filter(|(_, byte)| **byte != 0 || global.is_some()) {
            writeln!(out, "    argonaut_{object}[{offset}] = {byte};").expect("strings take all text");
        }
    }
    for &object in &reached {
        for (offset, &pointer) in &call.objects[object].pointers {
            let leaf = leaf(program, call.objects[object].ty, *offset);
            let pointer = value(program, leaf, pointer)?;
            let to = format!("argonaut_{object} + {offset}");
            writeln!(out, "    __builtin_memcpy({to}, &(void *){{{pointer}}}, sizeof(void *));")
                .expect("strings take all text");
        }
    }
    for (var, global) in &call.globals {
        let ty = program.vars[*var].ty;
        let text = scalar(program, ty, *global)?;
        writeln!(out, "    {} = {text};", program.var_name(*var)).expect("strings take all text");
    }
    let arguments: Result<Vec<String>, String> =
        call.arguments.iter().enumerate().map(|(at, argument)| passed(program, call, at, argument)).collect();
    let name = if name == "main" { "argonaut_original_main" } else { name };
    writeln!(out, "    {name}({});\n    return 0;\n}}", arguments?.join(", ")).expect("strings take all text");
    Ok(out)
}

/// How an argument is passed.
fn passed(program: &Program, call: &Call, at: usize, argument: &PassedArgument) -> Result<String, String> {
    if program.types.scalar(argument.ty).is_some() {
        return scalar(program, argument.ty, argument.value);
    }
    let PassedValue::Place(object, _) = argument.value else { return Err("an argument has no place".into()) };
    let ty = type_text(program, call, at, argument).ok_or("the type of an argument has no name")?;
    Ok(format!("*({ty} *)argonaut_{object}"))
}

/// The type of a parameter as the program writes it, for those without a tag.
fn type_text(program: &Program, call: &Call, at: usize, argument: &PassedArgument) -> Option<String> {
    let plain = program.types.display(argument.ty, &program.names);
    if !plain.contains('<') && !plain.contains('[') {
        return Some(plain);
    }
    let params = &program.functions[call.function].params;
    let hidden = params.iter().filter(|&&param| program.var_name(param) == "$result").count();
    let text = program.sources.snippet(program.vars[*params.get(at + hidden)?].span);
    let text = text.trim_end().strip_suffix(argument.name.as_str())?.trim_end();
    let is_plain = |c: char| c.is_alphanumeric() || c == '_' || c == ' ';
    (!text.is_empty() && text.chars().all(is_plain)).then(|| text.to_owned())
}

fn scalar(program: &Program, ty: TypeId, given: PassedValue) -> Result<String, String> {
    let scalar = program.types.scalar(ty).ok_or("a global is not a scalar")?;
    match given {
        PassedValue::Bits(bits) if scalar != Scalar::Ptr => Ok(literal(scalar, bits)),
        other => value(program, Some(ty), other),
    }
}

fn literal(ty: Scalar, bits: u128) -> String {
    if let Some(text) = constant(ty, bits) {
        return text;
    }
    let c = crate::harness::c_type(ty);
    match ty {
        Scalar::Float(_) => format!(
            "(union {{ unsigned long long bits[2]; {c} value; }}){{{{{:#x}ULL, {:#x}ULL}}}}.value",
            bits as u64,
            bits >> 64
        ),
        Scalar::Bool | Scalar::Int { .. } | Scalar::Ptr => {
            format!("({c})((unsigned __int128){:#x}ULL << 64 | {:#x}ULL)", bits >> 64, bits as u64)
        }
    }
}

/// A pointer.
fn value(program: &Program, ty: Option<TypeId>, value: PassedValue) -> Result<String, String> {
    let types = &program.types;
    let to_function = ty.is_some_and(|ty| match *types.get(types.unqualified(ty)) {
        Type::Pointer(to) => matches!(types.get(types.unqualified(to)), Type::Function { .. }),
        _ => false,
    });
    Ok(match value {
        PassedValue::Bits(bits) => format!("(void *){bits:#x}UL"),
        PassedValue::Place(object, at) => format!("(void *)(argonaut_{object} + {at})"),
        PassedValue::Outside(_) if to_function => "(void *)argonaut_outside_function".into(),
        PassedValue::Outside(number) => format!("argonaut_outside_object({number:#x}ULL)"),
    })
}

/// The scalar type at an offset of a type.
fn leaf(program: &Program, ty: TypeId, at: u64) -> Option<TypeId> {
    let types = &program.types;
    match *types.get(types.unqualified(ty)) {
        Type::Array(element, length) => {
            let size = types.size(element).filter(|&size| size > 0)?;
            if at / size >= length { None } else { leaf(program, element, at % size) }
        }
        Type::Record(record) => types.records[record].fields.iter().flatten().find_map(|field| {
            let start = field.bit_offset / 8;
            let size = types.size(field.ty).unwrap_or(0);
            let inside = field.bit_width.is_none() && (start..start + size).contains(&at);
            inside.then(|| leaf(program, field.ty, at - start)).flatten()
        }),
        _ => (at == 0).then_some(ty),
    }
}

/// What pointers out of the program lead to, if there are any: a function that returns what the execution got from
/// calls, and objects of zeros.
fn stub(program: &Program, call: &Call, counterexample: &Counterexample) -> String {
    let outside = |value: &PassedValue| matches!(value, PassedValue::Outside(_));
    let passed = call.arguments.iter().map(|argument| &argument.value);
    let mut all = passed.chain(call.objects.iter().flat_map(|object| object.pointers.values()));
    if !all.any(outside) && !call.globals.iter().any(|(_, value)| outside(value)) {
        return String::new();
    }
    let returned = counterexample.choices.iter().filter(|choice| match choice.source {
        Source::Extern(name) => program.text(name).contains('$') || program.text(name).contains(' '),
        _ => false,
    });
    let values: Vec<String> = returned.map(|choice| format!("{:#x}ULL", choice.bits as u64)).collect();
    format!(
        "static long argonaut_outside_function() {{\n    \
         static const unsigned long long values[] = {{{}}};\n    static unsigned next;\n    \
         return next < sizeof values / sizeof *values - 1 ? (long)values[next++] : 0;\n}}\n\
         static void *argonaut_outside_object(unsigned long long number) {{\n    \
         static struct {{ unsigned long long number; void *object; }} known[64];\n    \
         for (int i = 0; i < 64; i++) {{\n        \
         if (!known[i].object) known[i].number = number, known[i].object = __builtin_calloc(1, 65536);\n        \
         if (known[i].number == number) return known[i].object;\n    }}\n    return 0;\n}}\n",
        values.into_iter().chain(["0".to_owned()]).collect::<Vec<_>>().join(", ")
    )
}
