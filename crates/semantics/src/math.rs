//! Mathematical functions of the C library on encodings: the values of this machine's library.

use cfa::Library;

/// What the function gives; `None` if it is not one of them, or arguments are missing.
pub fn compute(function: Library, args: &[u128]) -> Option<u128> {
    match function {
        Library::Sin => double(args, f64::sin),
        Library::Cos => double(args, f64::cos),
        Library::Tan => double(args, f64::tan),
        Library::Asin => double(args, f64::asin),
        Library::Acos => double(args, f64::acos),
        Library::Atan => double(args, f64::atan),
        Library::Atan2 => double_pair(args, f64::atan2),
        Library::Sinh => double(args, f64::sinh),
        Library::Cosh => double(args, f64::cosh),
        Library::Tanh => double(args, f64::tanh),
        Library::Exp => double(args, f64::exp),
        Library::Exp2 => double(args, f64::exp2),
        Library::Expm1 => double(args, f64::exp_m1),
        Library::Log => double(args, f64::ln),
        Library::Log2 => double(args, f64::log2),
        Library::Log10 => double(args, f64::log10),
        Library::Log1p => double(args, f64::ln_1p),
        Library::Pow => double_pair(args, f64::powf),
        Library::Hypot => double_pair(args, f64::hypot),
        Library::Cbrt => double(args, f64::cbrt),
        Library::Fma => fma(args),
        Library::Sinf => single(args, f32::sin),
        Library::Cosf => single(args, f32::cos),
        Library::Tanf => single(args, f32::tan),
        Library::Asinf => single(args, f32::asin),
        Library::Acosf => single(args, f32::acos),
        Library::Atanf => single(args, f32::atan),
        Library::Atan2f => single_pair(args, f32::atan2),
        Library::Sinhf => single(args, f32::sinh),
        Library::Coshf => single(args, f32::cosh),
        Library::Tanhf => single(args, f32::tanh),
        Library::Expf => single(args, f32::exp),
        Library::Exp2f => single(args, f32::exp2),
        Library::Expm1f => single(args, f32::exp_m1),
        Library::Logf => single(args, f32::ln),
        Library::Log2f => single(args, f32::log2),
        Library::Log10f => single(args, f32::log10),
        Library::Log1pf => single(args, f32::ln_1p),
        Library::Powf => single_pair(args, f32::powf),
        Library::Hypotf => single_pair(args, f32::hypot),
        Library::Cbrtf => single(args, f32::cbrt),
        Library::Fmaf => fmaf(args),
        _ => None,
    }
}

fn double(args: &[u128], function: fn(f64) -> f64) -> Option<u128> {
    Some(function(f64::from_bits(*args.first()? as u64)).to_bits().into())
}

fn double_pair(args: &[u128], function: fn(f64, f64) -> f64) -> Option<u128> {
    let [a, b] = [*args.first()?, *args.get(1)?].map(|bits| f64::from_bits(bits as u64));
    Some(function(a, b).to_bits().into())
}

fn single(args: &[u128], function: fn(f32) -> f32) -> Option<u128> {
    Some(function(f32::from_bits(*args.first()? as u32)).to_bits().into())
}

fn single_pair(args: &[u128], function: fn(f32, f32) -> f32) -> Option<u128> {
    let [a, b] = [*args.first()?, *args.get(1)?].map(|bits| f32::from_bits(bits as u32));
    Some(function(a, b).to_bits().into())
}

fn fma(args: &[u128]) -> Option<u128> {
    let [a, b, c] = [*args.first()?, *args.get(1)?, *args.get(2)?].map(|bits| f64::from_bits(bits as u64));
    Some(a.mul_add(b, c).to_bits().into())
}

fn fmaf(args: &[u128]) -> Option<u128> {
    let [a, b, c] = [*args.first()?, *args.get(1)?, *args.get(2)?].map(|bits| f32::from_bits(bits as u32));
    Some(a.mul_add(b, c).to_bits().into())
}
