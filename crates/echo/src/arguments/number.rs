//! Chooses numbers: 42, otherwise the closest valid number.
//!
//! Integers and multiples are computed with decimals. As a result, 0.1 is exactly one tenth, and
//! large integers keep their last digits.

use rust_decimal::Decimal;
use serde_json::{Number, Value};

use super::schema::FlatSchema;

const PREFERRED: Decimal = Decimal::from_parts(42, 0, 0, false, 0);
/// The distances between the variants of a number that need not be an integer: 1, 0.001, …
const STEPS: [Decimal; 3] = [Decimal::ONE, decimal_places(3), decimal_places(9)];
/// Numbers from here on are computed in floating point.
const LIMIT: Decimal = Decimal::from_parts(0, 0, 100_000, false, 0);

const fn decimal_places(scale: u32) -> Decimal {
    Decimal::from_parts(1, 0, 0, false, scale)
}

/// Returns a number for a schema, otherwise the closest invalid one. The first variant is 42 or the
/// closest valid number.
pub(super) fn choose(flat: &FlatSchema, integer: bool, variant: usize) -> Result<Value, Value> {
    let constraints = Constraints::new(flat);
    let steps = match constraints.common_multiple(integer) {
        Some(step) => vec![step],
        None if variant > 0 && constraints.divisors.is_empty() => STEPS.to_vec(),
        None => Vec::new(),
    };
    if let Some(value) = steps.iter().find_map(|step| constraints.multiple(*step, variant)) {
        return Ok(value);
    }
    let value = constraints.clamp(42.0);
    let value = from_f64(if integer { value.round() } else { value });
    let is_valid = value.as_number().is_some_and(|number| is_valid(flat, number));
    if is_valid { Ok(value) } else { Err(value) }
}

/// Returns `true` if a number satisfies the bounds and `multipleOf` in a schema.
pub(super) fn is_valid(flat: &FlatSchema, number: &Number) -> bool {
    let constraints = Constraints::new(flat);
    let is_multiple = |divisor: &&Number| {
        let rest = decimal(number).zip(decimal(divisor));
        let rest = rest.and_then(|(number, divisor)| number.checked_rem(divisor));
        rest.map_or_else(|| f64(number) % f64(divisor) == 0.0, |rest| rest.is_zero())
    };
    constraints.allow(f64(number)) && constraints.divisors.iter().all(is_multiple)
}

/// Converts a number to JSON. Integers have no fraction.
pub(super) fn from_f64(value: f64) -> Value {
    let is_whole = value.fract() == 0.0 && value.abs() < 1e18;
    let number = if is_whole { Some(Number::from(value as i64)) } else { Number::from_f64(value) };
    number.map_or(Value::Null, Value::Number)
}

/// The constraints in all layers of a schema.
struct Constraints<'a> {
    lows: Vec<Bound<'a>>,
    highs: Vec<Bound<'a>>,
    /// The values of `multipleOf`.
    divisors: Vec<&'a Number>,
}

struct Bound<'a> {
    number: &'a Number,
    exclusive: bool,
}

impl<'a> Constraints<'a> {
    fn new(flat: &FlatSchema<'a>) -> Self {
        let divisors = flat.values("multipleOf").filter_map(Value::as_number);
        Self {
            lows: bounds(flat, "minimum", "exclusiveMinimum"),
            highs: bounds(flat, "maximum", "exclusiveMaximum"),
            divisors: divisors.filter(|divisor| f64(divisor) > 0.0).collect(),
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

    /// Returns the least common multiple of all divisors, and of 1 for an integer. Returns `None` if
    /// there is none or if it is too large.
    fn common_multiple(&self, integer: bool) -> Option<Decimal> {
        let mut common = integer.then_some(Decimal::ONE);
        for divisor in &self.divisors {
            let divisor = decimal(divisor).filter(|divisor| !divisor.is_zero())?;
            common = Some(least_common_multiple(common.unwrap_or(divisor), divisor)?);
        }
        common
    }

    /// Chooses a multiple of `step`: the one closest to 42, then those above it and those below.
    fn multiple(&self, step: Decimal, variant: usize) -> Option<Value> {
        let low = self.lows.iter().map(|low| low.first_multiple(step, low.decimal())).max();
        let high = self.highs.iter().map(|high| -high.first_multiple(step, -high.decimal())).min();
        let (low, high) = (low.unwrap_or(-LIMIT).max(-LIMIT), high.unwrap_or(LIMIT).min(LIMIT));
        if low > high {
            return None;
        }
        let closest = PREFERRED.checked_div(step)?.saturating_add(Decimal::new(5, 1)).floor();
        let start = closest.max(low).min(high);
        let (up, room) = (Decimal::from(variant), high - start);
        let multiple = if up <= room { start + up } else { start - (up - room) };
        let number = multiple.checked_mul(step).filter(|number| number.abs() < LIMIT)?;
        let number = number.normalize().to_string().parse().ok()?;
        (multiple >= low).then_some(Value::Number(number))
    }
}

/// Returns the bounds given by `keyword` and its `exclusive` form. In draft 4, `exclusiveMinimum`
/// is a boolean that modifies `minimum`.
fn bounds<'a>(flat: &FlatSchema<'a>, keyword: &str, exclusive: &str) -> Vec<Bound<'a>> {
    let mut bounds = Vec::new();
    for layer in &flat.layers {
        let is_exclusive = layer.get(exclusive) == Some(&Value::Bool(true));
        let both = [(layer.get(keyword), is_exclusive), (layer.get(exclusive), true)];
        bounds.extend(both.into_iter().filter_map(|(number, exclusive)| {
            number?.as_number().map(|number| Bound { number, exclusive })
        }));
    }
    bounds
}

impl Bound<'_> {
    fn f64(&self) -> f64 {
        f64(self.number)
    }

    /// Returns the exact value, or the closest possible one.
    fn decimal(&self) -> Decimal {
        let value = self.f64();
        let nearest = if value > 1.0 { Decimal::MAX } else { Decimal::ZERO };
        let nearest = if value < -1.0 { Decimal::MIN } else { nearest };
        decimal(self.number).unwrap_or(nearest)
    }

    /// Returns the first multiple of `step` from `limit` on, divided by `step`.
    fn first_multiple(&self, step: Decimal, limit: Decimal) -> Decimal {
        let Some(ratio) = limit.checked_div(step) else {
            return if limit.is_sign_negative() { Decimal::MIN } else { Decimal::MAX };
        };
        let multiple = ratio.ceil();
        let is_excluded = self.exclusive && multiple.checked_mul(step) == Some(limit);
        multiple.saturating_add(if is_excluded { Decimal::ONE } else { Decimal::ZERO })
    }
}

fn least_common_multiple(left: Decimal, right: Decimal) -> Option<Decimal> {
    let (mut divisor, mut rest) = (left, right);
    while !rest.is_zero() {
        (divisor, rest) = (rest, divisor.checked_rem(rest)?);
    }
    left.checked_div(divisor)?.checked_mul(right)
}

/// Returns the exact value of a number, unless it is too large or has too many decimal places.
fn decimal(number: &Number) -> Option<Decimal> {
    let text = number.to_string();
    text.parse().or_else(|_| Decimal::from_scientific(&text)).ok()
}

fn f64(number: &Number) -> f64 {
    number.as_f64().unwrap_or(0.0)
}
