//! Kinds of tokens and the spellings of keywords.

use base::{Span, Symbol};

/// One token. Numbers and quoted literals are decoded by the parser from their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: Tok,
    /// The name of a `Tok::Ident`; meaningless for other kinds.
    pub symbol: Symbol,
    pub span: Span,
}

/// Declares [`Tok`] with its descriptions, and the keyword spellings that lead to it.
macro_rules! tokens {
    (classes { $($class:ident $class_text:literal,)* }
     punctuators { $($punct:ident $punct_text:literal,)* }
     keywords { $($keyword:ident [$($spelling:literal)*],)* }) => {
        /// The kind of a token; all spellings of one keyword are one kind.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(crate) enum Tok { $($class,)* $($punct,)* $($keyword,)* }

        /// Every spelling of every keyword.
        pub(crate) const KEYWORDS: &[(&str, Tok)] = &[$($(($spelling, Tok::$keyword),)*)*];

        impl Tok {
            /// How messages name what they expect.
            pub fn describe(self) -> &'static str {
                match self {
                    $(Tok::$class => $class_text,)*
                    $(Tok::$punct => concat!("'", $punct_text, "'"),)*
                    $(Tok::$keyword => first(&[$(concat!("'", $spelling, "'")),*]),)*
                }
            }
        }
    };
}

/// The main spelling of a keyword.
fn first(spellings: &[&'static str]) -> &'static str {
    spellings[0]
}

tokens! {
    classes {
        Eof "end of file",
        Invalid "an invalid character",
        Ident "an identifier",
        Number "a number",
        Char "a character constant",
        String "a string",
    }
    punctuators {
        LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
        Semi ";", Comma ",", Colon ":", Question "?", Dot ".", Arrow "->", Ellipsis "...",
        PlusPlus "++", MinusMinus "--", Tilde "~", Bang "!",
        Star "*", Slash "/", Percent "%", Plus "+", Minus "-", Shl "<<", Shr ">>",
        Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=",
        Amp "&", Caret "^", Pipe "|", AmpAmp "&&", PipePipe "||",
        Assign "=", StarAssign "*=", SlashAssign "/=", PercentAssign "%=", PlusAssign "+=", MinusAssign "-=",
        ShlAssign "<<=", ShrAssign ">>=", AmpAssign "&=", CaretAssign "^=", PipeAssign "|=",
    }
    keywords {
        Typedef ["typedef"], Extern ["extern"], Static ["static"], Auto ["auto"], Register ["register"],
        Thread ["_Thread_local" "__thread"],
        Inline ["inline" "__inline" "__inline__"], Noreturn ["_Noreturn"], Alignas ["_Alignas"],
        Attribute ["__attribute__" "__attribute"],
        Const ["const" "__const" "__const__"], Volatile ["volatile" "__volatile" "__volatile__"],
        Restrict ["restrict" "__restrict" "__restrict__"], Atomic ["_Atomic"],
        Void ["void"], Bool ["_Bool"], CharType ["char"], Short ["short"], Int ["int"], Long ["long"],
        Float ["float"], Double ["double"], Signed ["signed" "__signed" "__signed__"], Unsigned ["unsigned"],
        Complex ["_Complex" "__complex" "__complex__"], Int128 ["__int128"], AutoType ["__auto_type"],
        Struct ["struct"], Union ["union"], Enum ["enum"], Typeof ["typeof" "__typeof" "__typeof__"],
        If ["if"], Else ["else"], While ["while"], Do ["do"], For ["for"], Switch ["switch"], Case ["case"],
        Default ["default"], Goto ["goto"], Break ["break"], Continue ["continue"], Return ["return"],
        Asm ["asm" "__asm" "__asm__"], LocalLabel ["__label__"], StaticAssert ["_Static_assert"],
        Sizeof ["sizeof"], Alignof ["_Alignof"], AlignofPreferred ["__alignof__" "__alignof"],
        Generic ["_Generic"], Extension ["__extension__"], Real ["__real__" "__real"], Imag ["__imag__" "__imag"],
        Offsetof ["__builtin_offsetof"], VaArg ["__builtin_va_arg"],
        TypesCompatible ["__builtin_types_compatible_p"], ChooseExpr ["__builtin_choose_expr"],
    }
}

impl Tok {
    /// Whether it can only start or continue a type: a type specifier or qualifier, or an attribute.
    pub fn starts_type(self) -> bool {
        (Tok::Attribute as u8..=Tok::Typeof as u8).contains(&(self as u8))
    }

    /// Whether it starts a declaration: as above, or a storage class or function specifier.
    pub fn starts_declaration(self) -> bool {
        (Tok::Typedef as u8..=Tok::Typeof as u8).contains(&(self as u8))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyword_classes_are_contiguous() {
        for &(text, kind) in KEYWORDS {
            let statement = kind as u8 >= Tok::If as u8;
            assert_eq!(kind.starts_declaration(), !statement, "{text}");
        }
        assert!(Tok::Const.starts_type() && Tok::Typeof.starts_type() && !Tok::Static.starts_type());
        assert!(!Tok::PipeAssign.starts_declaration());
    }

    #[test]
    fn descriptions_quote_the_main_spelling() {
        assert_eq!(Tok::Const.describe(), "'const'");
        assert_eq!(Tok::Semi.describe(), "';'");
        assert_eq!(Tok::Ident.describe(), "an identifier");
    }
}
