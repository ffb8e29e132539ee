//! `sscanf` with a literal format, and in executions `scanf` and `fscanf`: a call of a model for each directive
//! (`models/scan.c`).

use crate::context::{CalleeId, Lowering, Lowers, Value};
use crate::expr::Want;
use cfa::types::Type;
use cfa::{ExprId, Op, Scalar, Source, standard};
use syntax::ast::{self, List};

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Directive {
    Blanks,
    Character(u8),
    Conversion { letter: u8, set: Vec<u8>, stores: bool, width: u64, bytes: u64 },
}

/// How many bytes a conversion without a width may read.
const ANY: u64 = 0x7fff_ffff;

impl Lowering<'_> {
    pub fn scan_text(&mut self, callee: CalleeId, args: List<ast::ExprId>, want: Want) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let void_ptr = self.basic.void_ptr;
        let text = self.convert(values[0], void_ptr, self.here)?.expr;
        let text = self.spill(void_ptr, text);
        let nothing = self.null();
        self.scan_from(callee, [text, nothing], &values[1..], want)
    }

    /// `scanf` and `fscanf` of an execution; the format is at this position.
    pub fn scan_input(&mut self, callee: CalleeId, args: List<ast::ExprId>, at: usize, want: Want) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let void_ptr = self.basic.void_ptr;
        let nothing = self.null();
        let stream = match at {
            0 => nothing,
            _ => self.convert(values[0], void_ptr, self.here)?.expr,
        };
        self.scan_from(callee, [nothing, stream], &values[at..], want)
    }

    fn scan_from(
        &mut self,
        callee: CalleeId,
        [text, stream]: [ExprId; 2],
        values: &[Value],
        want: Want,
    ) -> Lowers<Value> {
        let int = self.basic.int;
        let (format, targets) = values.split_first().expect("the number of arguments was checked");
        let pointers = targets.iter().all(|target| self.scalar_of(target.expr) == Scalar::Ptr);
        let word = u64::from(self.program.model.pointer_bits() / 8);
        let literal = self.literal_text(format.expr).filter(|_| pointers);
        if self.scans_unseen(literal.as_deref()) {
            return Ok(self.unsupported_value("memory that sscanf allocates", int));
        }
        let directives = literal.and_then(|format| directives(&format, word));
        let stored = |list: &Vec<Directive>| {
            list.iter().filter(|one| matches!(one, Directive::Conversion { stores: true, .. })).count()
        };
        let Some(directives) = directives.filter(|list| stored(list) == targets.len()) else {
            return self.scan_anything(callee, targets, want);
        };
        let mut targets: Vec<ExprId> = targets.iter().map(|target| self.spill(target.ty, target.expr)).collect();
        targets.reverse();
        let (llong, void) = (self.basic.llong, self.basic.void);
        let ty = self.intern(Type::Array(llong, 5));
        let source = self.temporary_object(ty, 40);
        let source = self.addr(source);
        self.call_model("__model_scan_begin", &[source, text, stream], void);
        for directive in directives {
            self.directive(source, directive, &mut targets);
        }
        Ok(Value { ty: int, expr: self.call_model("__model_scan_end", &[source], int) })
    }

    fn directive(&mut self, source: ExprId, directive: Directive, targets: &mut Vec<ExprId>) {
        let void = self.basic.void;
        let (letter, set, stores, width, bytes) = match directive {
            Directive::Blanks => {
                self.call_model("__model_scan_blanks", &[source], void);
                return;
            }
            Directive::Character(byte) => {
                let byte = self.number(Scalar::INT, byte.into());
                self.call_model("__model_scan_literal", &[source, byte], void);
                return;
            }
            Directive::Conversion { letter, set, stores, width, bytes } => (letter, set, stores, width, bytes),
        };
        let to = if stores { targets.pop().expect("they were counted") } else { self.null() };
        let (bytes, width) = (self.number(Scalar::INT, bytes.into()), self.size_const(width));
        match letter {
            b'c' => _ = self.call_model("__model_scan_chars", &[source, to, width], void),
            b's' => _ = self.call_model("__model_scan_word", &[source, to, width], void),
            b'[' => {
                let set = self.text_object(set);
                self.call_model("__model_scan_set", &[source, to, set, width], void);
            }
            b'n' => _ = self.call_model("__model_scan_count", &[source, to, bytes], void),
            b'f' => _ = self.call_model("__model_scan_float", &[source, to, bytes, width], void),
            _ => {
                let base = match letter {
                    b'i' => 0,
                    b'o' => 8,
                    b'x' => 16,
                    _ => 10,
                };
                let (base, signed) = (self.int_value(base).expr, self.int_value((letter < b'j').into()).expr);
                self.call_model("__model_scan_integer", &[source, to, bytes, base, signed, width], void);
            }
        }
    }

    /// A format that is not a literal, or not modelled: the targets become arbitrary.
    fn scan_anything(&mut self, callee: CalleeId, targets: &[Value], want: Want) -> Lowers<Value> {
        let (name, int) = (self.callees[callee].name, self.basic.int);
        let text = self.text(name).to_owned();
        let writable = targets.iter().all(|target| self.scalar_of(target.expr) == Scalar::Ptr);
        if self.options.running || !writable {
            return Ok(self.unsupported_value(&format!("the format of {text}"), int));
        }
        let unknown = Source::Extern(self.program.names.intern(standard::SCANNED_STRING));
        for target in targets {
            self.emit(Op::HavocMemory { to: target.expr, size: None, source: unknown });
        }
        self.set_any_errno_perhaps();
        Ok(self.arbitrary_result(int, unknown, want))
    }
}

/// The directives of a format; `None` if there is one that is not known.
fn directives(format: &[u8], word: u64) -> Option<Vec<Directive>> {
    let is_blank = |byte: u8| byte == b' ' || (b'\t'..=b'\r').contains(&byte);
    let mut found = Vec::new();
    let mut at = 0;
    while at < format.len() {
        let byte = format[at];
        at += 1;
        if is_blank(byte) {
            if found.last() != Some(&Directive::Blanks) {
                found.push(Directive::Blanks);
            }
        } else if byte != b'%' {
            found.push(Directive::Character(byte));
        } else if format.get(at) == Some(&b'%') {
            found.extend([Directive::Blanks, Directive::Character(b'%')]);
            at += 1;
        } else {
            found.push(conversion(format, &mut at, word)?);
        }
    }
    Some(found)
}

/// How many bytes an integer has that is read with these letters before the conversion's own; `word` is what `long` has.
pub(crate) fn integer_bytes(length: &[u8], word: u64) -> Option<u64> {
    match length {
        b"hh" => Some(1),
        b"h" => Some(2),
        b"" => Some(4),
        b"l" | b"z" | b"t" => Some(word),
        b"ll" | b"L" | b"q" | b"j" => Some(8),
        _ => None,
    }
}

fn conversion(format: &[u8], at: &mut usize, word: u64) -> Option<Directive> {
    let stores = format.get(*at) != Some(&b'*');
    *at += usize::from(!stores);
    let digits = format[*at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let width: Option<u64> = std::str::from_utf8(&format[*at..*at + digits]).ok()?.parse().ok();
    *at += digits;
    let letters = format[*at..].iter().take_while(|byte| b"hlLqjzt".contains(byte)).count();
    let length = &format[*at..*at + letters];
    *at += letters;
    let letter = *format.get(*at)?;
    *at += 1;
    let integer = integer_bytes(length, word)?;
    let mut set = Vec::new();
    let (letter, bytes) = match (letter, length) {
        (b'd' | b'i' | b'u' | b'o' | b'n', _) => (letter, integer),
        (b'x' | b'X', _) => (b'x', integer),
        (b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G', b"") => (b'f', 4),
        (b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G', b"l") => (b'f', 8),
        (b'a' | b'e' | b'f' | b'g' | b'A' | b'E' | b'F' | b'G', b"L") => (b'f', 16),
        (b'c' | b's', b"") => (letter, 1),
        (b'[', b"") => {
            let start = *at;
            *at += usize::from(format.get(*at) == Some(&b'^'));
            *at += usize::from(format.get(*at) == Some(&b']'));
            *at += format.get(*at..)?.iter().position(|&byte| byte == b']')? + 1;
            set = format[start..*at - 1].to_vec();
            (letter, 1)
        }
        _ => return None,
    };
    let width = match (width, letter) {
        (Some(0), _) => return None,
        (Some(width), _) => width,
        (None, b'c') => 1,
        (None, _) => ANY,
    };
    Some(Directive::Conversion { letter, set, stores, width, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_taken_apart() {
        let found = directives(b"%d , %3s%*c%[^]a]%lf", 8).expect("all of it is known");
        assert_eq!(found[1..4], [Directive::Blanks, Directive::Character(b','), Directive::Blanks]);
        let conversion = |letter, set: &[u8], stores, width, bytes| Directive::Conversion {
            letter,
            set: set.to_vec(),
            stores,
            width,
            bytes,
        };
        assert_eq!(found[0], conversion(b'd', b"", true, ANY, 4));
        assert_eq!(found[4], conversion(b's', b"", true, 3, 1));
        assert_eq!(found[5], conversion(b'c', b"", false, 1, 1));
        assert_eq!(found[6], conversion(b'[', b"^]a", true, ANY, 1));
        assert_eq!(found[7], conversion(b'f', b"", true, ANY, 8));
        assert_eq!(directives(b"%ls", 8), None);
        assert_eq!(directives(b"%[a", 8), None);
    }
}
