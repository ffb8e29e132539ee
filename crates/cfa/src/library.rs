//! Library functions whose exact effect only the interpreter knows. Everything else of the C library is lowered to
//! ordinary operations or to models written in C.

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
    Log "log" writes [];
    Log2 "log2" writes [];
    Log10 "log10" writes [];
    Pow "pow" writes [];
    Cbrt "cbrt" writes [];
    Sinf "sinf" writes [];
    Cosf "cosf" writes [];
    Tanf "tanf" writes [];
    Expf "expf" writes [];
    Logf "logf" writes [];
    Powf "powf" writes [];
}
