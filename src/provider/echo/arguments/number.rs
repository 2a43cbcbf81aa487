//! Chooses numbers: 42, or else the closest valid number.

use serde_json::{Number, Value};

use super::schema::FlatSchema;

const PREFERRED: f64 = 42.0;
/// The distances between the variants of a number that need not be an integer: 1, 0.001, …
const STEPS: [f64; 3] = [1.0, 1e-3, 1e-9];
/// The number of multiples to try on each side of the preferred one. Those of the largest divisor
/// are tried, and other divisors exclude some of them.
const MAX_TRIES: i32 = 100;
/// Integers below this limit are exact in floating point.
const LIMIT: f64 = 9_007_199_254_740_992.0;
/// The largest number of decimal places of an exact power of ten.
const MAX_PLACES: usize = 22;

/// Returns a number for a schema, or else the closest invalid one. The first variant is 42 or the
/// closest valid number.
pub(super) fn choose(flat: &FlatSchema, integer: bool, variant: usize) -> Result<Value, Value> {
    let constraints = Constraints::new(flat, integer);
    if variant == 0 && constraints.allow(PREFERRED) {
        return Ok(from_f64(PREFERRED));
    }
    let largest = constraints.divisors.iter().copied().reduce(f64::max);
    let steps = if largest.is_none() && variant > 0 { &STEPS } else { largest.as_slice() };
    if let Some(value) = steps.iter().find_map(|step| constraints.multiple(*step, variant)) {
        return Ok(from_f64(value));
    }
    let closest = constraints.clamp(PREFERRED);
    let closest = if integer { closest.round() } else { closest };
    // Large integers lose their last digits in floating point.
    let mut bounds = constraints.lows.iter().chain(&constraints.highs);
    let bound = bounds.find(|bound| f64(bound.number) == closest && !bound.number.is_f64());
    let value =
        bound.map_or_else(|| from_f64(closest), |bound| Value::Number(bound.number.clone()));
    if constraints.allow(closest) { Ok(value) } else { Err(value) }
}

/// Returns `true` if a number satisfies the bounds and `multipleOf` in a schema.
pub(super) fn is_valid(flat: &FlatSchema, number: &Number) -> bool {
    Constraints::new(flat, false).allow(f64(number))
}

/// Converts a number to JSON. Integers have no fraction.
pub(super) fn from_f64(value: f64) -> Value {
    let is_whole = value.fract() == 0.0 && value.abs() < 1e18;
    let number = if is_whole { Some(Number::from(value as i64)) } else { Number::from_f64(value) };
    number.map_or(Value::Null, Value::Number)
}

/// Copies a value, writing all integers without a fraction.
pub(super) fn normalize_integers(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => from_f64(f64(number)),
        Value::Array(items) => items.iter().map(normalize_integers).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members.map(|(name, value)| (name.clone(), normalize_integers(value))).collect()
        }
        other => other.clone(),
    }
}

/// The constraints in all layers of a schema.
struct Constraints<'a> {
    lows: Vec<Bound<'a>>,
    highs: Vec<Bound<'a>>,
    /// The values of `multipleOf`, and 1 for an integer.
    divisors: Vec<f64>,
}

struct Bound<'a> {
    number: &'a Number,
    exclusive: bool,
}

impl<'a> Constraints<'a> {
    fn new(flat: &FlatSchema<'a>, integer: bool) -> Self {
        let divisors = flat.values("multipleOf").filter_map(Value::as_f64);
        let divisors = divisors.filter(|divisor| *divisor > 0.0);
        Self {
            lows: bounds(flat, "minimum", "exclusiveMinimum"),
            highs: bounds(flat, "maximum", "exclusiveMaximum"),
            divisors: divisors.chain(integer.then_some(1.0)).collect(),
        }
    }

    fn low(&self) -> f64 {
        self.lows.iter().map(|low| f64(low.number)).fold(f64::MIN, f64::max)
    }

    fn high(&self) -> f64 {
        self.highs.iter().map(|high| f64(high.number)).fold(f64::MAX, f64::min)
    }

    fn allow(&self, value: f64) -> bool {
        let is_excluded = |bound: &Bound| bound.exclusive && value == f64(bound.number);
        let is_multiple = |divisor: &f64| {
            let ratio = value / divisor;
            // The quotient of 0.3 and 0.1 is not exactly 3.
            (ratio - ratio.round()).abs() <= 4.0 * f64::EPSILON * ratio.abs()
        };
        (self.low()..=self.high()).contains(&value)
            && !self.lows.iter().chain(&self.highs).any(is_excluded)
            && self.divisors.iter().all(is_multiple)
    }

    /// Returns `value` if it is within the bounds. Otherwise, returns the bound that it violates,
    /// or a number just inside the bounds if that bound is exclusive.
    fn clamp(&self, value: f64) -> f64 {
        let (low, high) = (self.low(), self.high());
        let closest = if value < low { low } else { value.min(high) };
        let integer = if value < low { low.floor() + 1.0 } else { high.ceil() - 1.0 };
        let middle = low / 2.0 + high / 2.0;
        let candidates = [closest, integer, middle, low.next_up(), high.next_down()];
        candidates.into_iter().find(|value| self.allow(*value)).unwrap_or(closest)
    }

    /// Chooses a multiple of `step`: the one closest to 42, then those above it and those below.
    fn multiple(&self, step: f64, variant: usize) -> Option<f64> {
        let (low, high) = ((self.low() / step).ceil(), (self.high() / step).floor());
        let start = (PREFERRED / step).round().min(high).max(low);
        let (up, room) = (variant as f64, high - start);
        let chosen = if up <= room { start + up } else { start - (up - room) };
        let around = (0..MAX_TRIES).flat_map(|distance| [-distance, distance]);
        let multiples = around.map(|distance| chosen + f64::from(distance));
        let mut values = multiples.map(|it| times(step, it)).filter(|value| value.abs() < LIMIT);
        if chosen < low { None } else { values.find(|value| self.allow(*value)) }
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

/// Multiplies a number. 3 times 0.1 is 0.3, because the decimal places are added last.
fn times(number: f64, factor: f64) -> f64 {
    let places = number.to_string().split_once('.').map_or(0, |(_, places)| places.len());
    let scale = 10_f64.powi(places.min(MAX_PLACES) as i32);
    let whole = (number * scale).round();
    if places > MAX_PLACES { factor * number } else { factor * whole / scale }
}

fn f64(number: &Number) -> f64 {
    number.as_f64().unwrap_or(0.0)
}
