//! Generates a value: one that the schema provides, or else one of the right type.

use std::{collections::BTreeMap, ops::Range, ptr};

use serde_json::Value;

use super::{
    budget::{BRACKETS_LEN, Budget, Generation, MAX_DEPTH, NoValue, json_len},
    flatten::Flattener,
    schema::FlatSchema,
    validator::Validator,
};
use crate::provider::echo::{
    effort::Effort,
    text::{canonical_words, lower_case_words},
};

/// Maximum number of characters of the subject that are used in values.
const MAX_SUBJECT: usize = 256;
/// Maximum number of choices of branches to try for a value.
const MAX_CHOICES: usize = 64;
/// Maximum number of characters of a reason that are logged.
const MAX_REASON: usize = 256;

/// The inputs from which values are generated, in addition to the schema.
#[derive(Debug, Clone, Default)]
pub(crate) struct Context<'a> {
    /// Name of the tool or title of the response format.
    pub(crate) subject: &'a str,
    /// Text to search for values: the latest message that mentions the tool, or else the last user
    /// message.
    pub(crate) mention: &'a str,
    /// The bytes in `mention` of the clause that mentions the tool, and of its sentence. Their facts
    /// come first.
    pub(crate) nearest: [Range<usize>; 2],
    /// Text of the last user message.
    pub(crate) question: &'a str,
    /// Whether numbers are 42 regardless of their bounds.
    pub(crate) literal: bool,
}

/// How to generate a value and the values inside it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Frame {
    /// Which of the values for a schema to generate. An array of unique items needs several.
    pub(super) variant: usize,
    /// Whether the value is inside an item after the first of an array.
    pub(super) is_repeated: bool,
    /// Whether to replace a value that cannot be valid with one of the right type.
    pub(super) best_effort: bool,
    /// Whether to omit optional properties of an object.
    pub(super) required_only: bool,
    /// Where the name of the property starts in the path.
    pub(super) name_start: usize,
    pub(super) depth: usize,
}

/// Generates a value and all values inside it.
pub(super) struct Generator<'a> {
    pub(super) context: &'a Context<'a>,
    /// The words of the subject.
    pub(super) subject: Vec<String>,
    /// The canonical words of the subject.
    pub(super) tool: Vec<String>,
    /// The values that messages state, by the paths of their properties.
    pub(super) stated: BTreeMap<String, Value>,
    pub(super) budget: Budget,
    pub(super) possible_violation: Option<String>,
    /// The first keyword that is not supported, with its location.
    pub(super) unsupported: Option<String>,
    pub(super) root: &'a Value,
    pub(super) effort: Effort,
    /// The schemas of the values that are being generated, outermost first.
    active: Vec<*const Value>,
    /// JSON pointer to the current value, without array indexes.
    pub(super) path: String,
    pub(super) frame: Frame,
}

impl<'a> Generator<'a> {
    pub(super) fn new(
        root: &'a Value,
        context: &'a Context<'a>,
        budget: Budget,
        effort: Effort,
    ) -> Self {
        let end = context.subject.char_indices().nth(MAX_SUBJECT);
        let subject = end.map_or(context.subject, |(at, _)| &context.subject[..at]);
        Self {
            context,
            subject: lower_case_words(subject),
            tool: canonical_words(subject),
            stated: BTreeMap::new(),
            budget,
            possible_violation: None,
            unsupported: None,
            root,
            effort,
            active: Vec::new(),
            path: String::new(),
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
        if generated.is_err() && self.is_valid(&Value::Null, schemas) {
            generated = self.spend_bytes("null".len() + BRACKETS_LEN).map(|()| Value::Null);
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
        self.exhaust_if_cancelled();
        self.budget.spend_value().map_err(|_| self.limit_reached("value"))?;
        if self.frame.depth > MAX_DEPTH {
            return Err(self.limit_reached("depth"));
        }
        if let Some(value) = self.stated_value(schemas) {
            return self.spend_bytes(value.to_string().len() + 1).map(|()| value);
        }
        let (outer, bytes) = (self.active.len(), self.budget.bytes);
        // Some branches have branches of their own, so the number of choices differs.
        let mut choices = 1;
        for number in 0.. {
            let mut flattener = Flattener::new(self.root, &self.active, &mut self.budget, number);
            let flat = flattener.flatten(schemas);
            choices = choices.max(flattener.choices);
            let is_last = number + 1 >= choices.min(MAX_CHOICES);
            let generated = flat.and_then(|flat| self.value_of(&flat, schemas));
            if is_last || matches!(generated, Ok(_) | Err(NoValue::Limit)) {
                return generated;
            }
            self.active.truncate(outer);
            self.budget.bytes = bytes;
        }
        Err(NoValue::Unsatisfiable)
    }

    /// Generates a value for a choice of branches.
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
            let value = self.value_by_keywords(flat, schemas)?;
            if !flat.has_one_of || self.context.literal || self.is_valid(&value, schemas) {
                return Ok(value);
            }
            if !value.is_object() {
                break;
            }
        }
        Err(NoValue::Unsatisfiable)
    }

    /// Returns the valid value that a message states for the current property.
    fn stated_value(&mut self, schemas: &[&'a Value]) -> Option<Value> {
        if self.frame.variant > 0 || self.frame.is_repeated {
            return None;
        }
        let value = self.stated.get(&self.path)?.clone();
        self.is_valid(&value, schemas).then_some(value)
    }

    pub(super) fn is_valid(&mut self, value: &Value, schemas: &[&'a Value]) -> bool {
        Validator { root: self.root, budget: &mut self.budget }.is_valid(value, schemas)
    }

    /// Flattens schemas with the first choice of branches.
    pub(super) fn flatten_first(
        &mut self,
        schemas: &[&'a Value],
        active: &[*const Value],
    ) -> Result<FlatSchema<'a>, NoValue> {
        Flattener::new(self.root, active, &mut self.budget, 0).flatten(schemas)
    }

    /// Records why the value may be invalid, unless a reason is already recorded.
    pub(super) fn note_violation(&mut self, reason: &str) {
        if self.possible_violation.is_none() {
            let reason: String = reason.chars().take(MAX_REASON).collect();
            self.possible_violation = Some(format!("{}: {reason}", self.location()));
        }
    }

    /// Returns the name of the property that the current value is for.
    pub(super) fn name(&self) -> &str {
        &self.path[self.frame.name_start..]
    }

    fn location(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }

    /// Records that the limit on `what` is reached, and returns the error.
    pub(super) fn limit_reached(&mut self, what: &str) -> NoValue {
        self.note_violation(&format!("{what} limit reached"));
        NoValue::Limit
    }

    pub(super) fn spend_steps(&mut self, steps: usize) -> Result<(), NoValue> {
        self.exhaust_if_cancelled();
        self.budget.spend_steps(steps).map_err(|_| self.limit_reached("step"))
    }

    pub(super) fn spend_bytes(&mut self, bytes: usize) -> Result<(), NoValue> {
        self.budget.spend_bytes(bytes).map_err(|_| self.limit_reached("byte"))
    }

    /// Spends the bytes of a scalar. The contents of objects and arrays are charged separately.
    pub(super) fn spend_scalar(&mut self, value: &Value) -> Result<(), NoValue> {
        self.spend_bytes(match value {
            Value::String(text) => json_len(text),
            Value::Array(_) | Value::Object(_) => 0,
            scalar => scalar.to_string().len(),
        })
    }

    fn exhaust_if_cancelled(&mut self) {
        if self.effort.is_cancelled() {
            (self.budget.values, self.budget.steps) = (0, 0);
        }
    }
}
