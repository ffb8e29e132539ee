//! Library functions whose exact effect only the interpreter knows. Everything else of the C library is lowered to
//! ordinary operations or to models written in C.

use crate::scalar::FloatKind;

macro_rules! library {
    ($($variant:ident $name:literal writes $writes:expr;)*) => {
        /// A library function that appears in [`crate::Op::Library`].
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Library { $(#[doc = concat!("`", $name, "`")] $variant,)* }

        impl Library {
            /// All of them.
            pub const ALL: &'static [Library] = &[$(Library::$variant,)*];

            /// The name in C.
            pub fn name(self) -> &'static str {
                match self { $(Library::$variant => $name,)* }
            }

            /// The arguments (from 0) through which it writes: the whole object becomes arbitrary to analyses.
            pub fn writes(self) -> &'static [usize] {
                match self { $(Library::$variant => &$writes,)* }
            }

            /// The function of that name.
            pub fn named(name: &str) -> Option<Library> {
                match name { $($name => Some(Library::$variant),)* _ => None }
            }
        }
    };
}

library! {
    Printf "printf" writes [];
    Vprintf "vprintf" writes [];
    Fprintf "fprintf" writes [];
    Vfprintf "vfprintf" writes [];
    Sprintf "sprintf" writes [0];
    Vsprintf "vsprintf" writes [0];
    Snprintf "snprintf" writes [0];
    Vsnprintf "vsnprintf" writes [0];
    Puts "puts" writes [];
    Putchar "putchar" writes [];
    Putc "putc" writes [];
    Fputc "fputc" writes [];
    Fputs "fputs" writes [];
    Fflush "fflush" writes [];
    Perror "perror" writes [];
    WriteBytes "__builtin_write_bytes" writes [];
    ReadDouble "__builtin_read_double" writes [];
    ReadFloat "__builtin_read_float" writes [];
    ReadLongDouble "__builtin_read_long_double" writes [];
    ReadStatus "__builtin_read_status" writes [];
    ReadByte "__builtin_read_byte" writes [];
    HasByte "__builtin_has_byte" writes [];
    Outside "__builtin_outside" writes [];
    Sin "sin" writes [];
    Cos "cos" writes [];
    Tan "tan" writes [];
    Asin "asin" writes [];
    Acos "acos" writes [];
    Atan "atan" writes [];
    Atan2 "atan2" writes [];
    Sinh "sinh" writes [];
    Cosh "cosh" writes [];
    Tanh "tanh" writes [];
    Exp "exp" writes [];
    Exp2 "exp2" writes [];
    Expm1 "expm1" writes [];
    Log "log" writes [];
    Log2 "log2" writes [];
    Log10 "log10" writes [];
    Log1p "log1p" writes [];
    Pow "pow" writes [];
    Hypot "hypot" writes [];
    Cbrt "cbrt" writes [];
    Fma "fma" writes [];
    Sinf "sinf" writes [];
    Cosf "cosf" writes [];
    Tanf "tanf" writes [];
    Asinf "asinf" writes [];
    Acosf "acosf" writes [];
    Atanf "atanf" writes [];
    Atan2f "atan2f" writes [];
    Sinhf "sinhf" writes [];
    Coshf "coshf" writes [];
    Tanhf "tanhf" writes [];
    Expf "expf" writes [];
    Exp2f "exp2f" writes [];
    Expm1f "expm1f" writes [];
    Logf "logf" writes [];
    Log2f "log2f" writes [];
    Log10f "log10f" writes [];
    Log1pf "log1pf" writes [];
    Powf "powf" writes [];
    Hypotf "hypotf" writes [];
    Cbrtf "cbrtf" writes [];
    Fmaf "fmaf" writes [];
}

impl Library {
    /// Whether it writes what it is given, or what that leads to, as text or bytes.
    pub fn is_output(self) -> bool {
        let formatted = matches!(self, Library::Printf | Library::Vprintf | Library::Fprintf | Library::Vfprintf);
        let to_memory = matches!(self, Library::Sprintf | Library::Vsprintf | Library::Snprintf | Library::Vsnprintf);
        let texts = matches!(self, Library::Puts | Library::Fputs | Library::Perror | Library::WriteBytes);
        formatted || to_memory || texts || matches!(self, Library::Putchar | Library::Putc | Library::Fputc)
    }

    /// The format of arguments and result of a mathematical function.
    pub fn math(self) -> Option<FloatKind> {
        if self.is_text() {
            None
        } else if self.name().ends_with('f') {
            Some(FloatKind::F32)
        } else {
            Some(FloatKind::F64)
        }
    }

    /// Whether it is about text: writes some, to memory or to a stream, or reads a number.
    pub fn is_text(self) -> bool {
        self < Library::Sin
    }

    /// Whether it is a part of models alone, which say themselves what happens to `errno`.
    pub fn is_internal(self) -> bool {
        self.name().starts_with("__builtin_")
    }

    /// Whether its results depend on the library in their last bit.
    pub fn is_rounded(self) -> bool {
        !self.is_text() && !matches!(self, Library::Fma | Library::Fmaf)
    }

    /// Whether Rust's own library computes it, which rounds correctly, as gcc does for constants, and not the machine's.
    pub fn is_brought(self) -> bool {
        matches!(self, Library::Cbrt | Library::Cbrtf)
    }

    /// Whether glibc tells of errors of this mathematical function.
    pub fn sets_errno(self) -> bool {
        self.is_rounded() && !matches!(self, Library::Cbrt | Library::Cbrtf)
    }
}
