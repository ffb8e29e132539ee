//! Statements of generated programs: the ways to write memory that are one or two lines. Longer ones are in `bodies`.

use super::bodies;
use super::maker::Maker;
use super::objects::{GeneratedObject, Range};

/// A statement, sometimes under a condition, in a loop or in a switch.
pub(super) fn wrapped(maker: &mut Maker) -> Vec<String> {
    let (input, _) = maker.input();
    match maker.below(12) {
        0 => block(format!("if ({input} & 1) {{"), statement(maker)),
        1 => {
            let mut lines = block(format!("if ({input} > 1) {{"), statement(maker));
            lines.pop();
            lines.extend(block("} else {".into(), statement(maker)));
            lines
        }
        2 => {
            let index = maker.fresh("i");
            block(format!("for (unsigned {index} = 0; {index} < {input} % 3u; {index}++) {{"), statement(maker))
        }
        3 => {
            let mut inner = Vec::new();
            for label in ["case 0:", "case 1:", "default:"] {
                inner.extend(block(format!("{label} {{"), statement(maker)));
                inner.push("break;".into());
            }
            block(format!("switch ({input}) {{"), inner)
        }
        _ => statement(maker),
    }
}

pub(super) fn block(head: String, inner: Vec<String>) -> Vec<String> {
    let inner = inner.into_iter().map(|line| format!("    {line}"));
    std::iter::once(head).chain(inner).chain(["}".to_owned()]).collect()
}

fn statement(maker: &mut Maker) -> Vec<String> {
    loop {
        let lines = match maker.below(26) {
            0 => Some(vec![format!("{} = {};", maker.place().text, maker.value())]),
            1 => Some(update(maker)),
            2..=4 => Some(set(maker)),
            5..=8 => copy(maker),
            9 => overlap(maker),
            10 | 11 => swap(maker),
            12 => other_width(maker),
            13 => Some(byte(maker)),
            14 => aggregate(maker),
            15 => Some(compare(maker)),
            16 => bodies::walk(maker),
            17 => bodies::alias(maker),
            18 => Some(bodies::table(maker)),
            19 => bodies::round_trip(maker),
            20 => Some(bodies::recursion(maker)),
            21 => Some(bodies::strings(maker)),
            22 => Some(bodies::float_bits(maker)),
            23 => Some(bodies::short_lived(maker)),
            24 => Some(bodies::scoped(maker)),
            _ => Some(bodies::kept(maker)),
        };
        if let Some(lines) = lines {
            return lines;
        }
    }
}

fn update(maker: &mut Maker) -> Vec<String> {
    let place = maker.place().text;
    let operator = *maker.pick(&["+=", "-=", "^=", "|=", "*=", "&="]);
    match maker.below(4) {
        0 => vec![format!("{place}++;")],
        1 => vec![format!("--{place};")],
        _ => vec![format!("{place} {operator} {};", maker.value())],
    }
}

fn range(maker: &mut Maker) -> Range {
    loop {
        if let GeneratedObject { range: Some(range), .. } = maker.object() {
            return range;
        }
    }
}

/// `start`, or some bytes after it; and how many bytes there are from there on.
fn within(maker: &mut Maker, range: &Range) -> (String, u64) {
    if range.size < 2 || !maker.one_in(2) {
        return (range.start.clone(), range.size);
    }
    let offset = 1 + maker.below(range.size - 1);
    if maker.one_in(2) {
        return (format!("(char *){} + {offset}", range.start), range.size - offset);
    }
    let index = maker.index(offset + 1);
    (format!("(char *){} + ({index})", range.start), range.size - offset)
}

/// memset of a constant or of an unknown size.
fn set(maker: &mut Maker) -> Vec<String> {
    let mut lines = Vec::new();
    let (range, value) = (range(maker), maker.below(256));
    let value = if maker.one_in(4) { maker.input().0 } else { value.to_string() };
    if maker.one_in(6) {
        return vec![format!("memset({}, {value}, {});", range.start, range.whole)];
    }
    let (start, most) = within(maker, &range);
    let size = maker.size(most, &mut lines);
    let function = if maker.one_in(3) { maker.own("fill") } else { "memset" };
    lines.push(format!("{function}({start}, {value}, {size});"));
    lines
}

/// Copies between two objects.
fn copy(maker: &mut Maker) -> Option<Vec<String>> {
    let (to, from) = (range(maker), range(maker));
    if to.start == from.start || !from.solid {
        return None;
    }
    let mut lines = Vec::new();
    let ((to, room), (from, there)) = (within(maker, &to), within(maker, &from));
    let size = maker.size(room.min(there), &mut lines);
    let function = match maker.below(6) {
        0 => maker.own("put"),
        1 => maker.own("copy_bytes"),
        2 => maker.own("shift"),
        3 => "memmove",
        _ => "memcpy",
    };
    lines.push(format!("{function}({to}, {from}, {size});"));
    Some(lines)
}

/// memmove within an object.
fn overlap(maker: &mut Maker) -> Option<Vec<String>> {
    let range = range(maker);
    if range.size < 3 || !range.solid {
        return None;
    }
    let mut lines = Vec::new();
    let (one, other) = (maker.below(range.size / 2 + 1), maker.below(range.size / 2 + 1));
    let size = maker.size(range.size - one.max(other), &mut lines);
    let function = if maker.one_in(3) { maker.own("shift") } else { "memmove" };
    lines.push(format!("{function}((char *){0} + {one}, (char *){0} + {other}, {size});", range.start));
    Some(lines)
}

/// Exchanges bytes of two objects through a buffer.
fn swap(maker: &mut Maker) -> Option<Vec<String>> {
    let (one, other) = (range(maker), range(maker));
    if one.start == other.start || !one.solid || !other.solid {
        return None;
    }
    let mut lines = Vec::new();
    let size = maker.size(one.size.min(other.size).min(8), &mut lines);
    let swap = maker.own("swap");
    lines.push(format!("{swap}({}, {}, {size});", one.start, other.start));
    Some(lines)
}

/// Writes some bytes of an object as an integer of another width.
fn other_width(maker: &mut Maker) -> Option<Vec<String>> {
    let elements = maker.elements()?;
    let int = maker.int();
    // The object is aligned for its elements, and for no more.
    if int.size > elements.int.size {
        return None;
    }
    let steps = elements.int.size * elements.length / int.size;
    let (index, value) = (maker.index(steps), maker.value());
    Some(vec![format!("(({} *){})[{index}] = {value};", int.name, elements.base)])
}

/// Writes one byte of an object.
fn byte(maker: &mut Maker) -> Vec<String> {
    let range = range(maker);
    let (index, value) = (maker.index(range.size), maker.value());
    if maker.one_in(3) {
        let (store, place) = (maker.own("store"), maker.place().text);
        return vec![format!("{place} = {store}((char *){} + ({index}), {value});", range.start)];
    }
    vec![format!("((unsigned char *){})[{index}] = {value};", range.start)]
}

/// Assigns whole structs, or passes one by value.
fn aggregate(maker: &mut Maker) -> Option<Vec<String>> {
    let (lvalue, ty) = maker.object().aggregate?;
    if maker.one_in(2) {
        let (change, value) = (maker.fresh("change"), maker.value());
        let function = format!("static {ty} {change}({ty} s, int v) {{ memset(&s, v, sizeof s / 2); return s; }}");
        maker.at_file(&change, function);
        return Some(vec![format!("{lvalue} = {change}({lvalue}, {value});")]);
    }
    let copy = maker.fresh("c");
    let (size, value) = (maker.below(3), maker.below(256));
    Some(vec![
        format!("{ty} {copy} = {lvalue};"),
        format!("memset(&{copy}, {value}, {size} * sizeof {copy} / 2);"),
        format!("{lvalue} = {copy};"),
    ])
}

/// What memcmp, memchr or a sum over bytes says.
fn compare(maker: &mut Maker) -> Vec<String> {
    let mut lines = Vec::new();
    let (place, one) = (maker.place().text, solid(maker));
    let other = solid(maker);
    let most = one.size.min(other.size);
    match maker.below(4) {
        0 => {
            let size = maker.size(most, &mut lines);
            lines.push(format!("{place} = memcmp({}, {}, {size}) < 0;", one.start, other.start));
        }
        1 => {
            let size = maker.size(one.size, &mut lines);
            let sum = maker.own("sum");
            lines.push(format!("{place} += {sum}({}, {size});", one.start));
        }
        2 => {
            let (at, index) = (maker.own("byte_at"), maker.index(one.size));
            lines.push(format!("{place} = {at}({}, {index});", one.start));
        }
        _ => {
            let (found, value) = (maker.fresh("q"), maker.below(9));
            lines.push(format!("char *{found} = memchr({}, {value}, {});", one.start, one.size));
            lines.push(format!("{place} = {found} ? {found} - (char *){} : 99;", one.start));
        }
    }
    lines
}

/// A range whose bytes may all be read; a string if there is no other.
pub(super) fn solid(maker: &mut Maker) -> Range {
    for _ in 0..8 {
        if let GeneratedObject { range: Some(range), .. } = maker.object()
            && range.solid
        {
            return range;
        }
    }
    let text = *maker.pick(&["\"abcdefgh\"", "\"\\1\\0\\3xyz\""]);
    Range { start: text.into(), size: 6, whole: "6".into(), solid: true }
}
