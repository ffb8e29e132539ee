//! What a bad access, a bad free or a leak was, in a sentence with the object and the places where it came to be and ended.

use super::FinishedRun;
use base::{Cancel, Span};
use cfa::addresses::PAGE;
use cfa::types::Type;
use cfa::{Check, Expr, Storage, Target, VarId};
use verdict::Counterexample;
use witness::heap::{Allocated, heap};
use witness::operands::Operand;

/// Most objects that a leak names.
const NAMED: usize = 3;
/// An access further away than this from any heap object is not said to be next to it.
const NEAR: u64 = 1 << 20;

impl FinishedRun<'_> {
    /// The sentence about a check of memory; `None` where there is nothing to tell.
    pub(super) fn memory(
        &self,
        counterexample: &Counterexample,
        (target, text): (&Target, &str),
        [pointer, second]: [Option<Operand>; 2],
    ) -> Option<String> {
        let check = target.check()?;
        if let (Check::Deref | Check::Bounds, Some(var)) = (check, self.named(target)) {
            return self.outside_variable(var, text, second);
        }
        let objects = heap(self.program, counterexample, &Cancel::never());
        let bits = pointer.map(|(_, bits)| bits as u64);
        match (check, bits) {
            (Check::Deref | Check::Null | Check::Bounds, Some(bits)) if bits < PAGE => {
                Some(format!("{text} accesses memory through a null pointer"))
            }
            (Check::Deref | Check::Bounds, Some(bits)) => self.outside_heap(&objects, text, bits),
            (Check::Free, Some(bits)) => Some(self.bad_free(&objects, text, bits)),
            (Check::Track, _) => self.left(&objects, "leaks"),
            (Check::Cleanup, _) => self.left(&objects, "the program ends without freeing"),
            _ => None,
        }
    }

    /// The variable that the access names.
    fn named(&self, target: &Target) -> Option<VarId> {
        let exprs = &self.program.exprs;
        match exprs.node(exprs.root(target.values[0]?)) {
            Expr::Addr(var) => Some(var),
            _ => None,
        }
    }

    fn outside_variable(&self, var: VarId, text: &str, offset: Option<Operand>) -> Option<String> {
        let variable = &self.program.vars[var];
        let Storage::Memory { size, .. } = variable.storage else { return None };
        let (_, offset) = offset?;
        let bits = self.program.model.pointer_bits();
        let offset = ((offset << (128 - bits)) as i128) >> (128 - bits);
        let types = &self.program.types;
        let shown = types.display(variable.ty, &self.program.names);
        let name = self.program.text(variable.name);
        if name.starts_with('$') {
            return None;
        }
        let declared = match shown.split_once('[') {
            Some((of, rest)) => format!("{} {name}[{rest}", of.trim_end()),
            None => format!("{shown} {name}"),
        };
        let element = match *types.get(types.unqualified(variable.ty)) {
            Type::Array(element, _) => types.size(element).filter(|&size| size > 0),
            _ => None,
        };
        Some(match element.map(i128::from) {
            Some(element) if offset % element == 0 => {
                format!("{text} is outside '{declared}': the index is {}", offset / element)
            }
            _ => format!("{text} is outside '{declared}': byte {offset} of {size}"),
        })
    }

    fn outside_heap(&self, objects: &[Allocated], text: &str, bits: u64) -> Option<String> {
        let inside = |object: &&Allocated| object.base <= bits && bits - object.base < object.size.max(1);
        if let Some(object) = objects.iter().rev().find(inside)
            && let Some(freed) = object.freed
        {
            return Some(format!("{text} accesses memory that was freed at {}", self.at_line(freed)));
        }
        let living = objects.iter().filter(|object| object.freed.is_none());
        let object =
            living.min_by_key(|object| distance(object, bits)).filter(|object| distance(object, bits) < NEAR)?;
        let at = i128::from(bits) - i128::from(object.base);
        Some(format!(
            "{text} is outside the {} allocated at {}: at byte {at}",
            bytes(object.size),
            self.at_line(object.span)
        ))
    }

    fn bad_free(&self, objects: &[Allocated], text: &str, bits: u64) -> String {
        let newest = objects.iter().rev();
        if let Some(freed) = newest.clone().find(|object| object.base == bits).and_then(|object| object.freed) {
            return format!("{text} frees memory that was freed at {}", self.at_line(freed));
        }
        let inside =
            |object: &&Allocated| object.base < bits && bits - object.base <= object.size && object.freed.is_none();
        match newest.clone().find(inside) {
            Some(object) => format!(
                "{text} frees an address {} after the start of the {} allocated at {}",
                bytes(bits - object.base),
                bytes(object.size),
                self.at_line(object.span)
            ),
            None => format!("{text} frees memory that was not allocated"),
        }
    }

    /// What is not free in the end.
    fn left(&self, objects: &[Allocated], what: &str) -> Option<String> {
        let left: Vec<&Allocated> = objects.iter().filter(|object| object.freed.is_none()).collect();
        let named: Vec<String> = left
            .iter()
            .take(NAMED)
            .map(|object| format!("the {} allocated at {}", bytes(object.size), self.at_line(object.span)))
            .collect();
        let more = if left.len() > NAMED { format!(" or one of {} others", left.len() - NAMED) } else { String::new() };
        (!named.is_empty()).then(|| format!("{what} {}{more}", named.join(" or ")))
    }

    fn at_line(&self, span: Span) -> String {
        let at = self.program.sources.position(span);
        format!("{}:{}", self.program.sources.name(at.file), at.line)
    }
}

fn distance(object: &Allocated, bits: u64) -> u64 {
    if bits < object.base { object.base - bits } else { (bits - object.base).saturating_sub(object.size) }
}

fn bytes(count: u64) -> String {
    if count == 1 { "1 byte".to_owned() } else { format!("{count} bytes") }
}
