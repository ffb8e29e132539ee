//! The bytes of objects: which of them hold something, which were written, and the pointers among them.

use super::memory::Memory;
use super::object::{Contents, Fault, Kind};
use super::value::{Origin, Value};
use crate::choices::{Choices, Draws, Replayer};
use base::{Interner, SourceMap};
use cfa::{DataModel, Living, Program, Scalar};

/// More bytes than two words of a bitmap have.
const SIZE: u64 = 150;
/// Ranges inside words, up to their ends, across them and over whole ones.
const RANGES: [(u64, u64); 9] = [(0, 1), (0, 64), (5, 3), (60, 4), (60, 8), (63, 2), (64, 1), (30, 100), (SIZE - 1, 1)];

/// Runs `f` on a memory that knows which bytes were written; arbitrary bytes are 0x5A.
fn with_memory<T>(f: impl FnOnce(&mut Memory, &mut Draws<'_>) -> T) -> T {
    let mut program = Program::new(DataModel::Lp64, Interner::default(), SourceMap::new());
    let null = program.exprs.int(Scalar::Ptr, 0);
    program.exprs.living(Living::Written(null));
    let places = (0..4).flat_map(|birth| (0..SIZE).map(move |offset| (birth, offset)));
    let choices = Choices { bytes: places.map(|place| (place, 0x5A)).collect(), ..Choices::default() };
    let mut replayer = Replayer::new(&choices);
    let mut draws = Draws::new(&mut replayer, DataModel::Lp64, false);
    f(&mut Memory::new(&program), &mut draws)
}

fn create(memory: &mut Memory, draws: &mut Draws<'_>, contents: Contents) -> Value {
    memory.create(SIZE, 8, Kind::Heap, contents, draws).expect("there is room")
}

fn moved(pointer: Value, by: u64) -> Value {
    Value { bits: pointer.bits + by, ..pointer }
}

/// Which bytes hold something, and which were written: exactly these.
fn check(memory: &Memory, object: Value, is_written: impl Fn(u64) -> bool, what: &str) {
    for at in 0..SIZE {
        for bytes in [1, 2, 4, 8] {
            let inside = at + bytes <= SIZE;
            let expected = inside && (at..at + bytes).all(&is_written);
            let found = memory.load_fast(object, at as i32, bytes).is_some();
            assert_eq!(found, expected, "{bytes} bytes at {at} of {what}");
        }
        // Bytes past the end of the object are not asked about.
        let written = (at..SIZE).take(8).take_while(|at| is_written(*at)).count() as u64;
        let expected = if at + written == SIZE { 8 } else { written };
        assert_eq!(memory.written(moved(object, at), 8), expected, "from {at} on of {what}");
    }
}

#[test]
fn what_is_written_holds_something() {
    for (start, length) in RANGES {
        let written = |at: u64| (start..start + length).contains(&at);
        let bytes = vec![7; length as usize];
        with_memory(|memory, draws| {
            let [by_write, by_fill] = [(); 2].map(|()| create(memory, draws, Contents::Undefined));
            check(memory, by_write, |_| false, "what is new");
            memory.write(moved(by_write, start), &bytes).expect("inside");
            memory.fill(moved(by_fill, start), 7, length).expect("inside");
            for object in [by_write, by_fill] {
                check(memory, object, written, &format!("{length} bytes at {start}"));
                assert_eq!(memory.load(moved(object, start), 1, draws), Ok((7, Origin::NONE)));
            }
            let outside = create(memory, draws, Contents::Outside);
            assert_eq!(memory.written(outside, 8), 8, "it was written outside the program");
            // Reading draws a byte: it holds something from then on, but it was never written.
            let (first, last) = (create(memory, draws, Contents::Undefined), SIZE - 1);
            assert_eq!(memory.load(moved(first, last), 1, draws), Ok((0x5A, Origin::NONE)));
            assert!(memory.load_fast(first, last as i32, 1).is_some() && memory.written(moved(first, last), 1) == 0);
        });
    }
}

/// A copy has as many written bytes as what it was made of, whatever was there before.
#[test]
fn copies_of_unwritten_bytes_are_unwritten() {
    for (start, length) in RANGES {
        for (from, to) in [(0, 0), (3, 0), (0, 5), (64, 1)] {
            with_memory(|memory, draws| {
                let (source, target) =
                    (create(memory, draws, Contents::Undefined), create(memory, draws, Contents::Zero));
                check(memory, target, |_| true, "what is zero");
                memory.fill(moved(source, start), 7, length).expect("inside");
                let size = SIZE - from.max(to);
                memory.copy(moved(target, to), moved(source, from), size, draws).expect("inside");
                for at in 0..SIZE {
                    let copied = (to..to + size).contains(&at);
                    let is_written = !copied || (start..start + length).contains(&(at + from - to));
                    let what = format!("byte {at}, {length} bytes at {start} copied from {from} to {to}");
                    assert_eq!(memory.written(moved(target, at), 1) == 1, is_written, "{what}");
                    let expected = if !copied {
                        0
                    } else if is_written {
                        7
                    } else {
                        0x5A
                    };
                    let found = memory.load(moved(target, at), 1, draws).map(|(bits, _)| bits);
                    assert_eq!(found, Ok(expected), "{what}");
                }
            });
        }
    }
}

/// The origin of a pointer stays with all of its bytes: what is copied by another distance than whole pointers, or
/// changed in part, is a plain number.
#[test]
fn pointers_keep_their_origin_as_a_whole() {
    type Step = fn(&mut Memory, &mut Draws<'_>, Value);
    let rows: [(&str, Step, u64, bool); 11] = [
        ("nothing", |_, _, _| {}, 16, true),
        ("a copy", |memory, draws, at| memory.copy(moved(at, 64), moved(at, 8), 24, draws).expect("inside"), 72, true),
        (
            "all of it",
            |memory, draws, at| memory.copy(moved(at, 64), moved(at, 16), 8, draws).expect("inside"),
            64,
            true,
        ),
        (
            "seven bytes",
            |memory, draws, at| memory.copy(moved(at, 64), moved(at, 16), 7, draws).expect("inside"),
            64,
            false,
        ),
        (
            "its end",
            |memory, draws, at| memory.copy(moved(at, 65), moved(at, 17), 15, draws).expect("inside"),
            64,
            false,
        ),
        (
            "elsewhere",
            |memory, draws, at| memory.copy(moved(at, 60), moved(at, 16), 8, draws).expect("inside"),
            60,
            false,
        ),
        ("the byte before", |memory, _, at| memory.write(moved(at, 15), &[1]).expect("inside"), 16, true),
        ("the first byte", |memory, _, at| memory.write(moved(at, 16), &[1]).expect("inside"), 16, false),
        ("the last byte", |memory, _, at| memory.fill(moved(at, 23), 1, 1).expect("inside"), 16, false),
        ("the byte after it", |memory, _, at| memory.fill(moved(at, 24), 1, 1).expect("inside"), 16, true),
        ("a fast store", |memory, _, at| assert!(memory.store_fast(at, 20, 4, Value::number(1))), 16, false),
    ];
    for (what, step, place, keeps) in rows {
        with_memory(|memory, draws| {
            let (holder, object) = (create(memory, draws, Contents::Zero), create(memory, draws, Contents::Zero));
            memory.store(moved(holder, 16), 8, u128::from(object.bits), object.origin).expect("inside");
            step(memory, draws, holder);
            let origin = memory.load(moved(holder, place), 8, draws).expect("inside").1;
            assert_eq!(origin == object.origin, keeps, "{what}");
            assert!(keeps || origin == Origin::NONE, "{what}");
            let fast = memory.load_fast(holder, place as i32, 8).expect("it holds something");
            assert_eq!(fast.origin, origin, "{what}");
        });
    }
}

/// Large objects are held as far as they were touched.
#[test]
fn untouched_bytes_are_what_the_object_began_with() {
    with_memory(|memory, draws| {
        let mut large = |contents| memory.create(1 << 33, 8, Kind::Heap, contents, draws).expect("there is room");
        let (zero, unknown) = (large(Contents::Zero), large(Contents::Undefined));
        for at in [5, 4095, 4096, 70_000] {
            memory.store(moved(zero, at), 1, 9, Origin::NONE).expect("inside");
            assert_eq!(memory.load(moved(zero, at + 1), 1, draws), Ok((0, Origin::NONE)));
            assert_eq!(memory.load(moved(zero, at), 1, draws), Ok((9, Origin::NONE)));
            assert_eq!([memory.written(moved(zero, at), 1), memory.written(moved(unknown, at), 1)], [1, 0]);
        }
        let limit = 1 << 31;
        assert_eq!(memory.store(moved(zero, limit), 1, 9, Origin::NONE), Err(Fault::TooLarge));
    });
}
