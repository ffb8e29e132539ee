//! The notation: a text form of programs that can be read back. [`write`](fn@write) and [`read`] are inverse up to ids:
//! what is written, read and written again is the same text. Passes and engines are tested with it, without C.
//!
//! ```text
//! global memory x: int = {0: 5};
//! start fn start() {
//!   y: int;
//!   n0: entry;
//!   n0 -> n1: y := call f(1);
//!   n1 -> n2: [y < i32[&@x]];
//!   n1 -> n3: [i32[&@x] <= y];
//!   n2: target reach_error;
//!   n3 -> n4: return;
//!   n4: exit;
//! }
//! fn f(a: int) -> result: int { n5: entry; n5 -> n6: return a + 1; n6: exit; }
//! ```
//!
//! Expressions are C's, with loads as `i32[p]`, casts as `i64(x)`, globals as `@x`, and `&fn f` for the address of a
//! function. `5:u64` is a constant of its type; without one it has the type that its place asks for, else `i32`.
//! Large expressions are cut into definitions `%1 = x + y;`. A register's type is a C type; where its values are of
//! another, `as` says so; `of` gives a function's C type where it is not the usual one. What a text does not hold: spans, the values that targets show, source texts, assumptions, unordered parts, and how long
//! arrays of variable length are.

mod expr;
mod lexer;
mod names;
mod ops;
mod reader;
mod types;
mod writer;

pub use lexer::Wrong;
pub use reader::read;
pub use writer::write;

#[cfg(test)]
mod tests;
