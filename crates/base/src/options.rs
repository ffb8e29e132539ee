//! Options of analyses, each declared in one place: name, type, default and help. From the declaration come the struct
//! that the analysis reads, `--set` with its messages, and the reference.
//!
//! ```ignore
//! base::options! {
//!     /// Options of bounded model checking.
//!     pub struct BmcOptions {
//!         /// The last bound.
//!         pub k_max: u32 = u32::MAX,
//!     }
//! }
//! ```

/// One option as its struct declares it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declared {
    /// As in presets and `--set`.
    pub name: String,
    /// What it may be.
    pub kind: String,
    /// What it is unless it is set.
    pub default: String,
    /// What it does.
    pub help: String,
}

/// A struct of options.
pub trait OptionList {
    /// Its options, in the order of their declaration.
    fn declared() -> Vec<Declared>;
}

/// A type that an option may have.
pub trait OptionValue {
    /// What it may be, for the user.
    fn kind() -> String;
    /// A value, as one writes it.
    fn show(&self) -> String;
}

/// A name of Rust as presets write it.
pub fn kebab(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter {
            '_' => text.push('-'),
            upper if upper.is_ascii_uppercase() => {
                if !text.is_empty() {
                    text.push('-');
                }
                text.push(upper.to_ascii_lowercase());
            }
            lower => text.push(lower),
        }
    }
    text
}

macro_rules! plain_values {
    ($kind:literal: $($ty:ty),*) => {
        $(impl OptionValue for $ty {
            fn kind() -> String {
                $kind.to_owned()
            }
            fn show(&self) -> String {
                self.to_string()
            }
        })*
    };
}

plain_values!("a number": u64, usize);
plain_values!("`true` or `false`": bool);

impl OptionValue for u32 {
    fn kind() -> String {
        "a number".to_owned()
    }
    fn show(&self) -> String {
        if *self == u32::MAX { "no limit".to_owned() } else { self.to_string() }
    }
}

impl OptionValue for String {
    fn kind() -> String {
        "a text".to_owned()
    }
    fn show(&self) -> String {
        self.clone()
    }
}

impl<T: OptionValue> OptionValue for Vec<T> {
    fn kind() -> String {
        format!("a list, each {}", T::kind())
    }
    fn show(&self) -> String {
        format!("[{}]", self.iter().map(T::show).collect::<Vec<_>>().join(", "))
    }
}

impl OptionValue for Option<std::path::PathBuf> {
    fn kind() -> String {
        "a file".to_owned()
    }
    fn show(&self) -> String {
        self.as_ref().map_or("none".to_owned(), |file| file.display().to_string())
    }
}

/// Declares a struct of options: each with its help, its type and its default. The crate needs `serde`.
#[macro_export]
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $( $(#[doc = $help:literal])+ $vis:vis $field:ident: $ty:ty = $default:expr, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, ::serde::Deserialize)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $name {
            $( $(#[doc = $help])+ $vis $field: $ty, )*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        impl $crate::options::OptionList for $name {
            fn declared() -> Vec<$crate::options::Declared> {
                let default = Self::default();
                vec![ $( $crate::options::Declared {
                    name: $crate::options::kebab(stringify!($field)),
                    kind: <$ty as $crate::options::OptionValue>::kind(),
                    default: $crate::options::OptionValue::show(&default.$field),
                    help: [$($help),+].map(str::trim).join(" "),
                }, )* ]
            }
        }
    };
}

/// Declares what an option may be: one of a few words.
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $(#[doc = $help:literal])* $variant:ident, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug, ::serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        $vis enum $name {
            $( $(#[doc = $help])* $variant, )*
        }

        impl $crate::options::OptionValue for $name {
            fn kind() -> String {
                let words = [$( format!("`{}`", $crate::options::kebab(stringify!($variant))) ),*];
                format!("one of {}", words.join(", "))
            }

            fn show(&self) -> String {
                match self {
                    $( $name::$variant => $crate::options::kebab(stringify!($variant)), )*
                }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_as_presets_write_them() {
        assert_eq!(kebab("k_max"), "k-max");
        assert_eq!(kebab("BfsThenDfs"), "bfs-then-dfs");
        assert_eq!(u32::MAX.show(), "no limit");
        assert_eq!(Vec::<String>::kind(), "a list, each a text");
    }
}
