//! The front end's first half: preprocessed GNU C11 text -> tokens -> [`Ast`]. Knows names and scopes
//! only as far as the grammar needs them (typedef names); types, constants and meaning belong to `lower`.
#![warn(missing_docs)]

pub mod ast;
mod dump;
mod lexer;
mod literal;
mod names;
mod parser;
mod pragma;
mod scope;
mod token;

pub use ast::Ast;
pub use parser::parse;
