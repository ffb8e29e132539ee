//! Memory by itself: constants, addresses that are wished for, pointers anywhere in an object, and accesses of every width.

use super::memory::Memory;
use super::object::{Contents, Fault, Kind};
use super::value::{Origin, Value};
use crate::choices::{Choices, Draws, Replayer};
use base::{Interner, SourceMap};
use cfa::{DataModel, Program};

/// Runs `f` on an empty memory in which objects lie where `addresses` wishes, by birth.
fn with_memory<T>(addresses: &[(u32, u64)], f: impl FnOnce(&mut Memory, &mut Draws<'_>) -> T) -> T {
    let program = Program::new(DataModel::Lp64, Interner::default(), SourceMap::new());
    let choices = Choices { addresses: addresses.iter().copied().collect(), ..Choices::default() };
    let mut replayer = Replayer::new(&choices);
    let mut draws = Draws::new(&mut replayer, DataModel::Lp64, false);
    f(&mut Memory::new(&program), &mut draws)
}

fn create(memory: &mut Memory, draws: &mut Draws<'_>, size: u64, kind: Kind) -> Value {
    memory.create(size, 8, kind, Contents::Zero, draws).expect("there is room")
}

fn moved(pointer: Value, by: u64) -> Value {
    Value { bits: pointer.bits + by, ..pointer }
}

#[test]
fn constants_are_protected_from_every_write() {
    with_memory(&[], |memory, draws| {
        let constant = create(memory, draws, 8, Kind::Constant);
        let other = create(memory, draws, 8, Kind::Static);
        let mut writes = |memory: &mut Memory, to: Value| {
            [
                memory.store(to, 4, 1, Origin::NONE),
                memory.copy(to, other, 4, draws),
                memory.fill(to, 1, 4),
                memory.write(to, b"abcd"),
                memory.forget(to, Some(4), Contents::Undefined, draws),
            ]
        };
        assert_eq!(writes(memory, constant), [Ok(()); 5], "they get their values");
        memory.protects = true;
        assert_eq!(writes(memory, constant), [Err(Fault::ReadOnly); 5]);
        assert_eq!(writes(memory, other), [Ok(()); 5]);
        assert!(!memory.store_fast(constant, 0, 4, Value::number(1)));
        assert!(memory.store_fast(other, 0, 4, Value::number(1)));
    });
}

#[test]
fn locals_are_constant_until_their_place_is_used_again() {
    with_memory(&[], |memory, draws| {
        let mark = memory.mark();
        let local = create(memory, draws, 8, Kind::Stack);
        assert!(!memory.is_in_constant(local));
        memory.make_constant(local);
        assert!(memory.is_in_constant(moved(local, 3)));
        memory.release(mark);
        assert!(!memory.is_in_constant(local), "it is dead");
        let next = create(memory, draws, 8, Kind::Stack);
        assert!(!memory.is_in_constant(next));
    });
}

#[test]
fn objects_keep_apart_from_those_that_got_their_wish() {
    let three = |wishes: &[(u32, u64)]| {
        with_memory(wishes, |memory, draws| [(); 3].map(|()| create(memory, draws, 40, Kind::Heap).bits))
    };
    let usual = three(&[]);
    // The first one lies where the third would.
    let wished = three(&[(0, usual[1])]);
    assert_eq!(wished[0], usual[1]);
    for (at, a) in wished.iter().enumerate() {
        assert!(wished[..at].iter().all(|b| a.abs_diff(*b) > 40), "{wished:x?}");
    }
}

#[test]
fn pointers_are_found_anywhere_in_an_object() {
    for (size, at) in [(32, 8), (32, 3), (1 << 17, 1 << 16)] {
        let reached = with_memory(&[], |memory, draws| {
            let holder = create(memory, draws, size, Kind::Static);
            let kept = create(memory, draws, 9, Kind::Heap);
            assert!(!memory.reaches_heap(std::iter::empty()));
            memory.store(moved(holder, at), 8, u128::from(kept.bits), kept.origin).expect("inside");
            memory.reaches_heap(std::iter::empty())
        });
        assert!(reached, "a pointer at {at} of {size} bytes");
    }
}

#[test]
fn accesses_of_every_width_need_nothing_slow() {
    with_memory(&[], |memory, draws| {
        let object = create(memory, draws, 16, Kind::Static);
        for bytes in [1_u64, 2, 4, 8] {
            let value = 0x1122_3344_5566_7788_u64 & (u64::MAX >> (64 - 8 * bytes));
            assert!(memory.store_fast(object, 3, bytes, Value::number(value)));
            let loaded = memory.load_fast(object, 3, bytes).map(|value| value.bits);
            assert_eq!(loaded, Some(value), "{bytes} bytes");
            assert_eq!(memory.load(moved(object, 3), bytes, draws).map(|(bits, _)| bits), Ok(u128::from(value)));
            // The last place inside, and the first outside.
            let last = (16 - bytes) as i32;
            assert!(memory.load_fast(object, last, bytes).is_some() && memory.store_fast(object, last, bytes, object));
            assert!(memory.load_fast(object, last + 1, bytes).is_none(), "{bytes} bytes");
            assert!(!memory.store_fast(object, last + 1, bytes, object), "{bytes} bytes");
            assert_eq!(memory.load(moved(object, last as u64 + 1), bytes, draws), Err(Fault::OutOfBounds));
        }
    });
}

#[test]
fn heap_objects_are_freed_at_their_start() {
    with_memory(&[], |memory, draws| {
        let heap = create(memory, draws, 9, Kind::Heap);
        let others = [Kind::Static, Kind::Constant, Kind::Stack].map(|kind| create(memory, draws, 9, kind));
        let foreign = memory.foreign(7, draws).expect("there is room");
        assert!(memory.is_freeable(heap) && memory.is_freeable(Value::number(0)) && memory.is_freeable(foreign));
        assert!(!memory.is_freeable(moved(heap, 1)));
        assert!(others.iter().all(|&other| !memory.is_freeable(other)));
        let rooms = [heap, moved(heap, 4), moved(heap, 9), moved(heap, 10), Value::number(0)];
        assert_eq!(rooms.map(|pointer| memory.valid_bytes(pointer)), [9, 5, 0, 0, 0]);
        assert_eq!(memory.valid_bytes(foreign), u64::MAX >> 1, "nobody knows where it ends");
        assert!(memory.has_heap());
        memory.release_heap(heap).expect("it lives");
        assert!(!memory.has_heap() && !memory.is_freeable(heap) && memory.valid_bytes(heap) == 0);
    });
}
