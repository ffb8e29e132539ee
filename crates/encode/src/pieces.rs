//! Memory variables as plain values: a variable that is only accessed at constant offsets, by its own name, is cut into
//! pieces so that every access is one piece or several whole ones. Each piece is a slot of its own; no array is needed.

use crate::ranges::MOST_GUARDED;
use crate::sort::{sort_of, sort_of_bytes};
use base::{Id, IdVec};
use cfa::{Program, Scalar, VarId};
use flow::uses::{Extent, Uses, direct, size_of};
use smt::Sort;
use std::collections::{BTreeMap, BTreeSet};

/// A range of bytes of a variable that is always accessed as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// From the variable's first byte.
    pub offset: u64,
    /// Length.
    pub bytes: u64,
    /// How its value is kept: as what it is always accessed as, or as bits.
    pub sort: Sort,
}

/// More pieces than this are kept in an array.
const MOST: usize = 512;

#[derive(Clone, Default)]
struct Ranges {
    /// Accessed ranges with the sorts they are accessed as.
    ranges: BTreeMap<(u64, u64), BTreeSet<Sort>>,
    /// Ranges that are copied, filled or made arbitrary; what lies between accesses may matter elsewhere.
    whole: BTreeSet<(u64, u64)>,
    /// Where pieces must end.
    cuts: BTreeSet<u64>,
    unsuitable: bool,
}

/// The pieces of every variable that can be cut, by ascending offset.
pub fn cut(program: &Program, uses: &Uses) -> IdVec<VarId, Option<Vec<Piece>>> {
    let mut all: IdVec<VarId, Ranges> = IdVec::filled(program.vars.len(), Ranges::default());
    for (id, var) in program.vars.iter() {
        all[id].unsuitable = size_of(program, id).is_none() || uses.escapes[id];
        for cell in &var.init {
            add_scalar(program, &mut all[id], cell.offset, program.exprs.ty(cell.value));
        }
    }
    for access in &uses.accesses {
        let Some(place) = direct(&program.exprs, access.pointer) else { continue };
        let ranges = &mut all[place.var];
        let size = size_of(program, place.var).unwrap_or(0);
        match (place.offset, access.extent) {
            (Some(offset), Extent::Scalar(ty)) if offset + ty.bytes(program.model) <= size => {
                add_scalar(program, ranges, offset, ty);
            }
            (Some(offset), Extent::Bytes(bytes)) if offset.saturating_add(bytes) <= size => {
                ranges.whole.insert((offset, bytes));
            }
            (Some(offset), Extent::Unknown) if offset <= size && size - offset <= MOST_GUARDED => {
                ranges.whole.insert((offset, size - offset));
            }
            // The whole object becomes arbitrary, whatever its parts are.
            (_, Extent::Object) => {}
            (_, Extent::Scalar(_) | Extent::Bytes(_) | Extent::Unknown) => ranges.unsuitable = true,
        }
    }
    for at in 0..all.len() {
        let ranges = &mut all[VarId::new(at)];
        let ends = ranges.ranges.keys().chain(&ranges.whole).flat_map(|(offset, length)| [*offset, offset + length]);
        ranges.cuts = ends.collect();
    }
    copy_ranges(program, uses, &mut all);
    let mut result = IdVec::new();
    for (_, ranges) in all.iter() {
        result.push(if ranges.unsuitable { None } else { pieces(ranges) });
    }
    result
}

fn add_scalar(program: &Program, ranges: &mut Ranges, offset: u64, ty: Scalar) {
    let sort = sort_of(program.model, ty);
    ranges.ranges.entry((offset, ty.bytes(program.model))).or_default().insert(sort);
}

/// What is accessed in one side of a copy must be kept apart in the other.
fn copy_ranges(program: &Program, uses: &Uses, all: &mut IdVec<VarId, Ranges>) {
    let mut changed = true;
    while changed {
        changed = false;
        for &(to, from, bytes) in &uses.copies {
            let (Some(to), Some(from)) = (direct(&program.exprs, to), direct(&program.exprs, from)) else { continue };
            let (Some(to_offset), Some(from_offset)) = (to.offset, from.offset) else { continue };
            let mut transfer = |source: VarId, start: u64, target: VarId, target_start: u64| {
                let inside: Vec<_> = all[source]
                    .ranges
                    .iter()
                    .filter(|((offset, length), _)| *offset >= start && offset + length <= start.saturating_add(bytes))
                    .map(|((offset, length), sorts)| ((offset - start + target_start, *length), sorts.clone()))
                    .collect();
                let end = start.saturating_add(bytes);
                let cuts: Vec<u64> =
                    all[source].cuts.range(start..=end).map(|cut| cut - start + target_start).collect();
                for cut in cuts {
                    changed |= all[target].cuts.insert(cut);
                }
                for (range, sorts) in inside {
                    let known = all[target].ranges.entry(range).or_default();
                    let before = known.len();
                    known.extend(sorts);
                    changed |= known.len() != before;
                }
            };
            transfer(from.var, from_offset, to.var, to_offset);
            transfer(to.var, to_offset, from.var, from_offset);
        }
    }
}

fn pieces(ranges: &Ranges) -> Option<Vec<Piece>> {
    if ranges.ranges.len() > 2 * MOST {
        return None;
    }
    let cuts: Vec<u64> = ranges.cuts.iter().copied().collect();
    let mut result = Vec::new();
    for pair in cuts.windows(2) {
        let (offset, bytes) = (pair[0], pair[1] - pair[0]);
        let covers = |(start, length): &(u64, u64)| *start <= offset && offset + bytes <= start + length;
        let covered = ranges.ranges.keys().chain(&ranges.whole).any(covers);
        if !covered {
            continue;
        }
        let whole = ranges.ranges.get(&(offset, bytes)).filter(|sorts| sorts.len() == 1);
        let alone = ranges.ranges.keys().all(|&(start, length)| {
            (start, length) == (offset, bytes) || start + length <= offset || offset + bytes <= start
        });
        let sort = match whole.and_then(|sorts| sorts.first()) {
            Some(sort) if alone => *sort,
            _ => sort_of_bytes(bytes),
        };
        result.push(Piece { offset, bytes, sort });
    }
    let disjoint = |a: &Piece, b: &Piece| a.offset + a.bytes <= b.offset;
    assert!(result.is_sorted_by(disjoint), "pieces ascend and are disjoint");
    assert!(result.iter().all(|piece| piece.bytes > 0), "a piece has bytes");
    (result.len() <= MOST).then_some(result)
}
