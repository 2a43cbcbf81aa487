//! Numbers: 42, moved into the bounds and onto the multiples.
//!
//! Whole numbers and multiples are counted exactly, in units of a power of ten, so that 0.1 is a
//! tenth and the largest integers keep their last digit.

use serde_json::{Number, Value};

use super::schema::Node;

const ANSWER: i128 = 42;
/// More digits than an f64 can tell apart.
const MAX_SCALE: u32 = 15;

/// A number, and whether the bounds left room for one.
pub(super) struct Picked {
    pub(super) value: Value,
    pub(super) fits: bool,
}

impl Picked {
    fn valid(value: Value) -> Self {
        Self { value, fits: true }
    }
}

/// The `nth` number of a node: 42, or what is nearest to it.
pub(super) fn number(node: &Node, integer: bool, nth: usize) -> Picked {
    let bounds = Bounds::of(node);
    let steps: Vec<f64> = node.all("multipleOf").filter_map(as_step).collect();
    if !integer && steps.is_empty() {
        return real(&bounds, nth);
    }
    let on_grid = Grid::new(integer, &steps).and_then(|grid| grid.pick(&bounds, nth));
    on_grid.map_or_else(|| nearest(&bounds, integer, &steps), Picked::valid)
}

/// A number of no particular grid; variants are whole while there are any, then finer.
fn real(bounds: &Bounds, nth: usize) -> Picked {
    if nth == 0 {
        let value = bounds.clamp(42.0);
        return Picked { value: from_f64(value), fits: bounds.allow(value) };
    }
    let grids = [Grid::WHOLE, Grid { scale: 3, step: 1 }, Grid { scale: 9, step: 1 }];
    let value = grids.iter().find_map(|grid| grid.pick(bounds, nth));
    value.map_or_else(|| nearest(bounds, false, &[]), Picked::valid)
}

/// Where numbers are too large or steps too fine to count, or nothing is valid.
fn nearest(bounds: &Bounds, integer: bool, steps: &[f64]) -> Picked {
    let value = bounds.clamp(42.0);
    let value = if integer { value.round() } else { value };
    let fits = bounds.allow(value) && steps.iter().all(|step| value % step == 0.0);
    Picked { value: from_f64(value), fits }
}

/// The tightest bounds of all layers.
struct Bounds<'a> {
    lows: Vec<Bound<'a>>,
    highs: Vec<Bound<'a>>,
}

struct Bound<'a> {
    number: &'a Number,
    exclusive: bool,
}

impl<'a> Bounds<'a> {
    fn of(node: &Node<'a>) -> Self {
        Self {
            lows: bounds(node, "minimum", "exclusiveMinimum"),
            highs: bounds(node, "maximum", "exclusiveMaximum"),
        }
    }

    fn allow(&self, value: f64) -> bool {
        let above = |low: &Bound| value > low.f64() || (!low.exclusive && value == low.f64());
        let below = |high: &Bound| value < high.f64() || (!high.exclusive && value == high.f64());
        self.lows.iter().all(above) && self.highs.iter().all(below)
    }

    /// The value itself, else the bound that it breaks, else a number just inside.
    fn clamp(&self, value: f64) -> f64 {
        let low = self.lows.iter().map(Bound::f64).fold(f64::MIN, f64::max);
        let high = self.highs.iter().map(Bound::f64).fold(f64::MAX, f64::min);
        let nearest = if value < low { low } else { value.min(high) };
        let whole = if value < low { low.floor() + 1.0 } else { high.ceil() - 1.0 };
        let middle = low / 2.0 + high / 2.0;
        let candidates = [nearest, whole, middle, low.next_up(), high.next_down()];
        candidates.into_iter().find(|value| self.allow(*value)).unwrap_or(nearest)
    }
}

/// The bounds of one side. In draft 4 `exclusiveMinimum` is a boolean beside `minimum`.
fn bounds<'a>(node: &Node<'a>, keyword: &str, exclusive: &str) -> Vec<Bound<'a>> {
    let mut bounds = Vec::new();
    for layer in &node.layers {
        let strict = layer.get(exclusive) == Some(&Value::Bool(true));
        if let Some(Value::Number(number)) = layer.get(keyword) {
            bounds.push(Bound { number, exclusive: strict });
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

    /// The bound in units of 10^-scale, and what lies between two units.
    fn units(&self, scale: u32) -> (i128, bool) {
        if let Some(whole) = self.number.as_i128() {
            return (whole.saturating_mul(10_i128.pow(scale)), false);
        }
        match decimal(self.f64()) {
            Some((units, own)) if own <= scale => (units * 10_i128.pow(scale - own), false),
            _ => {
                let units = self.f64() * 10_f64.powi(i32::try_from(scale).unwrap_or(0));
                (units.floor() as i128, units.fract() != 0.0)
            }
        }
    }

    fn lowest(&self, scale: u32) -> i128 {
        let (units, between) = self.units(scale);
        units.saturating_add(i128::from(between || self.exclusive))
    }

    fn highest(&self, scale: u32) -> i128 {
        let (units, between) = self.units(scale);
        units.saturating_sub(i128::from(self.exclusive && !between))
    }
}

/// The multiples of `step` units of 10^-scale.
#[derive(Clone, Copy)]
struct Grid {
    scale: u32,
    step: i128,
}

impl Grid {
    const WHOLE: Self = Self { scale: 0, step: 1 };

    /// The numbers that are multiples of every step; `None` for steps too fine to count.
    fn new(integer: bool, steps: &[f64]) -> Option<Self> {
        let decimals: Option<Vec<_>> = steps.iter().map(|step| decimal(*step)).collect();
        let decimals = decimals?;
        let scale = decimals.iter().map(|(_, scale)| *scale).max().unwrap_or(0);
        let mut step = if integer { 10_i128.pow(scale) } else { 1 };
        for (units, own) in decimals {
            step = common_multiple(step, units.checked_mul(10_i128.pow(scale - own))?)?;
        }
        Some(Self { scale, step })
    }

    /// From the multiple nearest to 42 upwards, then downwards.
    fn pick(&self, bounds: &Bounds, nth: usize) -> Option<Value> {
        let low = bounds.lows.iter().map(|low| low.lowest(self.scale)).max();
        let high = bounds.highs.iter().map(|high| high.highest(self.scale)).min();
        let low = low.map_or(i128::MIN / 4, |low| -(low.saturating_neg().div_euclid(self.step)));
        let high = high.map_or(i128::MAX / 4, |high| high.div_euclid(self.step));
        let wanted = ANSWER * 10_i128.pow(self.scale);
        let start = ((wanted + self.step / 2).div_euclid(self.step)).max(low).min(high);
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

fn common_multiple(left: i128, right: i128) -> Option<i128> {
    let (mut gcd, mut rest) = (left, right);
    while rest != 0 {
        (gcd, rest) = (rest, gcd % rest);
    }
    (left / gcd).checked_mul(right)
}

/// A number as units and how many decimal places they have; `None` if too large or too fine.
fn decimal(number: f64) -> Option<(i128, u32)> {
    let text = number.to_string();
    let (whole, places) = text.split_once('.').unwrap_or((&text, ""));
    let scale = u32::try_from(places.len()).ok().filter(|scale| *scale <= MAX_SCALE)?;
    let units = format!("{whole}{places}").parse::<i128>().ok()?;
    (units.abs() < 10_i128.pow(22)).then_some((units, scale))
}

fn as_step(value: &Value) -> Option<f64> {
    value.as_f64().filter(|step| *step > 0.0)
}

/// A length or count. Through a protobuf Struct 5 arrives as 5.0.
pub(super) fn as_count(value: &Value) -> Option<usize> {
    let number = value.as_f64().filter(|number| *number >= 0.0)?;
    Some(number.ceil() as usize)
}

/// Whether two numbers break no bound of the other kind, as [`number`] reads them.
pub(super) fn allows(node: &Node, number: &Number) -> bool {
    let value = number.as_f64().unwrap_or(0.0);
    let multiple = |step: f64| match (decimal(value), decimal(step)) {
        (Some((units, scale)), Some((step, own))) => {
            let most = scale.max(own);
            (units * 10_i128.pow(most - scale)) % (step * 10_i128.pow(most - own)) == 0
        }
        _ => value % step == 0.0,
    };
    Bounds::of(node).allow(value) && node.all("multipleOf").filter_map(as_step).all(multiple)
}

/// A JSON number, without a fraction where it is whole.
fn from_f64(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e18 {
        return from_i128(value as i128);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

fn from_i128(value: i128) -> Value {
    Number::from_i128(value).map_or_else(
        || Number::from_f64(value as f64).map_or(Value::Null, Value::Number),
        Value::Number,
    )
}

/// The value with whole numbers written without a fraction.
pub(super) fn plain(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => number.as_f64().map_or(Value::Null, from_f64),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            members.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        other => other.clone(),
    }
}
