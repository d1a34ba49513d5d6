//! Calculating.

use jaq_core::ValR;
use jaq_core::native::bome;

use super::{Native, filters, plain, with};
use crate::read;
use crate::value::{Value, error};

pub(super) fn natives() -> Vec<Native> {
    macro_rules! of_one {
        ($($name:literal: $f:expr,)*) => { vec![$(plain($name, |cv| bome(one(&cv.1, $f)))),*] };
    }
    let ones = of_one! {
        "floor": f64::floor, "ceil": f64::ceil, "round": f64::round, "trunc": f64::trunc, "rint": f64::round_ties_even,
        "nearbyint": f64::round_ties_even, "sqrt": f64::sqrt, "cbrt": f64::cbrt, "fabs": f64::abs, "exp": f64::exp,
        "exp2": f64::exp2, "exp10": |x| 10f64.powf(x), "log": f64::ln, "log2": f64::log2, "log10": f64::log10,
        "sin": f64::sin, "cos": f64::cos, "tan": f64::tan, "asin": f64::asin, "acos": f64::acos, "atan": f64::atan,
        "sinh": f64::sinh, "cosh": f64::cosh, "tanh": f64::tanh, "asinh": f64::asinh, "acosh": f64::acosh,
        "atanh": f64::atanh, "expm1": f64::exp_m1, "log1p": f64::ln_1p,
    };
    let ones = ones.into_iter().map(|(name, arity, f)| (name, jaq_core::native::v(arity), f));
    let others = filters([
        plain("infinite", |_| bome(Ok(Value::Number(f64::INFINITY)))),
        plain("nan", |_| bome(Ok(Value::Number(f64::NAN)))),
        plain("isnan", |cv| bome(is(&cv.1, f64::is_nan))),
        plain("isinfinite", |cv| bome(is(&cv.1, f64::is_infinite))),
        plain("isnormal", |cv| bome(is(&cv.1, f64::is_normal))),
        plain("tonumber", |cv| bome(to_number(&cv.1))),
        with("pow", 2, |cv| two(cv, f64::powf)),
        with("atan2", 2, |cv| two(cv, f64::atan2)),
        with("fmin", 2, |cv| two(cv, f64::min)),
        with("fmax", 2, |cv| two(cv, f64::max)),
        with("fmod", 2, |cv| two(cv, |x, y| x % y)),
        with("ldexp", 2, |cv| two(cv, |x, y| x * y.exp2())),
        with("scalb", 2, |cv| two(cv, |x, y| x * y.exp2())),
        with("scalbln", 2, |cv| two(cv, |x, y| x * y.exp2())),
    ]);
    ones.chain(others).collect()
}

fn is(value: &Value, f: impl Fn(f64) -> bool) -> ValR<Value> {
    match value.number() {
        Some(number) => Ok(f(number).into()),
        None => error(format!("{} number required", value.shown())),
    }
}

fn one(value: &Value, f: impl Fn(f64) -> f64) -> ValR<Value> {
    match value.number() {
        Some(number) => Ok(Value::Number(f(number))),
        None => error(format!("{} number required", value.shown())),
    }
}

fn two<'a>(mut cv: super::Call<'a>, f: impl Fn(f64, f64) -> f64) -> jaq_core::ValXs<'a, Value> {
    let (right, left) = (cv.0.pop_var(), cv.0.pop_var());
    bome(match (left.number(), right.number()) {
        (Some(left), Some(right)) => Ok(Value::Number(f(left, right))),
        (None, _) => error(format!("{} number required", left.shown())),
        _ => error(format!("{} number required", right.shown())),
    })
}

fn to_number(value: &Value) -> ValR<Value> {
    match value {
        Value::Number(_) | Value::Literal(_) => Ok(value.clone()),
        Value::Text(text) => match read::read_one(text) {
            Ok(Some(number)) if number.number().is_some() => Ok(number),
            Ok(_) => error(format!("{} cannot be parsed as a number", value.shown())),
            Err(why) => error(format!("{why} (while parsing '{text}')")),
        },
        other => error(format!("{} cannot be parsed as a number", other.shown())),
    }
}
