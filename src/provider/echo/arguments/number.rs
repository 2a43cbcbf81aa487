//! Chooses numbers: 42, or else the closest valid number.
//!
//! Integers and multiples are computed exactly, in units of a power of ten. As a result, 0.1 is
//! exactly one tenth, and large integers keep their last digits.

use serde_json::{Number, Value};

use super::{
    json_number::{from_f64, from_i128},
    schema::FlatSchema,
};

const PREFERRED: i128 = 42;
/// The number of decimal places to which an `f64` is reliable.
const MAX_SCALE: u32 = 15;

/// A number and whether it is valid.
pub(super) struct Choice {
    pub(super) value: Value,
    pub(super) is_valid: bool,
}

impl Choice {
    fn valid(value: Value) -> Self {
        Self { value, is_valid: true }
    }
}

/// Chooses the `nth` number for a schema. The first is 42 or the closest valid number.
pub(super) fn choose(flat: &FlatSchema, integer: bool, nth: usize) -> Choice {
    let bounds = Bounds::new(flat);
    let divisors: Vec<f64> = flat.values("multipleOf").filter_map(as_divisor).collect();
    if !integer && divisors.is_empty() {
        return choose_real(&bounds, nth);
    }
    let multiple = Grid::new(integer, &divisors).and_then(|grid| grid.choose(&bounds, nth));
    multiple.map_or_else(|| choose_inexact(&bounds, integer, &divisors), Choice::valid)
}

/// Chooses a number that need not be an integer. Variants are integers if there are enough of them,
/// and decimals otherwise.
fn choose_real(bounds: &Bounds, nth: usize) -> Choice {
    if nth == 0 {
        let value = bounds.clamp(42.0);
        return Choice { value: from_f64(value), is_valid: bounds.allow(value) };
    }
    let grids = [Grid::INTEGERS, Grid { scale: 3, step: 1 }, Grid { scale: 9, step: 1 }];
    let value = grids.iter().find_map(|grid| grid.choose(bounds, nth));
    value.map_or_else(|| choose_inexact(bounds, false, &[]), Choice::valid)
}

/// Chooses a number with floating-point arithmetic. This is necessary if the bounds are too large
/// or the divisors too fine for a [`Grid`], or if no number is valid.
fn choose_inexact(bounds: &Bounds, integer: bool, divisors: &[f64]) -> Choice {
    let value = bounds.clamp(42.0);
    let value = if integer { value.round() } else { value };
    let is_valid = bounds.allow(value) && divisors.iter().all(|divisor| value % divisor == 0.0);
    Choice { value: from_f64(value), is_valid }
}

/// The bounds in all layers of a schema.
struct Bounds<'a> {
    lows: Vec<Bound<'a>>,
    highs: Vec<Bound<'a>>,
}

struct Bound<'a> {
    number: &'a Number,
    exclusive: bool,
}

impl<'a> Bounds<'a> {
    fn new(flat: &FlatSchema<'a>) -> Self {
        Self {
            lows: bounds(flat, "minimum", "exclusiveMinimum"),
            highs: bounds(flat, "maximum", "exclusiveMaximum"),
        }
    }

    fn allow(&self, value: f64) -> bool {
        let above = |low: &Bound| value > low.f64() || (!low.exclusive && value == low.f64());
        let below = |high: &Bound| value < high.f64() || (!high.exclusive && value == high.f64());
        self.lows.iter().all(above) && self.highs.iter().all(below)
    }

    /// Returns `value` if it is within the bounds. Otherwise, returns the bound that it violates,
    /// or a number just inside the bounds if that bound is exclusive.
    fn clamp(&self, value: f64) -> f64 {
        let low = self.lows.iter().map(Bound::f64).fold(f64::MIN, f64::max);
        let high = self.highs.iter().map(Bound::f64).fold(f64::MAX, f64::min);
        let closest = if value < low { low } else { value.min(high) };
        let integer = if value < low { low.floor() + 1.0 } else { high.ceil() - 1.0 };
        let middle = low / 2.0 + high / 2.0;
        let candidates = [closest, integer, middle, low.next_up(), high.next_down()];
        candidates.into_iter().find(|value| self.allow(*value)).unwrap_or(closest)
    }
}

/// Returns the bounds given by `keyword` and its `exclusive` form. In draft 4, `exclusiveMinimum`
/// is a boolean that modifies `minimum`.
fn bounds<'a>(flat: &FlatSchema<'a>, keyword: &str, exclusive: &str) -> Vec<Bound<'a>> {
    let mut bounds = Vec::new();
    for layer in &flat.layers {
        let is_exclusive = layer.get(exclusive) == Some(&Value::Bool(true));
        if let Some(Value::Number(number)) = layer.get(keyword) {
            bounds.push(Bound { number, exclusive: is_exclusive });
        }
        if let Some(Value::Number(number)) = layer.get(exclusive) {
            bounds.push(Bound { number, exclusive: true });
        }
    }
    bounds
}

impl Bound<'_> {
    fn f64(&self) -> f64 {
        self.number.as_f64().unwrap_or(0.0)
    }

    /// Returns the bound in units of 10^-scale, rounded down, and whether it was rounded.
    fn units(&self, scale: u32) -> (i128, bool) {
        if let Some(integer) = self.number.as_i128() {
            return (integer.saturating_mul(10_i128.pow(scale)), false);
        }
        match decimal(self.f64()) {
            Some((units, places)) if places <= scale => {
                (units * 10_i128.pow(scale - places), false)
            }
            _ => {
                let units = self.f64() * 10_f64.powi(i32::try_from(scale).unwrap_or(0));
                (units.floor() as i128, units.fract() != 0.0)
            }
        }
    }

    /// For a lower bound, returns the smallest allowed number in units of 10^-scale.
    fn lowest(&self, scale: u32) -> i128 {
        let (units, rounded) = self.units(scale);
        units.saturating_add(i128::from(rounded || self.exclusive))
    }

    /// For an upper bound, returns the largest allowed number in units of 10^-scale.
    fn highest(&self, scale: u32) -> i128 {
        let (units, rounded) = self.units(scale);
        units.saturating_sub(i128::from(self.exclusive && !rounded))
    }
}

/// The multiples of `step`, in units of 10^-scale.
#[derive(Clone, Copy)]
struct Grid {
    scale: u32,
    step: i128,
}

impl Grid {
    const INTEGERS: Self = Self { scale: 0, step: 1 };

    /// Returns the common multiples of all divisors, or `None` if the divisors are too fine.
    fn new(integer: bool, divisors: &[f64]) -> Option<Self> {
        let decimals: Option<Vec<_>> = divisors.iter().map(|divisor| decimal(*divisor)).collect();
        let decimals = decimals?;
        let scale = decimals.iter().map(|(_, scale)| *scale).max().unwrap_or(0);
        let mut step = if integer { 10_i128.pow(scale) } else { 1 };
        for (units, places) in decimals {
            let divisor = units.checked_mul(10_i128.pow(scale - places))?;
            step = least_common_multiple(step, divisor)?;
        }
        Some(Self { scale, step })
    }

    /// Chooses the `nth` multiple, counting up from the one closest to 42 and then down.
    fn choose(&self, bounds: &Bounds, nth: usize) -> Option<Value> {
        let low = bounds.lows.iter().map(|low| low.lowest(self.scale)).max();
        let high = bounds.highs.iter().map(|high| high.highest(self.scale)).min();
        let low = low.map_or(i128::MIN / 4, |low| -(low.saturating_neg().div_euclid(self.step)));
        let high = high.map_or(i128::MAX / 4, |high| high.div_euclid(self.step));
        let preferred = PREFERRED * 10_i128.pow(self.scale);
        let start = ((preferred + self.step / 2).div_euclid(self.step)).max(low).min(high);
        let up = i128::try_from(nth).ok()?;
        let room = high.saturating_sub(start);
        let multiple = if up <= room { start + up } else { start.checked_sub(up - room)? };
        (low..=high).contains(&multiple).then(|| self.value(multiple.checked_mul(self.step)?))?
    }

    fn value(&self, units: i128) -> Option<Value> {
        let one = 10_i128.pow(self.scale);
        if units % one == 0 {
            return Some(from_i128(units / one));
        }
        let sign = if units < 0 { "-" } else { "" };
        let (whole, rest) = ((units / one).abs(), (units % one).abs());
        let width = usize::try_from(self.scale).ok()?;
        format!("{sign}{whole}.{rest:0width$}").parse().ok().map(from_f64)
    }
}

fn least_common_multiple(left: i128, right: i128) -> Option<i128> {
    let (mut gcd, mut rest) = (left, right);
    while rest != 0 {
        (gcd, rest) = (rest, gcd % rest);
    }
    (left / gcd).checked_mul(right)
}

/// Returns a number as an integer and the number of decimal places, so that 1.25 becomes 125 and 2.
/// Returns `None` if the number is too large or has too many places.
fn decimal(number: f64) -> Option<(i128, u32)> {
    let text = number.to_string();
    let (integer, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let scale = u32::try_from(fraction.len()).ok().filter(|scale| *scale <= MAX_SCALE)?;
    let units = format!("{integer}{fraction}").parse::<i128>().ok()?;
    (units.abs() < 10_i128.pow(22)).then_some((units, scale))
}

fn as_divisor(value: &Value) -> Option<f64> {
    value.as_f64().filter(|divisor| *divisor > 0.0)
}

/// Returns `true` if a number satisfies the bounds and `multipleOf` in a schema.
pub(super) fn is_valid(flat: &FlatSchema, number: &Number) -> bool {
    let value = number.as_f64().unwrap_or(0.0);
    let is_multiple = |divisor: f64| match (decimal(value), decimal(divisor)) {
        (Some((units, places)), Some((divisor, divisor_places))) => {
            let scale = places.max(divisor_places);
            let divisor = divisor * 10_i128.pow(scale - divisor_places);
            (units * 10_i128.pow(scale - places)) % divisor == 0
        }
        _ => value % divisor == 0.0,
    };
    Bounds::new(flat).allow(value)
        && flat.values("multipleOf").filter_map(as_divisor).all(is_multiple)
}
