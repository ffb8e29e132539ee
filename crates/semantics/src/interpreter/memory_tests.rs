//! Memory by itself: constants, addresses that are wished for, pointers anywhere in an object, and accesses of every width.

use super::memory::Memory;
use super::object::{Contents, Fault, Kind};
use super::value::{Origin, Value};
use crate::choices::{Choices, Draws, Replayer};
use base::{Interner, SourceMap};
use cfa::addresses::PAGE;
use cfa::{DataModel, Program};

/// Runs `f` on an empty memory in which objects lie where `addresses` wishes, by birth.
fn with_memory<T>(addresses: &[(u32, u64)], f: impl FnOnce(&mut Memory, &mut Draws<'_>) -> T) -> T {
    with_memory_of(DataModel::Lp64, addresses, f)
}

fn with_memory_of<T>(
    model: DataModel,
    addresses: &[(u32, u64)],
    f: impl FnOnce(&mut Memory, &mut Draws<'_>) -> T,
) -> T {
    let program = Program::new(model, Interner::default(), SourceMap::new());
    let choices = Choices { addresses: addresses.iter().copied().collect(), ..Choices::default() };
    let mut replayer = Replayer::new(&choices);
    let mut draws = Draws::new(&mut replayer, model, false);
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

/// Bytes that were never written hold no pointer, but do not hide those that were.
#[test]
fn pointers_are_found_beside_undefined_bytes() {
    with_memory(&[], |memory, draws| {
        let local = memory.create(24, 8, Kind::Stack, Contents::Undefined, draws).expect("there is room");
        let heap = create(memory, draws, 8, Kind::Heap);
        assert!(!memory.reaches_heap(std::iter::empty()));
        memory.store(moved(local, 8), 8, u128::from(heap.bits), heap.origin).expect("it is written");
        assert!(memory.reaches_heap(std::iter::empty()));
    });
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
        assert_eq!(memory.valid_bytes(foreign), u64::MAX >> 1, "its end is unknown");
        assert!(memory.has_heap());
        memory.release_heap(heap).expect("it lives");
        assert!(!memory.has_heap() && !memory.is_freeable(heap) && memory.valid_bytes(heap) == 0);
    });
}

/// Where an object is wished that lies in no part of memory by itself.
const WISH: u64 = 0x1234_5678;

/// A number without origin is resolved by its address: the end of an object belongs to it, a gap to none.
#[test]
fn plain_numbers_lead_to_what_lives_there() {
    with_memory(&[], |memory, draws| {
        let objects = [Kind::Static, Kind::Heap, Kind::Stack, Kind::Stack].map(|kind| create(memory, draws, 8, kind));
        for object in objects {
            let rooms = [0, 3, 8, 9].map(|by| memory.room(Value::number(object.bits + by)));
            assert_eq!(rooms, [Ok(8), Ok(5), Ok(0), Err(Fault::NoObject)]);
            assert_eq!(memory.room(Value::number(object.bits - 1)), Err(Fault::NoObject));
        }
        let near_null = [0, PAGE - 1, PAGE].map(|address| memory.room(Value::number(address)));
        assert_eq!(near_null, [Err(Fault::Null), Err(Fault::Null), Err(Fault::NoObject)]);
        memory.end(objects[3]);
        let rooms = objects.map(|object| memory.room(Value::number(object.bits)));
        assert_eq!(rooms, [Ok(8), Ok(8), Ok(8), Err(Fault::NoObject)]);
    });
}

#[test]
fn a_local_that_is_in_scope_again_is_another_object() {
    with_memory(&[], |memory, draws| {
        let (local, heap) = (create(memory, draws, 8, Kind::Stack), create(memory, draws, 8, Kind::Heap));
        assert_eq!(memory.begin(local), local, "the first time it is the one that was made");
        memory.store(local, 4, 7, Origin::NONE).expect("it lives");
        memory.end(local);
        assert_eq!(memory.room(local), Err(Fault::Dead));
        assert_eq!(memory.load_fast(local, 0, 4), None);
        let next = memory.begin(local);
        assert_eq!((next.bits, memory.room(next), memory.room(local)), (local.bits, Ok(8), Err(Fault::Dead)));
        memory.end(heap);
        assert_eq!(memory.room(heap), Ok(8), "scopes are of locals alone");
    });
}

#[test]
fn locals_end_with_their_function_wherever_they_lie() {
    with_memory(&[(1, WISH)], |memory, draws| {
        let outer = create(memory, draws, 8, Kind::Stack);
        let mark = memory.mark();
        let inner = [create(memory, draws, 8, Kind::Stack), create(memory, draws, 8, Kind::Stack)];
        assert_eq!(inner[0].bits, WISH);
        memory.release(mark);
        assert_eq!(memory.room(outer), Ok(8));
        for local in inner {
            assert_eq!(memory.room(local), Err(Fault::Dead));
            assert_eq!(memory.room(Value::number(local.bits)), Err(Fault::NoObject));
        }
        let next = create(memory, draws, 8, Kind::Stack);
        assert_eq!(next.bits, inner[1].bits, "the next call has the same place");
        assert_eq!([memory.room(next), memory.room(inner[1])], [Ok(8), Err(Fault::Dead)]);
    });
}

/// The end of an object is not the address of another one.
#[test]
fn wishes_are_granted_where_nothing_lies() {
    for kind in [Kind::Static, Kind::Heap, Kind::Stack] {
        let first = with_memory(&[], |memory, draws| create(memory, draws, 40, kind).bits);
        let beside = [(first - 9, true), (first - 8, false), (first, false), (first + 40, false), (first + 41, true)];
        for (wish, granted) in beside.into_iter().chain([(PAGE - 1, false), (PAGE, true)]) {
            let second = with_memory(&[(1, wish)], |memory, draws| {
                create(memory, draws, 40, kind);
                create(memory, draws, 8, Kind::Heap).bits
            });
            assert_eq!(second == wish, granted, "{kind:?} at {first:x}, wished {wish:x}");
        }
    }
}

#[test]
fn pointers_from_outside_reach_far_to_both_sides() {
    with_memory(&[(2, WISH)], |memory, draws| {
        let seven = memory.foreign(7, draws).expect("there is room");
        assert_eq!(memory.foreign(7, draws), Ok(seven), "one value is one pointer");
        let eight = memory.foreign_aside(8, draws).expect("there is room");
        assert_ne!(eight.bits, seven.bits);
        for pointer in [seven, eight] {
            // Drivers have large structures.
            for bits in [pointer.bits - (1 << 15), pointer.bits + (1 << 19) - 8] {
                memory.store(Value { bits, ..pointer }, 8, 1, Origin::NONE).expect("inside");
            }
        }
        create(memory, draws, 8, Kind::Heap);
        let second = create(memory, draws, 8, Kind::Heap);
        assert_eq!(second.bits, WISH, "what is made up aside has no number among the births");
    });
}

/// Heap objects are reached through others, by pointers to their bytes and to their end.
#[test]
fn pointers_to_the_end_of_an_object_reach_it() {
    for (by, expected) in [(0, true), (9, true), (10, false)] {
        let reached = with_memory(&[], |memory, draws| {
            let [holder, between, kept] = [(Kind::Stack, 8), (Kind::Heap, 11), (Kind::Heap, 9)]
                .map(|(kind, size)| create(memory, draws, size, kind));
            memory.store(holder, 8, u128::from(between.bits), between.origin).expect("inside");
            let pointer = moved(kept, by);
            memory.store(moved(between, 3), 8, u128::from(pointer.bits), pointer.origin).expect("inside");
            let reached = memory.reaches_heap(std::iter::empty());
            assert!(memory.reaches_heap([kept].into_iter()), "a register holds it");
            memory.end(holder);
            assert!(!memory.reaches_heap([kept].into_iter()), "a local that ended holds nothing");
            assert!(memory.reaches_heap([between, kept].into_iter()));
            reached
        });
        assert_eq!(reached, expected, "{by} bytes after its start");
    }
}

/// What is given back is used again, but not where an object has come to lie that ends there.
#[test]
fn places_are_used_again_apart_from_others() {
    let first = with_memory(&[], |memory, draws| create(memory, draws, 40, Kind::Heap).bits);
    for (wish, again) in [(first - 9, true), (first - 8, false), (first + 40, false)] {
        let third = with_memory(&[(1, wish)], |memory, draws| {
            let gone = create(memory, draws, 40, Kind::Heap);
            memory.release_heap(gone).expect("it lives");
            assert_eq!(create(memory, draws, 8, Kind::Heap).bits, wish);
            create(memory, draws, 40, Kind::Heap).bits
        });
        assert_eq!(third == first, again, "{third:x} beside {wish:x}");
    }
}

#[test]
fn pointers_of_four_bytes() {
    with_memory_of(DataModel::Ilp32, &[], |memory, draws| {
        let foreign = memory.foreign(7, draws).expect("there is room");
        assert_eq!(memory.valid_bytes(foreign), u64::from(u32::MAX), "as many bytes as there are addresses");
        let (holder, kept) = (create(memory, draws, 8192, Kind::Static), create(memory, draws, 9, Kind::Heap));
        for at in [0, 4, 4092, 8188] {
            assert!(!memory.reaches_heap(std::iter::empty()), "before {at}");
            memory.store(moved(holder, at), 4, u128::from(kept.bits), kept.origin).expect("inside");
            assert_eq!(memory.load(moved(holder, at), 4, draws), Ok((u128::from(kept.bits), kept.origin)));
            assert!(memory.reaches_heap(std::iter::empty()), "at {at}");
            memory.store(moved(holder, at), 4, 0, Origin::NONE).expect("inside");
        }
    });
}

#[test]
fn the_last_byte_and_constants() {
    with_memory(&[], |memory, draws| {
        let (text, constant) = (create(memory, draws, 3, Kind::Heap), create(memory, draws, 3, Kind::Constant));
        let asked = |memory: &Memory| [0, 2, 3, 4].map(|by| memory.ends_with_zero(moved(text, by)));
        assert_eq!(asked(memory), [true, true, false, false], "nothing lies past the end");
        memory.write(text, &[0, 0, 5]).expect("inside");
        assert_eq!(asked(memory), [false; 4]);
        memory.write(text, &[5, 5, 0]).expect("inside");
        assert_eq!(asked(memory), [true, true, false, false]);
        let writable = [0, 2, 3, 4].map(|by| memory.is_writable(moved(constant, by)));
        assert_eq!(writable, [false, false, true, true], "what lies after it is not constant");
        assert!(memory.is_writable(text));
        memory.release_heap(text).expect("it lives");
        assert_eq!(asked(memory), [false; 4], "it is dead");
    });
}
