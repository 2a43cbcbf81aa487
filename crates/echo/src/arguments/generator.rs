//! Generates a value and the values inside it, for each choice of branches until one is valid.

use std::{collections::BTreeMap, ptr};

use mynah_core::base::number::normalized;
use serde_json::{Map, Value};

use super::{
    budget::{Budget, Generation, MAX_DEPTH, NoValue},
    context::Context,
    describe::Described,
    flatten::Flattener,
    origin::{Origin, Trace},
    schema::FlatSchema,
    validator::Validator,
};

/// Maximum number of choices of branches to try for a value.
const MAX_CHOICES: usize = 64;
/// Maximum number of characters of a reason that are logged.
const MAX_REASON: usize = 256;

/// How to generate a value and the values inside it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame {
    /// Which of the values for a schema to generate. An array of unique items needs several.
    pub(super) variant: usize,
    /// Whether the value is inside an item after the first of an array.
    pub(super) is_repeated: bool,
    /// Whether to replace a value that cannot be valid with one of the right type.
    pub(super) best_effort: bool,
    /// Whether to omit optional properties of the object.
    pub(super) required_only: bool,
    pub(super) depth: usize,
}

/// The values that messages state, by the paths of their properties.
pub(super) type Stated<'a> = BTreeMap<&'a [String], StatedValue<'a>>;

/// A value that a message states.
#[derive(Clone)]
pub(super) struct StatedValue<'a> {
    pub(super) value: Value,
    /// The schemas that the value is known to satisfy.
    pub(super) satisfied: &'a [&'a Value],
    /// Where the value comes from, if that is traced.
    pub(super) origin: Option<Origin>,
}

/// Generates a value and all values inside it.
pub(super) struct Generator<'a> {
    pub(super) context: &'a Context<'a>,
    /// The schema to generate values for, and what it says of their properties.
    pub(super) described: &'a Described<'a>,
    pub(super) stated: Stated<'a>,
    pub(super) budget: Budget,
    /// Where the values come from. Empty unless that is traced.
    pub(super) trace: Trace,
    pub(super) possible_violation: Option<String>,
    /// The first keyword that is not supported, with its location.
    pub(super) unsupported: Option<String>,
    /// The schemas of the values that are being generated, outermost first.
    active: Vec<*const Value>,
    /// The names of the properties that the current value is for, outermost first.
    pub(super) path: Vec<String>,
    pub(super) frame: Frame,
}

impl<'a> Generator<'a> {
    pub(super) fn new(
        described: &'a Described<'a>,
        context: &'a Context<'a>,
        budget: Budget,
    ) -> Self {
        Self {
            context,
            described,
            stated: BTreeMap::new(),
            budget,
            trace: Trace::default(),
            possible_violation: None,
            unsupported: None,
            active: Vec::new(),
            path: Vec::new(),
            frame: Frame::default(),
        }
    }

    /// Generates a value that satisfies all `schemas`. If there are too few variants, this is the
    /// first one.
    pub(super) fn value(&mut self, schemas: &[&'a Value], frame: Frame) -> Generation {
        let (outer, active) = (self.frame, self.active.len());
        self.frame = Frame { depth: outer.depth + 1, ..frame };
        let mut generated = self.valid_value(schemas);
        self.frame = outer;
        self.active.truncate(active);
        if let Err(reason @ NoValue::Limit(_)) = generated {
            self.note_failure(reason);
        }
        if generated.is_err() && self.is_valid(&Value::Null, schemas) {
            generated = self.pay(Value::Null);
        }
        match generated {
            Err(NoValue::Unsatisfiable) if frame.variant > 0 => {
                self.value(schemas, Frame { variant: 0, ..frame })
            }
            Err(reason) if frame.best_effort && frame.variant == 0 => {
                self.fallback(schemas, reason)
            }
            generated => generated,
        }
    }

    fn valid_value(&mut self, schemas: &[&'a Value]) -> Generation {
        self.budget.spend_value()?;
        if self.frame.depth > MAX_DEPTH {
            return Err(NoValue::Limit("depth"));
        }
        let is_first = self.frame.variant == 0 && !self.frame.is_repeated;
        let stated = is_first.then(|| self.stated.get(self.path.as_slice()).cloned()).flatten();
        if let Some(StatedValue { value, satisfied, origin }) = stated
            && (equal(satisfied, schemas) || self.is_valid(&value, schemas))
        {
            self.trace(|| origin.unwrap_or_default());
            return self.pay(value);
        }
        let (outer, bytes) = (self.active.len(), self.budget.bytes);
        // Some branches have branches of their own, so the number of choices differs.
        let mut choices = 1;
        for number in 0.. {
            let mut flattener =
                Flattener::new(self.described.root, &self.active, &mut self.budget, number);
            let flat = flattener.flatten(schemas);
            choices = choices.max(flattener.choices);
            let is_last = number + 1 >= choices.min(MAX_CHOICES);
            let generated = flat.and_then(|flat| self.value_of(&flat, schemas));
            if is_last || matches!(generated, Ok(_) | Err(NoValue::Limit(_))) {
                return generated;
            }
            self.active.truncate(outer);
            self.budget.bytes = bytes;
        }
        Err(NoValue::Unsatisfiable)
    }

    /// Generates a value for a choice of branches: one that the schema provides, or else one of its
    /// type.
    fn value_of(&mut self, flat: &FlatSchema<'a>, schemas: &[&'a Value]) -> Generation {
        self.active.extend(schemas.iter().map(|schema| ptr::from_ref(*schema)));
        self.active.extend(&flat.ref_targets);
        if let (None, Some(keyword)) = (&self.unsupported, flat.unsupported) {
            self.unsupported = Some(format!("{}: {keyword} is not supported", self.location()));
        }
        let bytes = self.budget.bytes;
        for required_only in [false, true] {
            self.frame.required_only = required_only;
            self.budget.bytes = bytes;
            let value = match self.provided(flat, schemas)? {
                Some(value) => {
                    self.trace(|| Origin::in_schema(flat, value));
                    self.pay(normalized(value))?
                }
                None => self.by_type(flat)?,
            };
            if !flat.has_one_of || self.context.literal || self.is_valid(&value, schemas) {
                return Ok(value);
            }
            if !value.is_object() {
                break;
            }
        }
        Err(NoValue::Unsatisfiable)
    }

    /// Returns a value that is invalid but has the right type.
    fn fallback(&mut self, schemas: &[&'a Value], reason: NoValue) -> Generation {
        let mut flattener = Flattener::new(self.described.root, &[], &mut self.budget, 0);
        let flat = flattener.flatten(schemas).unwrap_or_default();
        self.note_failure(reason);
        self.pay(match flat.type_name() {
            Some("object") => Value::Object(Map::new()),
            Some("array") => Value::Array(Vec::new()),
            Some("string") => Value::from(""),
            Some("integer" | "number") => Value::from(0),
            _ => Value::Null,
        })
    }

    pub(super) fn is_valid(&mut self, value: &Value, schemas: &[&'a Value]) -> bool {
        Validator { root: self.described.root, budget: &mut self.budget }.is_valid(value, schemas)
    }

    /// Records why the value may be invalid, unless a reason is already recorded.
    pub(super) fn note_violation(&mut self, reason: &str) {
        if self.possible_violation.is_none() {
            let reason: String = reason.chars().take(MAX_REASON).collect();
            self.possible_violation = Some(format!("{}: {reason}", self.location()));
        }
    }

    pub(super) fn note_failure(&mut self, reason: NoValue) {
        match reason {
            NoValue::Cycle => self.note_violation("the schema requires infinite nesting"),
            NoValue::Unsatisfiable => self.note_violation("no value is valid"),
            NoValue::Limit(what) => self.note_violation(&format!("{what} limit reached")),
        }
    }

    fn location(&self) -> String {
        format!("/{}", self.path.join("/"))
    }

    /// Spends the bytes of a value and a comma, and the steps for copying it.
    pub(super) fn pay(&mut self, value: Value) -> Generation {
        let len = value.to_string().len();
        self.budget.steps = self.budget.steps.saturating_sub(len / 8);
        self.budget.spend_bytes(len + 1).map(|()| value)
    }
}

/// Returns `true` if two lists have the same schemas.
fn equal(left: &[&Value], right: &[&Value]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| ptr::eq(*left, *right))
}
