//! C types in the notation: `*T`, `[3]T`, `[]T`, `fn(T, ...) -> T`, `const T`, `record 0`, and C's names.

use super::lexer::{Lexer, Reads};
use super::names::quoted;
use crate::program::Program;
use crate::scalar::{FloatKind, Scalar};
use crate::types::{EnumId, Enumeration, Field, IntKind, Record, RecordId, Type, TypeId, Unit};
use std::fmt::{self, Write};

pub(super) const INTEGERS: [IntKind; 13] = [
    IntKind::Char,
    IntKind::SChar,
    IntKind::UChar,
    IntKind::Short,
    IntKind::UShort,
    IntKind::Int,
    IntKind::UInt,
    IntKind::Long,
    IntKind::ULong,
    IntKind::LongLong,
    IntKind::ULongLong,
    IntKind::Int128,
    IntKind::UInt128,
];

const INTEGER_WORDS: [&str; 7] = ["char", "signed", "unsigned", "short", "int", "long", "__int128"];

/// A type as it is written.
pub(super) struct TypeText<'p>(pub &'p Program, pub TypeId);

impl fmt::Display for TypeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // C's types may nest ten thousand levels deep.
        stacker::maybe_grow(64 << 10, 1 << 20, || self.write(f))
    }
}

impl TypeText<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TypeText(program, id) = *self;
        let of = |ty| TypeText(program, ty);
        match program.types.get(id) {
            Type::Void => f.write_str("void"),
            Type::Bool => f.write_str("_Bool"),
            Type::Int(kind) => f.write_str(kind.name()),
            Type::Bits { width, signed } => write!(f, "bits {width} {}", if *signed { "signed" } else { "unsigned" }),
            Type::Float(kind) => write!(f, "{}", Scalar::Float(*kind)),
            Type::Complex(kind) => write!(f, "complex {}", Scalar::Float(*kind)),
            Type::Pointer(inner) => write!(f, "*{}", of(*inner)),
            Type::Array(inner, count) => write!(f, "[{count}]{}", of(*inner)),
            Type::OpenArray(inner) | Type::VariableArray(inner, _) => write!(f, "[]{}", of(*inner)),
            Type::Function { result, params, variadic, prototyped } => {
                f.write_str("fn(")?;
                let mut parts: Vec<String> = params.iter().map(|&param| of(param).to_string()).collect();
                parts.extend(variadic.then(|| "...".to_owned()));
                parts.extend((!prototyped).then(|| "?".to_owned()));
                write!(f, "{}) -> {}", parts.join(", "), of(*result))
            }
            Type::Record(id) => write!(f, "record {}", id.0),
            Type::Enum(id) => write!(f, "enum {}", id.0),
            Type::Const(inner) => write!(f, "const {}", of(*inner)),
        }
    }
}

pub(super) fn write_enums(program: &Program, out: &mut String) {
    for (id, info) in program.types.enums.iter() {
        let tag = info.tag.map_or(String::new(), |tag| format!(" {}", quoted(program.text(tag))));
        let complete = if info.complete { " complete" } else { "" };
        writeln!(out, "enum {}{tag}: {}{complete};", id.0, info.repr.name()).expect("strings take all text");
    }
}

pub(super) fn write_records(program: &Program, out: &mut String) {
    for (id, info) in program.types.records.iter() {
        let kind = if info.is_union { "union" } else { "struct" };
        let tag = info.tag.map_or(String::new(), |tag| format!(" {}", quoted(program.text(tag))));
        let mut line = format!("record {}{tag}: {kind} {} {}", id.0, info.size, info.align);
        line.push_str(if info.user_align { " aligned" } else { "" });
        line.push_str(if info.transparent { " transparent" } else { "" });
        if let Some(fields) = &info.fields {
            let fields: Vec<String> = fields.iter().map(|field| field_text(program, field)).collect();
            line.push_str(&format!(" {{{}}}", fields.join(", ")));
        }
        writeln!(out, "{line};").expect("strings take all text");
    }
}

fn field_text(program: &Program, field: &Field) -> String {
    let name = field.name.map_or(String::new(), |name| format!("{}: ", quoted(program.text(name))));
    let mut text = format!("{name}{} at {} {}", TypeText(program, field.ty), field.bit_offset, field.align);
    if let Some(width) = field.bit_width {
        text.push_str(&format!(" width {width}"));
    }
    if let Some(unit) = field.unit {
        text.push_str(&format!(" unit {} {}", unit.offset, unit.bytes));
    }
    text
}

/// A type; records and enumerations may be named before they are defined.
pub(super) fn read_type(lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<TypeId> {
    let ty = stacker::maybe_grow(64 << 10, 1 << 20, || read_shape(lexer, program))?;
    Ok(program.types.intern(ty))
}

fn read_shape(lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<Type> {
    if lexer.takes("*") {
        return Ok(Type::Pointer(read_type(lexer, program)?));
    }
    if lexer.takes("[") {
        if lexer.takes("]") {
            return Ok(Type::OpenArray(read_type(lexer, program)?));
        }
        let count = lexer.number()?;
        lexer.expect("]")?;
        return Ok(Type::Array(read_type(lexer, program)?, count));
    }
    let at = lexer.at();
    let word = lexer.word()?;
    Ok(match word.as_str() {
        "void" => Type::Void,
        "_Bool" => Type::Bool,
        "const" => Type::Const(read_type(lexer, program)?),
        "record" => Type::Record(RecordId(lexer.small()?)),
        "enum" => Type::Enum(EnumId(lexer.small()?)),
        "bits" => {
            let width = lexer.small()?;
            let signed = lexer.takes_word("signed");
            if !signed && !lexer.takes_word("unsigned") {
                return Err(lexer.wrong("`signed` or `unsigned`"));
            }
            Type::Bits { width, signed }
        }
        "complex" => {
            let at = lexer.at();
            let word = lexer.word()?;
            Type::Complex(float(&word).ok_or_else(|| lexer.wrong_at(at, "a floating-point type"))?)
        }
        "fn" => read_function(lexer, program)?,
        word => match float(word) {
            Some(kind) => Type::Float(kind),
            None => Type::Int(read_integer(lexer, at, word)?),
        },
    })
}

fn float(word: &str) -> Option<FloatKind> {
    FloatKind::ALL.into_iter().find(|&kind| Scalar::Float(kind).to_string() == word)
}

fn read_integer(lexer: &mut Lexer<'_>, at: usize, first: &str) -> Reads<IntKind> {
    let mut name = first.to_owned();
    while let Some(word) = lexer.peek_word()
        && INTEGER_WORDS.contains(&word)
        && INTEGER_WORDS.contains(&first)
    {
        name = format!("{name} {word}");
        lexer.word()?;
    }
    INTEGERS.into_iter().find(|kind| kind.name() == name).ok_or_else(|| lexer.wrong_at(at, "a C type"))
}

fn read_function(lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<Type> {
    let (mut params, mut variadic, mut prototyped) = (Vec::new(), false, true);
    lexer.expect("(")?;
    while !lexer.takes(")") {
        if lexer.takes("...") {
            variadic = true;
        } else if lexer.takes("?") {
            prototyped = false;
        } else {
            params.push(read_type(lexer, program)?);
        }
        lexer.separator(")")?;
    }
    lexer.expect("->")?;
    let result = read_type(lexer, program)?;
    Ok(Type::Function { result, params: params.into(), variadic, prototyped })
}

/// `enum 0 tag: int complete;`, after the first word.
pub(super) fn read_enum(lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<()> {
    let at = lexer.at();
    if lexer.small()? as usize != program.types.enums.len() {
        return Err(lexer.wrong_at(at, "the next number of an enumeration"));
    }
    let tag = lexer.takes_name()?.map(|name| program.names.intern(&name));
    lexer.expect(":")?;
    let at = lexer.at();
    let word = lexer.word()?;
    let repr = read_integer(lexer, at, &word)?;
    let complete = lexer.takes_word("complete");
    program.types.enums.push(Enumeration { tag, repr, complete });
    lexer.expect(";")
}

/// `record 0 tag: struct 8 4 {a: int at 0 4, int at 32 4 width 3 unit 4 4};`, after the first word.
pub(super) fn read_record(lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<()> {
    let at = lexer.at();
    if lexer.small()? as usize != program.types.records.len() {
        return Err(lexer.wrong_at(at, "the next number of a record"));
    }
    let tag = lexer.takes_name()?.map(|name| program.names.intern(&name));
    lexer.expect(":")?;
    let is_union = lexer.takes_word("union");
    if !is_union && !lexer.takes_word("struct") {
        return Err(lexer.wrong("`struct` or `union`"));
    }
    let (size, align) = (lexer.number()?, lexer.number()?);
    let (user_align, transparent) = (lexer.takes_word("aligned"), lexer.takes_word("transparent"));
    let mut fields = None;
    if lexer.takes("{") {
        let mut list = Vec::new();
        while !lexer.takes("}") {
            list.push(read_field(lexer, program)?);
            lexer.separator("}")?;
        }
        fields = Some(list);
    }
    program.types.records.push(Record { tag, is_union, fields, size, align, user_align, transparent });
    lexer.expect(";")
}

fn read_field(lexer: &mut Lexer<'_>, program: &mut Program) -> Reads<Field> {
    let name = if lexer.name_and_colon() {
        let name = lexer.name()?;
        lexer.expect(":")?;
        Some(program.names.intern(&name))
    } else {
        None
    };
    let ty = read_type(lexer, program)?;
    if !lexer.takes_word("at") {
        return Err(lexer.wrong("`at`"));
    }
    let (bit_offset, align) = (lexer.number()?, lexer.number()?);
    let bit_width = if lexer.takes_word("width") { Some(lexer.small()?) } else { None };
    let unit =
        if lexer.takes_word("unit") { Some(Unit { offset: lexer.number()?, bytes: lexer.small()? }) } else { None };
    Ok(Field { name, ty, bit_offset, bit_width, unit, align })
}
