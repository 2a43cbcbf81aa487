//! Generates tool call arguments, and other values, from JSON Schemas.
//!
//! For each value, [`flatten`] collects the schemas that apply to the value. If they provide a value
//! that the [`validator`] accepts, this value is the result. Otherwise, the [`generator`] makes one of
//! the right type ([`typed`]), with the help of [`containers`] for arrays and objects, [`number`] and
//! [`string`]. All work is subject to [`budget`].
//!
//! Values that the user stated come first. What a schema says of its properties ([`describe`]) is the
//! same for all messages. For a message, a [`property`] gets [`offers`] of the facts in it, and takes one
//! that fits ([`fit`]) in one of three passes, by the [`rules`]. A message may state [`several`] sets of values.

mod beside;
mod booleans;
mod budget;
mod clauses;
mod containers;
mod context;
mod describe;
mod fit;
mod flatten;
mod formats;
mod forms;
mod generator;
mod last_resort;
mod lists;
mod months;
mod names;
mod nouns;
mod number;
mod objects;
mod offers;
mod origin;
mod own_words;
mod participles;
mod pattern;
mod phrases;
mod places;
mod property;
mod property_words;
mod prose;
mod rules;
mod schema;
mod search;
mod several;
mod stated;
mod statements;
mod string;
mod string_constraints;
#[cfg(test)]
mod tests;
mod trace;
mod typed;
mod user_names;
mod validator;
mod wants;
mod words_left;

use std::{ops::Range, rc::Rc, sync::LazyLock};

use serde_json::{Value, json};

use super::facts::Reading;
use generator::{Frame, Generator, Stated};

pub(crate) use budget::ReplyBudget;
pub(crate) use context::Context;
pub(crate) use describe::Described;
pub use origin::Origin;
pub(crate) use origin::Trace;

/// The schema of any object.
static OBJECT: LazyLock<Value> = LazyLock::new(|| json!({"type": "object"}));

/// A value generated from a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Generated {
    /// The value as compact JSON, with object members sorted by the bytes of their names.
    pub(crate) json: String,
    /// The reason to log if the value may be invalid.
    pub(crate) possible_violation: Option<String>,
    /// Where the values come from. Empty unless that is traced.
    pub(crate) trace: Trace,
}

impl From<String> for Generated {
    /// Creates a value that is certainly valid.
    fn from(json: String) -> Self {
        Self { json, possible_violation: None, trace: Trace::default() }
    }
}

impl Generated {
    fn empty_object(possible_violation: Option<&str>) -> Self {
        let possible_violation = possible_violation.map(str::to_owned);
        Self { possible_violation, ..Self::from("{}".to_owned()) }
    }
}

impl<'a> Described<'a> {
    /// Describes the arguments of the tool with this name. They are always a JSON object.
    pub(crate) fn arguments(schema: &'a Value, name: &str, budget: &ReplyBudget) -> Self {
        Self::new(schema, vec![&OBJECT, schema], name, budget.call())
    }
}

/// Generates the arguments of each call that a mention of a tool triggers.
pub(crate) fn arguments(
    described: Option<&Described>,
    context: &Context,
    budget: &mut ReplyBudget,
) -> Vec<Generated> {
    let Some(described) = described.filter(|it| !it.root.is_null()) else {
        return vec![Generated::empty_object(None)];
    };
    let as_object = |generated: Generated| match generated.json.starts_with('{') {
        true => generated,
        false => Generated::empty_object(Some("the schema does not allow an object")),
    };
    let stated = stated(described, context, budget).into_iter();
    stated.map(|stated| as_object(generate(described, context, stated, budget))).collect()
}

/// Returns `true` if the arguments of each call that a mention triggers have all values that they must have from what
/// the user said.
pub(crate) fn states_all(
    described: &Described,
    context: &Context,
    budget: &mut ReplyBudget,
) -> bool {
    let stated = stated(described, context, budget);
    let mut wanted = described.properties.iter().filter(|it| it.is_wanted);
    wanted.all(|it| stated.iter().all(|stated| stated.contains_key(it.path.as_slice())))
}

/// Generates a value of any type.
pub(crate) fn value(schema: &Value, context: &Context, budget: &mut ReplyBudget) -> Generated {
    let described = Described::new(schema, vec![schema], context.subject, budget.call());
    let stated = stated(&described, context, budget).swap_remove(0);
    generate(&described, context, stated, budget)
}

/// Returns the values that the user stated for each call.
fn stated<'a>(
    described: &'a Described<'a>,
    context: &'a Context<'a>,
    budget: &mut ReplyBudget,
) -> Vec<Stated<'a>> {
    let sources = sources(context, budget);
    let granted = budget.call();
    let mut generator = Generator::new(described, context, granted.clone());
    let stated = generator.stated_values(&sources);
    budget.charge(&granted, &generator.budget);
    stated
}

/// Generates a valid value. If that fails, a second pass generates the best value possible.
fn generate<'a>(
    described: &'a Described<'a>,
    context: &'a Context<'a>,
    mut stated: Stated<'a>,
    budget: &mut ReplyBudget,
) -> Generated {
    for best_effort in [false, true] {
        let granted = budget.call();
        let mut generator = Generator::new(described, context, granted.clone());
        generator.stated = stated;
        let frame = Frame { best_effort, ..Frame::default() };
        let generated = generator.value(&described.schemas, frame);
        budget.charge(&granted, &generator.budget);
        if let Ok(value) = generated
            && let Ok(json) = serde_json::to_string(&value)
        {
            let (known, unsupported) = (generator.possible_violation, generator.unsupported);
            let possible_violation =
                known.or_else(|| unsupported.filter(|_| !budget.confirms(described.root, &value)));
            return Generated { json, possible_violation, trace: generator.trace };
        }
        stated = generator.stated;
    }
    Generated::empty_object(Some("no value within the limits"))
}

/// A message, and the parts whose facts come first.
type Source = (Rc<Reading>, Vec<Range<usize>>);

fn sources(context: &Context, budget: &mut ReplyBudget) -> Vec<Source> {
    let mut nearest = context.nearest.to_vec();
    nearest.dedup();
    let mut sources = vec![(budget.read(context.mention), nearest)];
    if context.question != context.mention {
        sources.push((budget.read(context.question), Vec::new()));
    }
    sources
}
