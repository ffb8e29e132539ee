//! Where objects lie: each kind of memory has a region as on Linux, objects follow each other there with gaps, so
//! that stepping just outside an object leads into no other one. The same program always gets the same addresses.

use cfa::DataModel;
use std::collections::BTreeMap;

/// The part of the address space an object is placed in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Region {
    Static,
    Stack,
    Heap,
    Foreign,
}

/// At least so many bytes lie between two objects.
const GAP: u64 = 16;

#[derive(Clone, Copy, Debug)]
struct Span {
    next: u64,
    end: u64,
}

#[derive(Debug)]
pub(super) struct Addresses {
    statics: Span,
    heap: Span,
    foreign: Span,
    /// For what finds no room in them.
    more_heap: Span,
    more_foreign: Span,
    /// The lowest address in use on the stack, which grows downwards.
    pub stack: u64,
    stack_end: u64,
    /// Given back, by address; reused once the heap is used up.
    free: BTreeMap<u64, u64>,
    /// The object given back last, its address and size: the next one of its size lies there, as glibc does it.
    last: Option<(u64, u64)>,
}

impl Addresses {
    pub fn new(model: DataModel) -> Self {
        let span = |next, end| Span { next, end };
        match model {
            DataModel::Ilp32 => Self {
                statics: span(0x0900_0000, 0x5000_0000),
                heap: span(0x5000_0000, 0xD000_0000),
                foreign: span(0xD000_0000, 0xE000_0000),
                more_heap: span(0, 0),
                more_foreign: span(0, 0),
                stack: 0xFFFF_0000,
                stack_end: 0xE000_0000,
                free: BTreeMap::new(),
                last: None,
            },
            DataModel::Lp64 => Self {
                statics: span(0x5555_6000_0000, 0x5F00_0000_0000),
                // As in an executable at a fixed address. Drivers take larger numbers than an `int` for error codes.
                heap: span(0x1000_0000, 0xC000_0000),
                foreign: span(0xC000_0000, 0xF000_0000),
                more_heap: span(0x6000_0000_0000, 0x7E00_0000_0000),
                more_foreign: span(0x7E00_0000_0000, 0x7F00_0000_0000),
                stack: 0x7FFF_FFFF_0000,
                stack_end: 0x7F00_0000_0000,
                free: BTreeMap::new(),
                last: None,
            },
        }
    }

    /// An aligned address for a new object; `None` if there is no room.
    pub fn place(&mut self, region: Region, size: u64, align: u64) -> Option<u64> {
        debug_assert!(align == 0 || align.is_power_of_two(), "{align}");
        let align = align.max(if region == Region::Heap { 16 } else { 1 });
        let (first, more) = match region {
            Region::Static => (&mut self.statics, None),
            Region::Heap => (&mut self.heap, Some(&mut self.more_heap)),
            Region::Foreign => (&mut self.foreign, Some(&mut self.more_foreign)),
            Region::Stack => {
                let low = self.stack.checked_sub(size.checked_add(GAP)?)?;
                let base = low - low % align;
                if base < self.stack_end {
                    return None;
                }
                debug_assert!(base + size + GAP <= self.stack, "objects on the stack lie below each other");
                self.stack = base;
                return Some(base);
            }
        };
        for span in std::iter::once(first).chain(more) {
            let base = span.next.checked_next_multiple_of(align)?;
            let end = base.checked_add(size)?.checked_add(GAP)?;
            if end <= span.end {
                debug_assert!(span.next <= base && base < end, "objects follow each other");
                span.next = end;
                return Some(base);
            }
        }
        if region == Region::Heap { self.reuse(size, align) } else { None }
    }

    /// First fit among what was given back.
    fn reuse(&mut self, size: u64, align: u64) -> Option<u64> {
        let needed = size.checked_add(GAP)?;
        let (start, base, length) = self.free.iter().find_map(|(&start, &length)| {
            let base = start.next_multiple_of(align);
            (base - start + needed <= length).then_some((start, base, length))
        })?;
        debug_assert!(start <= base && base + needed <= start + length, "it fits where nothing is");
        self.last = None;
        self.free.remove(&start);
        let end = base + needed;
        if end < start + length {
            self.free.insert(end, start + length - end);
        }
        Some(base)
    }

    /// Where the heap object lay that was given back last, if the new one fits exactly and `is_unused` agrees.
    pub fn place_again(&mut self, size: u64, align: u64, is_unused: impl FnOnce(u64) -> bool) -> Option<u64> {
        let (base, _) = self.last.filter(|&(base, its)| its == size && base % align.max(16) == 0)?;
        let end = base + size + GAP;
        let (&start, &length) = self.free.range(..=base).next_back()?;
        if end > start + length || !is_unused(base) {
            return None;
        }
        debug_assert!(start <= base, "the free range holds it");
        self.last = None;
        self.free.remove(&start);
        for (from, to) in [(start, base), (end, start + length)] {
            if from < to {
                self.free.insert(from, to - from);
            }
        }
        Some(base)
    }

    /// A heap object is gone; its range joins free ones that touch it.
    pub fn give_back(&mut self, base: u64, size: u64) {
        let is_heap = [self.heap, self.more_heap].iter().any(|span| base < span.next && base + size <= span.end);
        self.last = is_heap.then_some((base, size));
        let (mut start, mut length) = (base, size + GAP);
        if let Some((&before, &its)) = self.free.range(..base).next_back()
            && before + its >= base
        {
            self.free.remove(&before);
            debug_assert!(before + its <= base, "what is free is given back twice");
            length += base - before;
            start = before;
        }
        if let Some(&after) = self.free.get(&(start + length)) {
            self.free.remove(&(start + length));
            length += after;
        }
        self.free.insert(start, length);
    }
}
