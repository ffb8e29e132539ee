//! Declaration specifiers: storage classes, qualifiers and the type at the root of all declarators.

use super::{Parse, Parser};
use crate::ast::{Alignas, Attr, BasicType, Quals, Specs, Storage, Type, TypeId, TypeKind};
use crate::scope::{Meaning, PREDECLARED};
use crate::token::Tok;
use base::Span;

/// Where specifiers stand: decides what is allowed among them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// At file scope or in a block.
    Declaration,
    /// In a struct or union.
    Member,
    /// In a parameter list.
    Param,
    /// In a cast, `sizeof`, ...
    TypeName,
}

/// The keywords that make an arithmetic type, as a set; `LONG` may be added twice.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Words(u32);

impl Words {
    const VOID: u32 = 1;
    const BOOL: u32 = 1 << 1;
    const CHAR: u32 = 1 << 2;
    const SHORT: u32 = 1 << 3;
    const INT: u32 = 1 << 4;
    const FLOAT: u32 = 1 << 5;
    const DOUBLE: u32 = 1 << 6;
    const SIGNED: u32 = 1 << 7;
    const UNSIGNED: u32 = 1 << 8;
    const COMPLEX: u32 = 1 << 9;
    const INT128: u32 = 1 << 10;
    const LONG: u32 = 1 << 11;
    const LONG_LONG: u32 = 1 << 12;

    fn of(kind: Tok) -> Option<u32> {
        Some(match kind {
            Tok::Void => Self::VOID,
            Tok::Bool => Self::BOOL,
            Tok::CharType => Self::CHAR,
            Tok::Short => Self::SHORT,
            Tok::Int => Self::INT,
            Tok::Long => Self::LONG,
            Tok::Float => Self::FLOAT,
            Tok::Double => Self::DOUBLE,
            Tok::Signed => Self::SIGNED,
            Tok::Unsigned => Self::UNSIGNED,
            Tok::Complex => Self::COMPLEX,
            Tok::Int128 => Self::INT128,
            _ => return None,
        })
    }

    /// Adds a word; false if it was there already.
    fn add(&mut self, word: u32) -> bool {
        if word == Self::LONG && self.0 & Self::LONG != 0 {
            self.0 = self.0 & !Self::LONG | Self::LONG_LONG;
            return true;
        }
        let again = self.0 & word != 0 || word == Self::LONG && self.0 & Self::LONG_LONG != 0;
        self.0 |= word;
        !again
    }

    fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The type that the words make together.
    fn basic(self) -> Option<BasicType> {
        const INT: u32 = Words::INT;
        const SIGNED: u32 = Words::SIGNED;
        const UNSIGNED: u32 = Words::UNSIGNED;
        // `int` says nothing next to another integer word, nor does `signed` except for `char`.
        let mut words = self.0 & !Self::COMPLEX;
        let sizes = Self::SHORT | Self::LONG | Self::LONG_LONG | SIGNED | UNSIGNED;
        if words & sizes != 0 && words & !(sizes | INT) == 0 {
            words &= !INT;
        }
        if words & Self::CHAR == 0 && words != SIGNED {
            words &= !SIGNED;
        }
        let both_signs = self.0 & SIGNED != 0 && self.0 & UNSIGNED != 0;
        let signed_real = self.0 & SIGNED != 0 && self.0 & (Self::FLOAT | Self::DOUBLE | Self::VOID | Self::BOOL) != 0;
        if both_signs || signed_real {
            return None;
        }
        const CHAR_SIGNED: u32 = Words::CHAR | SIGNED;
        const CHAR_UNSIGNED: u32 = Words::CHAR | UNSIGNED;
        const SHORT_UNSIGNED: u32 = Words::SHORT | UNSIGNED;
        const LONG_UNSIGNED: u32 = Words::LONG | UNSIGNED;
        const LONG_LONG_UNSIGNED: u32 = Words::LONG_LONG | UNSIGNED;
        const INT128_UNSIGNED: u32 = Words::INT128 | UNSIGNED;
        const LONG_DOUBLE: u32 = Words::LONG | Words::DOUBLE;
        Some(match words {
            0 => BasicType::Double, // `_Complex` alone
            Self::VOID => BasicType::Void,
            Self::BOOL => BasicType::Bool,
            Self::CHAR => BasicType::Char,
            CHAR_SIGNED => BasicType::SignedChar,
            CHAR_UNSIGNED => BasicType::UnsignedChar,
            Self::SHORT => BasicType::Short,
            SHORT_UNSIGNED => BasicType::UnsignedShort,
            INT | SIGNED => BasicType::Int,
            UNSIGNED => BasicType::UnsignedInt,
            Self::LONG => BasicType::Long,
            LONG_UNSIGNED => BasicType::UnsignedLong,
            Self::LONG_LONG => BasicType::LongLong,
            LONG_LONG_UNSIGNED => BasicType::UnsignedLongLong,
            Self::INT128 => BasicType::Int128,
            INT128_UNSIGNED => BasicType::UnsignedInt128,
            Self::FLOAT => BasicType::Float,
            Self::DOUBLE => BasicType::Double,
            LONG_DOUBLE => BasicType::LongDouble,
            _ => return None,
        })
    }
}

/// Specifiers as far as they were read.
struct Builder {
    place: Position,
    words: Words,
    /// A type that is not made of words.
    other: Option<TypeKind>,
    quals: Quals,
    storage: Option<Storage>,
    thread_local: bool,
    inline: bool,
    noreturn: bool,
    alignas: Vec<Alignas>,
    attrs: Vec<Attr>,
}

impl Builder {
    fn has_type(&self) -> bool {
        self.other.is_some() || !self.words.is_empty()
    }
}

impl Parser<'_> {
    /// Reads specifiers as long as there are any, perhaps none. `attrs` were read before them.
    pub(super) fn specs(&mut self, place: Position, attrs: Vec<Attr>) -> Parse<Specs> {
        let start = self.token.span.start;
        let mut specs = Builder {
            place,
            words: Words::default(),
            other: None,
            quals: Quals::NONE,
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            alignas: Vec::new(),
            attrs,
        };
        while self.specifier(&mut specs)? {}
        let span = if self.prev_end > start { self.span_from(start) } else { Span { start, end: start } };
        self.finish_specs(specs, span)
    }

    /// Reads one specifier; false if there is none.
    fn specifier(&mut self, specs: &mut Builder) -> Parse<bool> {
        let kind = self.token.kind;
        if let Some(word) = Words::of(kind) {
            let is_new = specs.words.add(word);
            if !is_new || specs.other.is_some() && word != Words::COMPLEX {
                return Err(self.bad_combination());
            }
            self.advance();
            return Ok(true);
        }
        match kind {
            Tok::Ident => return self.name_specifier(specs),
            Tok::Const => specs.quals |= Quals::CONST,
            Tok::Volatile => specs.quals |= Quals::VOLATILE,
            Tok::Restrict => specs.quals |= Quals::RESTRICT,
            Tok::Atomic if self.peek().kind != Tok::LParen => specs.quals |= Quals::ATOMIC,
            Tok::Typedef => self.storage(specs, Storage::Typedef)?,
            Tok::Extern => self.storage(specs, Storage::Extern)?,
            Tok::Static => self.storage(specs, Storage::Static)?,
            Tok::Auto => self.storage(specs, Storage::Auto)?,
            Tok::Register => self.storage(specs, Storage::Register)?,
            Tok::Thread if specs.place != Position::Declaration => return Ok(false),
            Tok::Inline | Tok::Noreturn if matches!(specs.place, Position::Member | Position::TypeName) => {
                return Ok(false);
            }
            Tok::Thread => specs.thread_local = true,
            Tok::Inline => specs.inline = true,
            Tok::Noreturn => specs.noreturn = true,
            Tok::Attribute => {
                self.attributes(&mut specs.attrs)?;
                return Ok(true);
            }
            Tok::Alignas => {
                let alignas = self.alignas()?;
                specs.alignas.push(alignas);
                return Ok(true);
            }
            Tok::Struct | Tok::Union | Tok::Enum | Tok::Typeof | Tok::Atomic | Tok::AutoType => {
                if specs.has_type() {
                    return Err(self.bad_combination());
                }
                specs.other = Some(self.tagged_or_typeof()?);
                return Ok(true);
            }
            _ => return Ok(false),
        }
        self.advance();
        Ok(true)
    }

    fn tagged_or_typeof(&mut self) -> Parse<TypeKind> {
        match self.token.kind {
            Tok::Struct | Tok::Union => Ok(TypeKind::Record(self.deeper(Self::record)?)),
            Tok::Enum => Ok(TypeKind::Enum(self.deeper(Self::enumeration)?)),
            Tok::Atomic => {
                self.advance();
                Ok(TypeKind::Atomic(self.parenthesised_type()?))
            }
            Tok::AutoType => {
                self.advance();
                Ok(TypeKind::Auto)
            }
            _ => self.deeper(Self::typeof_specifier),
        }
    }

    fn typeof_specifier(&mut self) -> Parse<TypeKind> {
        self.advance();
        self.expect(Tok::LParen)?;
        let kind = if self.is_type_start(self.token) {
            TypeKind::TypeofType(self.type_name()?)
        } else {
            TypeKind::TypeofExpr(self.expression()?)
        };
        self.expect(Tok::RParen)?;
        Ok(kind)
    }

    /// An identifier is a specifier if it names a type and there is no other type yet.
    fn name_specifier(&mut self, specs: &mut Builder) -> Parse<bool> {
        let only_complex = specs.words == Words(Words::COMPLEX);
        if specs.other.is_some() || !specs.words.is_empty() && !only_complex {
            return Ok(false);
        }
        let symbol = self.token.symbol;
        specs.other = Some(match self.scopes.meaning(symbol) {
            Meaning::Typedef => TypeKind::Typedef(symbol),
            Meaning::Predeclared(index) => PREDECLARED[usize::from(index)].1,
            Meaning::Ordinary => {
                // `foo_t x`, `foo_t *x`: an undeclared type.
                if !matches!(self.peek().kind, Tok::Ident | Tok::Star) {
                    return Ok(false);
                }
                let message = format!("unknown type name '{}'", self.lexer.names.text_of(symbol));
                self.error(self.token.span, message);
                TypeKind::Error
            }
        });
        self.advance();
        Ok(true)
    }

    fn storage(&mut self, specs: &mut Builder, storage: Storage) -> Parse<()> {
        let allowed = match specs.place {
            Position::Declaration => true,
            Position::Param => storage == Storage::Register,
            Position::Member | Position::TypeName => false,
        };
        if !allowed {
            return Err(self.error(self.token.span, "a storage class is not allowed here"));
        }
        if specs.storage.is_some_and(|old| old != storage) {
            return Err(self.error(self.token.span, "more than one storage class"));
        }
        specs.storage = Some(storage);
        Ok(())
    }

    fn alignas(&mut self) -> Parse<Alignas> {
        self.advance();
        self.expect(Tok::LParen)?;
        let alignas = if self.is_type_start(self.token) {
            Alignas::Type(self.deeper(Self::type_name)?)
        } else {
            Alignas::Expr(self.deeper(Self::conditional_expression)?)
        };
        self.expect(Tok::RParen)?;
        Ok(alignas)
    }

    fn bad_combination(&mut self) -> super::Failed {
        let message = format!("{} does not fit the type specifiers before it", self.found());
        self.error(self.token.span, message)
    }

    fn finish_specs(&mut self, specs: Builder, span: Span) -> Parse<Specs> {
        let complex = specs.words.0 & Words::COMPLEX != 0;
        let kind = match (specs.other, specs.words.is_empty()) {
            (Some(TypeKind::Basic(basic)), false) => TypeKind::Complex(basic),
            (Some(kind), true) => kind,
            (None, true) => TypeKind::Implicit,
            (Some(_), false) => return Err(self.error(span, "_Complex of a type that is not arithmetic")),
            (None, false) => match specs.words.basic() {
                Some(basic) if complex => TypeKind::Complex(basic),
                Some(basic) => TypeKind::Basic(basic),
                None => return Err(self.error(span, "these type specifiers do not go together")),
            },
        };
        let attrs = self.ast.list(&specs.attrs);
        let mut ty = Type { kind, quals: specs.quals, attrs: Default::default(), span };
        if specs.place == Position::TypeName {
            ty.attrs = attrs;
        }
        Ok(Specs {
            ty: self.new_type(ty),
            storage: specs.storage,
            thread_local: specs.thread_local,
            inline: specs.inline,
            noreturn: specs.noreturn,
            alignas: self.ast.list(&specs.alignas),
            attrs,
        })
    }

    /// A type in a cast, `sizeof`, ...: specifiers and a declarator without name.
    pub(super) fn type_name(&mut self) -> Parse<TypeId> {
        if !self.is_type_start(self.token) && !self.is_unknown_type() {
            return Err(self.expected("a type"));
        }
        let specs = self.specs(Position::TypeName, Vec::new())?;
        if self.ast[specs.ty].kind == TypeKind::Implicit {
            return Err(self.expected("a type"));
        }
        self.abstract_declarator(specs.ty)
    }

    /// An identifier before another one or a `*`, where a type must stand: it should have been one.
    fn is_unknown_type(&mut self) -> bool {
        self.at(Tok::Ident) && matches!(self.peek().kind, Tok::Ident | Tok::Star)
    }
}
