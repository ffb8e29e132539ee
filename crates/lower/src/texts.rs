//! Texts that output functions read and write, where memory is checked. The interpreter executes these functions as a whole, so
//! what they access is said in operations before: the texts that `%s` and `puts` read are walked by a model in C, and
//! what `sprintf` writes is filled with zeros first, as far as the text to come is long. How long that is, is what
//! `snprintf(0, 0, ...)` returns; analyses know it as far as the format tells.

use crate::context::{Lowering, Value};
use cfa::{BinOp, Check, DataModel, ExprId, Library, Op, Scalar};
use semantics::formats::{Amount, FormatSpec, Length as SpecLength};

/// A conversion of a format, but for `%%`.
#[derive(Debug, PartialEq, Eq)]
struct Conversion {
    letter: u8,
    /// Which argument after the format.
    position: usize,
    width: Number,
    precision: Number,
    /// Bytes of an integer.
    bytes: u64,
    /// Whether something is grouped or prefixed.
    is_adorned: bool,
}

/// A number in a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    None,
    Known(u64),
    /// That argument after the format.
    Given(usize),
}

/// A format: how many characters stand for themselves, and the rest.
struct Format {
    plain: u64,
    conversions: Vec<Conversion>,
}

/// How long a text gets: at least and at most, apart from other texts in it.
struct Length {
    least: u64,
    most: Option<u64>,
    texts: Vec<ExprId>,
}

/// Which arguments of an output function are pointers: gcc knows that without a declaration.
pub fn pointers(library: Library) -> &'static [usize] {
    match library {
        Library::Puts | Library::Perror | Library::Printf | Library::Vprintf => &[0],
        Library::Putc | Library::Fputc => &[1],
        Library::Fputs | Library::Fprintf | Library::Vfprintf | Library::Sprintf | Library::Vsprintf => &[0, 1],
        Library::Snprintf | Library::Vsnprintf => &[0, 2],
        _ => &[],
    }
}

/// Where the stream is that is written, unless it is standard output.
fn stream_of(library: Library) -> Option<usize> {
    match library {
        Library::Fprintf | Library::Vfprintf => Some(0),
        Library::Putc | Library::Fputc | Library::Fputs => Some(1),
        _ => None,
    }
}

/// Where the format is, and if the text stays in memory, where the argument is that limits it.
fn format_and_target(library: Library) -> Option<(usize, Option<Option<usize>>)> {
    match library {
        Library::Printf | Library::Vprintf => Some((0, None)),
        Library::Fprintf | Library::Vfprintf => Some((1, None)),
        Library::Sprintf | Library::Vsprintf => Some((1, Some(None))),
        Library::Snprintf | Library::Vsnprintf => Some((2, Some(Some(1)))),
        _ => None,
    }
}

/// Whether what is printed is among the arguments, not in a `va_list`.
fn is_listed(library: Library) -> bool {
    !library.name().starts_with('v')
}

impl Lowering<'_> {
    /// An output function is called with these arguments: accesses what it accesses.
    pub fn access_texts(&mut self, library: Library, values: &[Value]) {
        if !self.checks_memory() {
            return;
        }
        if let Some(&stream) = stream_of(library).and_then(|at| values.get(at)) {
            self.call_model("__model_stream", &[stream.expr], self.basic.void);
        }
        if let (Library::Puts | Library::Fputs | Library::Perror, Some(text)) = (library, values.first()) {
            self.read_text(text.expr, None);
        }
        let Some((format, to)) = format_and_target(library) else { return };
        let Some(first) = values.get(format).copied() else { return };
        let listed = is_listed(library);
        let text = self.literal_text(first.expr).filter(|_| listed);
        let length = match text {
            Some(text) => {
                let format_of = Format::new(&text, self.program.model);
                self.read_arguments(&format_of, &values[format + 1..])
            }
            None => {
                let arguments = &values[format + 1..];
                let slots = if listed { self.variadic_area(arguments) } else { self.listed_area(arguments) };
                self.call_model("__model_listed_texts", &[first.expr, slots], self.basic.void);
                Length { least: 0, most: None, texts: Vec::new() }
            }
        };
        if let Some(limit) = to {
            let measure = if listed { Library::Snprintf } else { Library::Vsnprintf };
            self.make_room(measure, values, format, limit, &length);
        }
    }

    /// The stream that an output function writes, if that may not be open for writing.
    pub fn stream_to_ask(&mut self, library: Library, values: &mut [Value]) -> Option<ExprId> {
        let stream = stream_of(library).and_then(|at| values.get_mut(at))?;
        let is_pointer = self.scalar_of(stream.expr) == Scalar::Ptr;
        if self.options.running || !is_pointer || self.is_standard_output(stream.expr) {
            return None;
        }
        stream.expr = self.spill(stream.ty, stream.expr);
        Some(stream.expr)
    }

    /// What a stream still has to put out decides what `setvbuf` does.
    pub fn note_output(&mut self, library: Library) {
        let writes = stream_of(library).is_some()
            || matches!(library, Library::Printf | Library::Vprintf | Library::Puts | Library::Putchar);
        if writes && !self.options.running && self.mentions(&["setvbuf"]) {
            let yes = self.number(Scalar::INT, 1);
            self.call_model("__model_waiting_output", &[yes], self.basic.int);
        }
    }

    /// Where the arguments lie that a `va_list` leads to: on LP64 its value is the address of a pointer to the next one.
    fn listed_area(&mut self, arguments: &[Value]) -> ExprId {
        let list = arguments.first().filter(|list| self.scalar_of(list.expr) == Scalar::Ptr);
        match (list, self.program.model) {
            (Some(list), DataModel::Lp64) => self.load(list.expr, Scalar::Ptr),
            (Some(list), DataModel::Ilp32) => list.expr,
            (None, _) => self.null(),
        }
    }

    /// Walks the texts among the arguments.
    fn read_arguments(&mut self, format: &Format, values: &[Value]) -> Length {
        let mut length = Length { least: format.plain, most: Some(format.plain), texts: Vec::new() };
        for conversion in &format.conversions {
            let Some(value) = values.get(conversion.position) else { continue };
            let is_text = matches!(conversion.letter, b's' | b'S') && self.scalar_of(value.expr) == Scalar::Ptr;
            let most = if is_text {
                let precision = match conversion.precision {
                    Number::None => None,
                    Number::Known(number) => Some(self.size_const(number)),
                    Number::Given(position) => match values.get(position) {
                        Some(number) => Some(self.precision(*number)),
                        None => continue,
                    },
                };
                if conversion.letter == b's' {
                    length.texts.push(self.read_text(value.expr, precision));
                    Some(0)
                } else {
                    self.read_wide_text(value.expr, precision);
                    None
                }
            } else {
                conversion.longest()
            };
            let most = most.filter(|_| !matches!(conversion.width, Number::Given(_)));
            let width = if let Number::Known(width) = conversion.width { width } else { 0 };
            length.most = length.most.zip(most).map(|(sum, most)| sum + most.max(width));
        }
        length
    }

    /// How many characters `%.*s` prints at most: a negative number means no limit.
    fn precision(&mut self, number: Value) -> ExprId {
        let size = self.program.model.size_type();
        let number = self.cast(number.expr, Scalar::INT);
        let zero = self.number(Scalar::INT, 0);
        let negative = self.binary(BinOp::Lt, number, zero);
        let (all, number) = (self.number(size, -1), self.cast(number, size));
        self.program.exprs.ite(negative, all, number)
    }

    /// Whether accesses of memory are checked.
    pub fn checks_memory(&self) -> bool {
        let checks = self.options.checks;
        [Check::Deref, Check::Bounds, Check::Null, Check::ReadOnly].into_iter().any(|check| checks.has(check))
    }

    /// Walks a text to its end, or as far as `most` says; its length.
    pub fn read_text(&mut self, text: ExprId, most: Option<ExprId>) -> ExprId {
        let scalar = self.program.model.size_type();
        let most = most.unwrap_or_else(|| self.number(scalar, -1));
        let name = self.program.names.intern("__text_length");
        self.model_functions.insert(name);
        let callee = self.implicit_function(name, self.here);
        let function = self.function(callee);
        let result = self.temporary(self.basic.size, scalar);
        self.emit(Op::Call { function, args: Box::new([text, most]), result: Some(result) });
        self.var(result)
    }

    /// Fills what the text will be written to; `measure` says how long it is.
    fn make_room(&mut self, measure: Library, values: &[Value], format: usize, limit: Option<usize>, length: &Length) {
        let (int, size) = (self.basic.int, self.program.model.size_type());
        let result = self.temporary(int, Scalar::INT);
        let (null, none) = (self.null(), self.size_const(0));
        let mut args = vec![null, none];
        args.extend(values[format..].iter().map(|value| value.expr));
        self.emit(Op::Library { function: measure, args: args.into(), result: Some(result) });
        let written = self.var(result);
        let written = self.cast(written, size);
        let texts = length.texts.iter().copied().reduce(|sum, text| self.binary(BinOp::Add, sum, text));
        let texts = texts.unwrap_or(none);
        let bound = |lower: &mut Self, number: u64| {
            let number = lower.size_const(number);
            lower.binary(BinOp::Add, texts, number)
        };
        let least = bound(self, length.least);
        let mut known = self.binary(BinOp::Le, least, written);
        if let Some(most) = length.most {
            let most = bound(self, most);
            let below = self.binary(BinOp::Le, written, most);
            known = self.binary(BinOp::And, known, below);
        }
        self.emit(Op::Assume(known));
        let one = self.size_const(1);
        let mut bytes = self.binary(BinOp::Add, written, one);
        if let Some(limit) = limit.and_then(|at| values.get(at)) {
            let limit = self.cast(limit.expr, size);
            let cut = self.binary(BinOp::Le, limit, written);
            bytes = self.program.exprs.ite(cut, limit, bytes);
        }
        let byte = self.number(Scalar::BYTE, 0);
        self.emit(Op::Fill { to: values[0].expr, byte, size: bytes });
    }
}

impl Conversion {
    /// How many characters there are at most, without the width.
    fn longest(&self) -> Option<u64> {
        let digits = match (self.letter, self.bytes) {
            (b'c', _) => return Some(1),
            (b'n', _) => return Some(0),
            (b'p', _) => return Some(18),
            (b'd' | b'i', 4) => 11,
            (b'd' | b'i', _) => 20,
            (b'u', 4) => 11,
            (b'u', _) => 21,
            (b'x' | b'X', 4) => 10,
            (b'x' | b'X', _) => 18,
            (b'o', 4) => 12,
            (b'o', _) => 23,
            _ => return None,
        };
        match self.precision {
            _ if self.is_adorned => None,
            Number::None => Some(digits),
            Number::Known(precision) => Some(digits.max(precision.saturating_add(3))),
            Number::Given(_) => None,
        }
    }
}

impl Format {
    fn new(text: &[u8], model: DataModel) -> Format {
        let mut format = Format { plain: 0, conversions: Vec::new() };
        let (mut at, mut position) = (0, 0);
        while at < text.len() {
            if text[at] != b'%' {
                (format.plain, at) = (format.plain + 1, at + 1);
                continue;
            }
            let found = FormatSpec::read(text, &mut at);
            let mut given = |amount: Amount| match amount {
                Amount::None => Number::None,
                Amount::Fixed(number) => Number::Known(number as u64),
                Amount::Star => {
                    position += 1;
                    Number::Given(position - 1)
                }
            };
            let (width, precision) = (given(found.width), given(found.precision));
            let Some(letter) = found.letter else { break };
            let (long, bytes) = match found.length {
                SpecLength::Char | SpecLength::Short | SpecLength::Int => (false, 4),
                SpecLength::Long if model == DataModel::Ilp32 => (true, 4),
                SpecLength::Long | SpecLength::LongLong | SpecLength::LongDouble | SpecLength::Pointer => (true, 8),
            };
            let is_adorned = found.grouped;
            if letter == b'%' {
                format.plain += 1;
            } else {
                // Wide characters may be several bytes each.
                let letter = match letter {
                    b's' if long => b'S',
                    b'c' if long => b'C',
                    letter => letter,
                };
                format.conversions.push(Conversion { letter, position, width, precision, bytes, is_adorned });
                position += 1;
            }
        }
        format
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many characters are sure, the letters with their arguments, and the longest text without other texts.
    fn check(text: &str, plain: u64, letters: &str, longest: Option<u64>) {
        let format = Format::new(text.as_bytes(), DataModel::Lp64);
        let shown: Vec<String> =
            format.conversions.iter().map(|one| format!("{}{}", char::from(one.letter), one.position)).collect();
        assert_eq!((format.plain, shown.join(" ").as_str()), (plain, letters), "{text}");
        let most = format.conversions.iter().map(|one| if one.letter == b's' { Some(0) } else { one.longest() });
        assert_eq!(most.sum::<Option<u64>>().map(|most| most + plain), longest, "{text}");
    }

    #[test]
    fn formats_are_read() {
        check("", 0, "", Some(0));
        check("a%%b\n", 4, "", Some(4));
        check("%d, %s", 2, "d0 s1", Some(13));
        check("%*d%-5.*ld", 0, "d1 d3", None);
        check("%5.2s%c%llx", 0, "s0 c1 x2", Some(19));
        check("%.30u%#o", 0, "u0 o1", Some(45));
        check("%f", 0, "f0", None);
        check("%ls", 0, "S0", None);
        check("100%", 3, "", Some(3));
    }
}
