//! Longer statements of generated programs: loops, pointers that inputs choose, recursion, strings, short-lived memory.

use super::maker::Maker;
use super::objects::Lvalue;
use super::statements::block;

/// Walks over elements by index or by pointer.
pub(super) fn walk(maker: &mut Maker) -> Option<Vec<String>> {
    let elements = maker.elements()?;
    let (i, step, value) = (maker.fresh("i"), 1 + maker.below(2), maker.value());
    let (base, int, length) = (&elements.base, elements.int.name, elements.length);
    let (input, _) = maker.input();
    Some(match maker.below(5) {
        0 => vec![format!("for (int {i} = 0; {i} < {length}; {i} += {step}) {base}[{i}] = {i} * 7 + {input};")],
        1 => vec![format!(
            "for (unsigned {i} = 0; {i} < {input} && {i} < {length}; {i}++) {base}[{i}] ^= {};",
            maker.below(99)
        )],
        2 => vec![format!("for ({int} *{i} = {base}; {i} < {base} + {length}; {i}++) *{i} += {value};")],
        3 => vec![format!("for ({int} *{i} = {base} + {length}; {i}-- > {base}; ) *{i} = {i} - {base} + {input};")],
        _ => vec![format!(
            "for (unsigned char {i} = {}; {i}--; ) {base}[{i}] = {base}[{length} - 1 - {i}] + 1;",
            length - 1
        )],
    })
}

/// Writes through a pointer that an input chooses.
pub(super) fn alias(maker: &mut Maker) -> Option<Vec<String>> {
    let (pointer, one) = (maker.fresh("p"), maker.addressable());
    let other = (0..8).map(|_| maker.addressable()).find(|other| other.int == one.int && other.text != one.text)?;
    let ((input, _), value) = (maker.input(), maker.value());
    let (int, one, other) = (one.int.name, one.text, other.text);
    let mut lines = vec![format!("{int} *{pointer} = {input} & 1 ? &{one} : &{other};")];
    if maker.one_in(3) {
        let through = maker.fresh("p");
        lines.push(format!("{int} **{through} = &{pointer};"));
        lines.push(format!("if ({input} > 1) *{through} = &{one};"));
        lines.push(format!("**{through} = {value};"));
    } else {
        lines.push(format!("*{pointer} = {value};"));
        lines.push(format!("{other} += *{pointer};"));
    }
    Some(lines)
}

/// Bytes of several objects through a table of pointers.
pub(super) fn table(maker: &mut Maker) -> Vec<String> {
    let table = maker.fresh("tab");
    let places: Vec<Lvalue> = (0..3).map(|_| maker.addressable()).collect();
    let least = places.iter().map(|place| place.int.size).min().unwrap_or(1);
    let list: Vec<String> = places.iter().map(|place| format!("(unsigned char *)&{}", place.text)).collect();
    let (index, at, value, target) = (maker.index(3), maker.index(least), maker.value(), maker.place().text);
    let mut lines = vec![format!("unsigned char *{table}[3] = {{{}}};", list.join(", "))];
    lines.push(format!("{table}[{index}][{at}] = {value};"));
    let (index, at) = (maker.index(3), maker.index(least));
    lines.push(format!("{target} += {table}[{index}][{at}];"));
    lines
}

/// Pointers as integers and back.
pub(super) fn round_trip(maker: &mut Maker) -> Option<Vec<String>> {
    let (name, value, (input, _)) = (maker.fresh("w"), maker.value(), maker.input());
    if maker.one_in(2) {
        let elements = maker.elements()?;
        let (index, int) = (maker.index(elements.length), elements.int.name);
        return Some(vec![
            format!("unsigned long {name} = (unsigned long){};", elements.base),
            format!("{name} += ({index}) * sizeof({int});"),
            format!("*({int} *){name} = {value};"),
        ]);
    }
    // A bit of an aligned address holds something else for a while.
    let place = (0..8).map(|_| maker.addressable()).find(|place| place.int.size >= 2)?;
    let (int, place) = (place.int.name, place.text);
    if maker.one_in(2) {
        return Some(rebuilt(maker, int, &place, &value));
    }
    Some(vec![
        format!("unsigned long {name} = (unsigned long)&{place};"),
        format!("{name} |= {input} & 1;"),
        format!("if ({name} & 1) *({int} *)({name} - 1) = {value};"),
        format!("else *({int} *){name} += 1;"),
    ])
}

/// Writes through a pointer that was put together from parts of another.
fn rebuilt(maker: &mut Maker, int: &str, place: &str, value: &str) -> Vec<String> {
    let (pointer, copy, word) = (maker.fresh("p"), maker.fresh("q"), maker.fresh("w"));
    let mut lines = vec![format!("{int} *{pointer} = &{place}, *{copy};")];
    match maker.below(3) {
        0 => lines.push(format!(
            "for (unsigned i = 0; i < sizeof {pointer}; i++) ((char *)&{copy})[i] = ((char *)&{pointer})[i];"
        )),
        1 => {
            lines.push(format!("unsigned long {word} = (unsigned long){pointer} >> 8 << 8;"));
            lines.push(format!("{copy} = ({int} *)({word} | (unsigned long){pointer} & 255);"));
        }
        _ => {
            lines.push(format!("unsigned long {word} = 0;"));
            lines.push(format!("for (unsigned i = 0; i < 8 * sizeof {word}; i++)"));
            lines.push(format!("    if ((unsigned long){pointer} >> i & 1) {word} |= 1ul << i;"));
            lines.push(format!("{copy} = ({int} *){word};"));
        }
    }
    lines.push(format!("*{copy} = {value};"));
    lines
}

/// Locals with addresses in several frames of one function.
pub(super) fn recursion(maker: &mut Maker) -> Vec<String> {
    let (start, down, place) = (maker.fresh("l"), maker.own("down"), maker.place().text);
    let depth = maker.index(4);
    vec![format!("int {start} = {};", maker.value()), format!("{place} = {down}({depth}, &{start}) + {start};")]
}

/// Functions of strings over a buffer of their own.
pub(super) fn strings(maker: &mut Maker) -> Vec<String> {
    let (buffer, text, place) = (maker.fresh("z"), maker.fresh("z"), maker.place().text);
    let cut = maker.index(6);
    let mut lines = vec![
        format!(
            "char {buffer}[16] = \"{}\", {text}[8] = \"{}\";",
            maker.pick(&["abcabc", "hello", "xy"]),
            maker.pick(&["abcdefg", "b", "hellos"])
        ),
        format!("{text}[{cut}] = 0;"),
    ];
    match maker.below(6) {
        0 => lines.push(format!("strcpy({buffer}, {text});")),
        1 => {
            let size = maker.size(12, &mut lines);
            lines.push(format!("strncpy({buffer}, {text}, {size});"));
        }
        2 => lines.push(format!("strcat({buffer}, {text});")),
        3 => lines.push(format!("strcpy({buffer} + {}, {text});", maker.below(6))),
        4 => lines.push(format!("{buffer}[7] = strcmp({text}, {buffer}) < 0;")),
        _ => lines.push(format!("{buffer}[3] = strncmp({text}, {buffer}, {}) == 0;", maker.below(5))),
    }
    lines.push(match maker.below(3) {
        0 => format!("{place} = strlen({buffer});"),
        1 => format!("{place} = {buffer}[{}];", maker.index(8)),
        _ => format!("{place} = strchr({buffer}, 'b') ? strchr({buffer}, 'b') - {buffer} : 50;"),
    });
    lines
}

/// The bits of a float, also of one that is not a number.
pub(super) fn float_bits(maker: &mut Maker) -> Vec<String> {
    let (float, bits, place, (input, _)) = (maker.fresh("d"), maker.fresh("w"), maker.place().text, maker.input());
    match maker.below(3) {
        0 => vec![
            format!("unsigned {bits} = 0x7fc00000u + {input} * {};", 1 + maker.below(300)),
            format!("float {float}; memcpy(&{float}, &{bits}, sizeof {float});"),
            format!("float {float}copy = {float}; memcpy(&{bits}, &{float}copy, sizeof {bits});"),
            format!("{place} = {bits};"),
        ],
        1 => vec![
            format!("union {{ float f; unsigned char c[4]; }} {float} = {{.f = {input} + 0.5f}};"),
            format!("{place} = {float}.c[{}];", maker.index(4)),
        ],
        _ => vec![
            format!("double {float} = {input} / 4.0;"),
            format!("unsigned long long {bits}; memcpy(&{bits}, &{float}, sizeof {bits});"),
            format!("{place} = {bits} >> {};", maker.below(5) * 12),
        ],
    }
}

/// Memory that is allocated, grown or shrunk, read and freed.
pub(super) fn short_lived(maker: &mut Maker) -> Vec<String> {
    let (heap, int, place) = (maker.fresh("h"), maker.int().name, maker.place().text);
    let ((input, most), value) = (maker.input(), maker.value());
    let (first, second) = (1 + maker.below(3), 1 + maker.below(4));
    let mut inner = vec![
        format!("{int} *{heap} = malloc(({input} + {first}) * sizeof({int}));"),
        format!("for (unsigned i = 0; i < {input} + {first}; i++) {heap}[i] = i + {value};"),
        format!("{heap} = realloc({heap}, ({} + {second}) * sizeof({int}));", most),
        format!("for (unsigned i = {input} + {first}; i < {most} + {second}; i++) {heap}[i] = 5;"),
        format!("{place} = {heap}[{}];", maker.index(most + second)),
        format!("free({heap});"),
    ];
    if maker.one_in(2) {
        inner.drain(2..4);
        inner[2] = format!("{place} += {heap}[{}];", maker.index(first));
    }
    block("{".into(), inner)
}

/// A local that lives once for each iteration.
pub(super) fn scoped(maker: &mut Maker) -> Vec<String> {
    let (local, pointer, place, int) = (maker.fresh("l"), maker.fresh("p"), maker.place().text, maker.int().name);
    let (count, value) = (1 + maker.below(3), maker.value());
    block(
        format!("for (int i = 0; i < {count}; i++) {{"),
        vec![
            format!("{int} {local} = {value}, *{pointer} = &{local};"),
            format!("*{pointer} += i * {};", 1 + maker.below(40)),
            format!("{place} ^= {local};"),
        ],
    )
}

/// What a static variable of a function keeps between calls.
pub(super) fn kept(maker: &mut Maker) -> Vec<String> {
    let (keep, pointer, place) = (maker.own("keep"), maker.fresh("p"), maker.place().text);
    vec![
        format!("int *{pointer} = {keep}({});", maker.value()),
        format!("{pointer}[{}] += 1;", maker.index(2)),
        format!("{place} = {keep}(1)[1] + {pointer}[0];"),
    ]
}
