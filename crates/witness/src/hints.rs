//! The inputs that a violation witness names: values of equations at places where the program takes an input. A hint may
//! be wrong; running the program with them shows whether they lead anywhere.

use crate::code::Code;
use crate::model::{Action, Content, Waypoint, WaypointKind, Witness};
use base::Span;
use cfa::{DataModel, FloatKind, Program, Scalar};

/// A value for an input that is taken on these lines.
#[derive(Clone, PartialEq, Debug)]
pub struct Hint {
    /// The file.
    pub file: String,
    /// The first line of the statement or call.
    pub first: u32,
    /// Its last line.
    pub last: u32,
    /// The value.
    pub value: Number,
}

/// A literal of C.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// Of an integer type.
    Int(i128),
    /// Of a floating type.
    Float(f64),
}

impl Number {
    /// Its encoding as a value of a type, perhaps with more bits set than the type has; `None` for types that
    /// literals do not have.
    pub fn bits(self, ty: Scalar) -> Option<u128> {
        let float = match self {
            Number::Int(value) => value as f64,
            Number::Float(value) => value,
        };
        match (ty, self) {
            (Scalar::Bool | Scalar::Int { .. }, Number::Int(value)) => Some(value as u128),
            (Scalar::Ptr, Number::Int(0)) => Some(0),
            (Scalar::Float(FloatKind::F16), _) => {
                let double = Scalar::Float(FloatKind::F64);
                semantics::scalar::cast(DataModel::Lp64, double, ty, float.to_bits().into())
            }
            (Scalar::Float(FloatKind::F32), _) => Some(u128::from((float as f32).to_bits())),
            (Scalar::Float(FloatKind::F64), _) => Some(u128::from(float.to_bits())),
            (Scalar::Bool | Scalar::Int { .. } | Scalar::Ptr | Scalar::Float(_), _) => None,
        }
    }
}

/// All hints of a witness, in order.
pub fn hints(witness: &Witness, program: &Program) -> Vec<Hint> {
    let Content::Violation(segments) = &witness.content else { return Vec::new() };
    let code = Code::new(&program.sources, &program.names);
    let is_graphml = witness.metadata.format_version == "1.0";
    let followed =
        segments.iter().flatten().filter(|waypoint| matches!(waypoint.action, Action::Follow | Action::Cycle));
    followed.filter_map(|waypoint| hint(program, &code, waypoint, is_graphml)).collect()
}

fn hint(program: &Program, code: &Code, waypoint: &Waypoint, is_graphml: bool) -> Option<Hint> {
    let at = &waypoint.location;
    let (_, value) = waypoint.constraint.as_deref()?.split_once("==")?;
    let value = number(value)?;
    match waypoint.kind {
        WaypointKind::FunctionReturn => Some(Hint { file: at.file.clone(), first: at.line, last: at.line, value }),
        WaypointKind::Assumption => {
            let statements = code.on_line(&at.file, at.line);
            let starts = |start: u32| at.column.is_none_or(|column| code.column(start) == column);
            let here = statements.iter().find(|statement| starts(statement.span.start))?;
            // The condition holds after the statement that takes the input.
            let span = match is_graphml {
                true => here.span,
                false => code.statements.iter().find(|before| before.next == Some(here.span.start))?.span,
            };
            let last = Span { start: span.end - 1, end: span.end };
            let line = |span: Span| program.sources.position(span).line;
            Some(Hint { file: at.file.clone(), first: line(span), last: line(last), value })
        }
        WaypointKind::Branching | WaypointKind::FunctionEnter | WaypointKind::Target => None,
    }
}

/// A literal, perhaps negative or in parentheses, or `(-2147483647 - 1)`.
fn number(text: &str) -> Option<Number> {
    let text = text.trim().trim_end_matches(';').trim();
    if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        return number(inner);
    }
    if let Some((left, right)) = text.split_once(" - ") {
        return match (number(left)?, number(right)?) {
            (Number::Int(left), Number::Int(right)) => left.checked_sub(right).map(Number::Int),
            _ => None,
        };
    }
    if let Some(positive) = text.strip_prefix('-') {
        return number(positive).map(|value| match value {
            Number::Int(value) => Number::Int(-value),
            Number::Float(value) => Number::Float(-value),
        });
    }
    let lower = text.to_ascii_lowercase();
    match lower.strip_prefix("0x") {
        Some(digits) if digits.contains('p') => hexadecimal(digits).map(Number::Float),
        Some(digits) => i128::from_str_radix(digits.trim_end_matches(['u', 'l']), 16).ok().map(Number::Int),
        None => {
            let whole = lower.trim_end_matches(['u', 'l']).parse().ok().map(Number::Int);
            whole.or_else(|| lower.trim_end_matches(['f', 'l']).parse().ok().map(Number::Float))
        }
    }
}

/// `1.8p3`, after the `0x`.
fn hexadecimal(digits: &str) -> Option<f64> {
    let (mantissa, exponent) = digits.trim_end_matches(['f', 'l']).split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let bits = u64::from_str_radix(&format!("{whole}{fraction}"), 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    // Two steps, because the power alone may be too small for the type.
    Some(bits as f64 * 2_f64.powi(exponent / 2) * 2_f64.powi(exponent - exponent / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals() {
        let int = |value| Some(Number::Int(value));
        let float = |value| Some(Number::Float(value));
        for (text, expected) in [
            ("7", int(7)),
            (" (-5) ", int(-5)),
            ("(-2147483647 - 1)", int(-2147483648)),
            ("18446744073709551615ULL", int(u64::MAX.into())),
            ("0x10u", int(16)),
            ("0x1.8000000000000p1", float(3.0)),
            ("(-0x1.0000000000000p-1f)", float(-0.5)),
            ("2.5f", float(2.5)),
            ("y", None),
            ("(void *)0", None),
            ("", None),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
        assert_eq!(Number::Int(-1).bits(Scalar::int(32, true)).map(|bits| bits as u32), Some(u32::MAX));
        assert_eq!(Number::Float(0.5).bits(Scalar::Float(FloatKind::F32)), Some(0x3f00_0000));
    }
}
