//! Mathematical functions that are expressions.

use crate::context::{Lowering, Lowers, Value};
use crate::errno::{EDOM, ERANGE};
use crate::expr::Want;
use cfa::types::Type;
use cfa::{BinOp, ExprId, FloatKind, Scalar, UnOp, VarId};
use syntax::ast::{self, List};

/// Which floating type a function computes in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FloatArg {
    Kind(FloatKind),
    /// That of its argument.
    Own,
}

/// What a mathematical function computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Math {
    Unary(UnOp),
    ToLong(UnOp),
    ToLongLong(UnOp),
    /// As the rounding mode says.
    AsSet,
    AsSetToLong,
    AsSetToLongLong,
    Min,
    Max,
    Rem,
    Dim,
    CopySign,
    Nan,
    Inf,
    IsNan,
    IsInf,
    /// 1, 0 or -1.
    IsInfSign,
    IsFinite,
    IsNormal,
    SignBit,
    /// With the values of glibc's `FP_NAN` and so on.
    Classify,
    /// With the values in the first five arguments.
    ClassifyAs,
    Greater,
    GreaterEqual,
    Less,
    LessEqual,
    LessGreater,
    Unordered,
}

impl Lowering<'_> {
    pub fn math(&mut self, math: Math, arg: FloatArg, args: List<ast::ExprId>) -> Lowers<Value> {
        let values = self.arguments(args)?;
        let span = self.here;
        let needed = match math {
            Math::Inf => 0,
            Math::Min | Math::Max | Math::Rem | Math::Dim | Math::CopySign => 2,
            Math::Greater | Math::GreaterEqual | Math::Less | Math::LessEqual => 2,
            Math::LessGreater | Math::Unordered => 2,
            Math::ClassifyAs => 6,
            _ => 1,
        };
        if values.len() < needed {
            return self.error(span, format!("expected {needed} arguments, found {}", values.len()));
        }
        let numbers = if math == Math::ClassifyAs { &values[5..6] } else { &values[..needed] };
        let numbers: Vec<Value> = numbers.iter().map(|&value| self.classified(math, value)).collect();
        let kind = self.float_kind(arg, &numbers);
        let ty = self.intern(Type::Float(kind));
        let floats: Vec<ExprId> = match math {
            Math::Nan | Math::Inf => Vec::new(),
            _ => numbers.iter().map(|&v| Ok(self.convert(v, ty, span)?.expr)).collect::<Lowers<_>>()?,
        };
        let x = floats.first().copied();
        let y = floats.get(1).copied();
        let expr = match (math, x, y) {
            (Math::Unary(op), Some(x), _) => {
                if op == UnOp::Sqrt {
                    self.rounds();
                    let zero = self.float_const(kind, "0");
                    let negative = self.binary(BinOp::Lt, x, zero);
                    self.set_errno_if(negative, EDOM);
                }
                self.unary_float(op, x)
            }
            (Math::ToLong(op), Some(x), _) => {
                let whole = self.unary(op, x);
                return Ok(self.whole(whole, self.basic.long));
            }
            (Math::ToLongLong(op), Some(x), _) => {
                let whole = self.unary(op, x);
                return Ok(self.whole(whole, self.basic.llong));
            }
            (Math::AsSet, Some(x), _) => self.rounded_as_set(x),
            (Math::AsSetToLong, Some(x), _) => {
                let whole = self.rounded_as_set(x);
                return Ok(self.whole(whole, self.basic.long));
            }
            (Math::AsSetToLongLong, Some(x), _) => {
                let whole = self.rounded_as_set(x);
                return Ok(self.whole(whole, self.basic.llong));
            }
            (Math::Min, Some(x), Some(y)) => {
                let less = self.binary(BinOp::Lt, x, y);
                self.min_max(less, x, y)
            }
            (Math::Max, Some(x), Some(y)) => {
                let greater = self.binary(BinOp::Lt, y, x);
                self.min_max(greater, x, y)
            }
            (Math::Rem, Some(x), Some(y)) => {
                let (zero, infinity) = (self.float_const(kind, "0"), self.infinity(kind));
                let (size, undefined) = (self.unary(UnOp::Abs, x), self.binary(BinOp::Eq, y, zero));
                let (infinite, x_nan) = (self.binary(BinOp::Eq, size, infinity), self.is_nan(x));
                let (number, y_nan) = (self.not(x_nan), self.is_nan(y));
                let (other, left) = (self.not(y_nan), self.binary(BinOp::And, undefined, number));
                let right = self.binary(BinOp::And, infinite, other);
                let fails = self.binary(BinOp::Or, left, right);
                self.set_errno_if(fails, EDOM);
                self.binary(BinOp::Rem, x, y)
            }
            (Math::Dim, Some(x), Some(y)) => {
                self.rounds();
                let (difference, zero) = (self.binary(BinOp::Sub, x, y), self.float_const(kind, "0"));
                let below = self.binary(BinOp::Le, x, y);
                let result = self.ite(below, zero, difference);
                self.range_error(kind, result, &[x, y]);
                result
            }
            (Math::CopySign, Some(x), Some(y)) => {
                let (sx, sy) = (self.unary(UnOp::SignBit, x), self.unary(UnOp::SignBit, y));
                let same = self.binary(BinOp::Eq, sx, sy);
                let negated = self.unary(UnOp::Neg, x);
                self.ite(same, x, negated)
            }
            (Math::Nan, ..) => match values.first().map(|text| self.literal_text(text.expr)) {
                Some(Some(text)) => self.positive_nan(kind, payload(&text)),
                Some(None) | None => return Ok(self.nan_of_text(ty, values[0])),
            },
            (Math::Inf, ..) => self.infinity(kind),
            (_, Some(x), y) => {
                let mut given = Vec::new();
                if math == Math::ClassifyAs {
                    for &value in &values[..5] {
                        given.push(self.convert(value, self.basic.int, span)?.expr);
                    }
                }
                return Ok(self.classification(math, kind, x, y, &given));
            }
            (_, None, _) => unreachable!("the number of arguments was checked"),
        };
        Ok(Value { ty, expr })
    }

    /// glibc sets `errno` where finite arguments give an infinite result.
    fn range_error(&mut self, kind: FloatKind, result: ExprId, args: &[ExprId]) {
        let infinity = self.infinity(kind);
        let size = self.unary(UnOp::Abs, result);
        let mut overflows = self.binary(BinOp::Eq, size, infinity);
        for &arg in args {
            let size = self.unary(UnOp::Abs, arg);
            let finite = self.binary(BinOp::Lt, size, infinity);
            overflows = self.binary(BinOp::And, overflows, finite);
        }
        self.set_errno_if(overflows, ERANGE);
    }

    /// What a transcendental function does to `errno`: `EDOM` where a NaN comes from none, `ERANGE` where infinity comes
    /// from finite arguments, and it is not specified where the result is very small.
    pub fn errors_of_math(&mut self, library: cfa::Library, result: VarId, args: &[ExprId]) {
        let Some(kind) = library.math().filter(|_| self.uses_errno() && library.sets_errno()) else { return };
        let result = self.var(result);
        let mut undefined = self.is_nan(result);
        for &arg in args {
            let nan = self.is_nan(arg);
            let number = self.not(nan);
            undefined = self.binary(BinOp::And, undefined, number);
        }
        self.set_errno_if(undefined, EDOM);
        self.range_error(kind, result, args);
        let (size, least) = (self.unary(UnOp::Abs, result), self.least_normal(kind));
        let small = self.binary(BinOp::Lt, size, least);
        let (yes, no) = self.fork(small);
        self.body.at = yes;
        // Another name than the function's: its result is exact, this is not.
        let name = self.program.names.intern(cfa::standard::UNDERFLOW);
        self.may_set_errno(name);
        let after = self.body.at;
        self.join(after, no);
        self.body.at = no;
    }

    /// What is known of the result of a transcendental function, whatever its arguments are.
    pub fn assume_range(&mut self, library: cfa::Library, result: VarId) {
        let Some((kind, (low, high))) = library.math().zip(range(library)) else { return };
        let result = self.var(result);
        let (low, high) = (self.float_const(kind, low), self.float_const(kind, high));
        let (above, below) = (self.binary(BinOp::Le, low, result), self.binary(BinOp::Le, result, high));
        let (within, nan) = (self.binary(BinOp::And, above, below), self.is_nan(result));
        let known = self.binary(BinOp::Or, nan, within);
        self.emit(cfa::Op::Assume(known));
    }

    /// Some NaN: which one is up to a text that is only known at run time.
    fn nan_of_text(&mut self, ty: cfa::types::TypeId, text: Value) -> Value {
        self.assume("nan() of a text that is not a literal gives an arbitrary NaN".to_owned());
        self.access_arguments("nan", &[text]);
        let source = cfa::Source::Extern(self.program.names.intern(cfa::standard::NAN_OF_TEXT));
        let value = self.arbitrary_result(ty, source, Want::Value);
        let is_nan = self.is_nan(value.expr);
        self.emit(cfa::Op::Assume(is_nan));
        value
    }

    fn float_kind(&self, arg: FloatArg, values: &[Value]) -> FloatKind {
        let own = values.iter().filter_map(|value| match self.scalar_of(value.expr) {
            Scalar::Float(kind) => Some(kind),
            Scalar::Bool | Scalar::Int { .. } | Scalar::Ptr => None,
        });
        crate::known::kind_of(arg).or(own.max()).unwrap_or(FloatKind::F64)
    }

    fn whole(&mut self, whole: ExprId, ty: cfa::types::TypeId) -> Value {
        let scalar = self.scalar(ty).expect("integers are scalars");
        Value { ty, expr: self.cast(whole, scalar) }
    }

    pub fn infinity(&mut self, kind: FloatKind) -> ExprId {
        self.float_const(kind, "inf")
    }

    /// The quiet NaN without sign that holds the payload, as far as it fits.
    fn positive_nan(&mut self, kind: FloatKind, payload: u128) -> ExprId {
        let sign = 1 << (kind.bits() - 1);
        let quiet = semantics::scalar::quiet_nan(kind) & !sign;
        let payload_bits = match kind {
            FloatKind::F16 => 9,
            FloatKind::F32 => 22,
            FloatKind::F64 => 51,
            FloatKind::X87 => 62,
            FloatKind::F128 => 111,
        };
        let bits = quiet | payload & semantics::scalar::mask(payload_bits);
        self.program.exprs.bits(Scalar::Float(kind), bits)
    }

    fn is_nan(&mut self, x: ExprId) -> ExprId {
        let equal = self.binary(BinOp::Eq, x, x);
        self.not(equal)
    }

    /// `wins ? x : y`, but a number wins over a NaN.
    fn min_max(&mut self, wins: ExprId, x: ExprId, y: ExprId) -> ExprId {
        let (x_nan, y_nan) = (self.is_nan(x), self.is_nan(y));
        let chosen = self.ite(wins, x, y);
        let chosen = self.ite(y_nan, x, chosen);
        self.ite(x_nan, y, chosen)
    }

    fn classification(&mut self, math: Math, kind: FloatKind, x: ExprId, y: Option<ExprId>, given: &[ExprId]) -> Value {
        let y = y.unwrap_or(x);
        let (size, infinity) = (self.unary(UnOp::Abs, x), self.infinity(kind));
        let truth = match math {
            Math::IsNan => self.is_nan(x),
            Math::IsInf => self.binary(BinOp::Eq, size, infinity),
            Math::IsFinite => self.binary(BinOp::Lt, size, infinity),
            Math::IsNormal => {
                let least = self.least_normal(kind);
                let (from, to) = (self.binary(BinOp::Le, least, size), self.binary(BinOp::Lt, size, infinity));
                self.binary(BinOp::And, from, to)
            }
            Math::SignBit => self.unary(UnOp::SignBit, x),
            Math::Greater => self.binary(BinOp::Lt, y, x),
            Math::GreaterEqual => self.binary(BinOp::Le, y, x),
            Math::Less => self.binary(BinOp::Lt, x, y),
            Math::LessEqual => self.binary(BinOp::Le, x, y),
            Math::LessGreater => {
                let (less, greater) = (self.binary(BinOp::Lt, x, y), self.binary(BinOp::Lt, y, x));
                self.binary(BinOp::Or, less, greater)
            }
            Math::Unordered => {
                let (a, b) = (self.is_nan(x), self.is_nan(y));
                self.binary(BinOp::Or, a, b)
            }
            Math::IsInfSign => {
                let (one, minus, zero) = (self.int(1), self.int(-1), self.int(0));
                let negative = self.unary(UnOp::SignBit, x);
                let sign = self.ite(negative, minus, one);
                let infinite = self.binary(BinOp::Eq, size, infinity);
                return Value { ty: self.basic.int, expr: self.ite(infinite, sign, zero) };
            }
            _ => {
                // The order of `__builtin_fpclassify`: nan, infinite, normal, subnormal, zero.
                let usual = [0, 1, 4, 3, 2].map(|class| self.int(class));
                let classes = <[ExprId; 5]>::try_from(given).unwrap_or(usual);
                return Value { ty: self.basic.int, expr: self.class(kind, x, size, classes) };
            }
        };
        self.truth_value(truth)
    }

    fn class(&mut self, kind: FloatKind, x: ExprId, size: ExprId, classes: [ExprId; 5]) -> ExprId {
        let [nan, infinite, normal, subnormal, zero] = classes;
        let (least, infinity, nothing) = (self.least_normal(kind), self.infinity(kind), self.float_const(kind, "0"));
        let is_zero = self.binary(BinOp::Eq, x, nothing);
        let is_small = self.binary(BinOp::Lt, size, least);
        let is_infinite = self.binary(BinOp::Eq, size, infinity);
        let is_nan = self.is_nan(x);
        let result = self.ite(is_small, subnormal, normal);
        let result = self.ite(is_zero, zero, result);
        let result = self.ite(is_infinite, infinite, result);
        self.ite(is_nan, nan, result)
    }

    fn least_normal(&mut self, kind: FloatKind) -> ExprId {
        self.float_const(
            kind,
            match kind {
                FloatKind::F16 => "0x1p-14",
                FloatKind::F32 => "0x1p-126",
                FloatKind::F64 => "0x1p-1022",
                FloatKind::X87 | FloatKind::F128 => "0x1p-16382",
            },
        )
    }

    fn int(&mut self, value: i128) -> ExprId {
        self.number(Scalar::INT, value)
    }
}

/// The least and the largest result that is a number.
fn range(library: cfa::Library) -> Option<(&'static str, &'static str)> {
    use cfa::Library as L;
    // Half of pi and pi, rounded to the format.
    let half = ("-0x1.921fb54442d18p0", "0x1.921fb54442d18p0");
    let half_single = ("-0x1.921fb6p0", "0x1.921fb6p0");
    Some(match library {
        L::Sin | L::Cos | L::Tanh | L::Sinf | L::Cosf | L::Tanhf => ("-1", "1"),
        L::Asin | L::Atan => half,
        L::Asinf | L::Atanf => half_single,
        L::Acos => ("0", "0x1.921fb54442d18p1"),
        L::Acosf => ("0", "0x1.921fb6p1"),
        L::Atan2 => ("-0x1.921fb54442d18p1", "0x1.921fb54442d18p1"),
        L::Atan2f => ("-0x1.921fb6p1", "0x1.921fb6p1"),
        L::Exp | L::Exp2 | L::Hypot | L::Expf | L::Exp2f | L::Hypotf => ("0", "inf"),
        L::Cosh | L::Coshf => ("1", "inf"),
        L::Expm1 | L::Expm1f => ("-1", "inf"),
        _ => return None,
    })
}

/// The payload that the text of `nan("text")` stands for: a number as C writes it, else 0.
fn payload(text: &[u8]) -> u128 {
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    let (digits, base) = match (text.strip_prefix("0x"), text.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16),
        (None, Some(digits)) => (digits, 8),
        (None, None) => (text.as_str(), 10),
    };
    // Rust also reads a sign.
    u128::from_str_radix(digits, base).ok().filter(|_| !digits.starts_with('+')).unwrap_or(0)
}
