//! Readers of transition systems, written from the definitions of their formats alone: they simulate a system on inputs and
//! tell in which step its bad state is reached first.

pub mod aiger;
pub mod btor2;

/// The value of every input of a step: bit `b` of it is bit `b` of every input.
pub type Inputs<'a> = &'a [u128];
