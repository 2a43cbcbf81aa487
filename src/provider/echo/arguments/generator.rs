//! Generates a value: one that the schema provides, or else one of the right type.

use std::{collections::BTreeMap, ptr};

use serde_json::{Map, Value};

use super::{
    branches::Choice,
    context::Context,
    limits::{BRACKETS_LEN, CallBudget, MAX_DEPTH, scalar_len, spend},
    number,
    schema::{FlatSchema, NoValue, flatten},
    types::type_names,
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

/// Generates a value and all values inside it.
///
/// An array of unique items needs several values for the same schema. The values for a schema are
/// therefore numbered, and `nth` selects one of them.
pub(super) struct Generator<'a> {
    pub(super) context: &'a Context<'a>,
    /// The words of the subject.
    pub(super) subject: Vec<String>,
    /// The canonical words of the subject.
    pub(super) tool: Vec<String>,
    /// The values that messages state, by the paths of their properties.
    pub(super) stated: BTreeMap<String, Value>,
    /// Whether the current value is inside an item after the first of an array.
    pub(super) is_repeated: bool,
    pub(super) budget: CallBudget,
    pub(super) possible_violation: Option<String>,
    /// The first keyword that is not supported, with its location.
    pub(super) unsupported: Option<String>,
    /// Whether to omit optional properties of the next object.
    pub(super) required_only: bool,
    pub(super) root: &'a Value,
    pub(super) effort: Effort,
    /// Whether to replace a value that cannot be valid with one of the right type.
    pub(super) best_effort: bool,
    /// The schemas of the values that are being generated, outermost first.
    active: Vec<*const Value>,
    depth: usize,
    /// JSON pointer to the current value, without array indexes.
    pub(super) path: String,
}

impl<'a> Generator<'a> {
    pub(super) fn new(
        root: &'a Value,
        context: &'a Context<'a>,
        budget: CallBudget,
        effort: Effort,
        best_effort: bool,
    ) -> Self {
        let end = context.subject.char_indices().nth(MAX_SUBJECT);
        let subject = end.map_or(context.subject, |(at, _)| &context.subject[..at]);
        Self {
            context,
            subject: lower_case_words(subject),
            tool: canonical_words(subject),
            stated: BTreeMap::new(),
            is_repeated: false,
            budget,
            possible_violation: None,
            unsupported: None,
            required_only: false,
            root,
            effort,
            best_effort,
            active: Vec::new(),
            depth: 0,
            path: String::new(),
        }
    }

    /// Generates the `nth` value that satisfies all `schemas`, for the property `name`.
    pub(super) fn value(
        &mut self,
        schemas: &[&'a Value],
        name: &str,
        nth: usize,
    ) -> Result<Value, NoValue> {
        let outer = self.active.len();
        self.depth += 1;
        let generated = self.valid_value(schemas, name, nth);
        self.depth -= 1;
        self.active.truncate(outer);
        match generated {
            Err(_) if self.is_valid(&Value::Null, schemas) => {
                self.spend_bytes(BRACKETS_LEN + scalar_len(&Value::Null)).map(|()| Value::Null)
            }
            Err(reason) if self.best_effort && nth == 0 => self.fallback(schemas, reason),
            generated => generated,
        }
    }

    fn valid_value(
        &mut self,
        schemas: &[&'a Value],
        name: &str,
        nth: usize,
    ) -> Result<Value, NoValue> {
        self.exhaust_if_cancelled();
        if !spend(&mut self.budget.values, 1) {
            return Err(self.limit_reached("value"));
        }
        if self.depth > MAX_DEPTH {
            return Err(self.limit_reached("depth"));
        }
        if let Some(value) = self.stated_value(schemas, nth) {
            return self.spend_bytes(value.to_string().len() + 1).map(|()| value);
        }
        let (outer, bytes, repeats) = (self.active.len(), self.budget.bytes, self.is_repeated);
        let mut number = 0;
        loop {
            let mut choice = Choice::new(number);
            let flat =
                flatten(self.root, schemas, &self.active, &mut choice, &mut self.budget.steps);
            let generated = flat.and_then(|flat| self.value_of(&flat, schemas, name, nth));
            number += 1;
            let is_last = number >= choice.choices.min(MAX_CHOICES);
            if is_last || matches!(generated, Ok(_) | Err(NoValue::Limit)) {
                return generated;
            }
            self.active.truncate(outer);
            (self.budget.bytes, self.is_repeated) = (bytes, repeats);
        }
    }

    /// Generates a value for a choice of branches.
    fn value_of(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
        name: &str,
        nth: usize,
    ) -> Result<Value, NoValue> {
        self.active.extend(schemas.iter().map(|schema| ptr::from_ref(*schema)));
        self.active.extend(&flat.ref_targets);
        if self.unsupported.is_none() {
            self.unsupported = flat
                .unsupported
                .map(|keyword| format!("{}: {keyword} is not supported", self.location()));
        }
        for required_only in [false, true] {
            self.required_only = required_only;
            let bytes = self.budget.bytes;
            let value = self.value_by_keywords(flat, schemas, name, nth)?;
            if !flat.has_one_of || self.context.literal || self.is_valid(&value, schemas) {
                return Ok(value);
            }
            if !value.is_object() {
                break;
            }
            self.budget.bytes = bytes;
        }
        Err(NoValue::Unsatisfiable)
    }

    fn value_by_keywords(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
        name: &str,
        nth: usize,
    ) -> Result<Value, NoValue> {
        if let Some(value) = self.provided(flat, schemas, nth)? {
            return Ok(value);
        }
        // Charge for the brackets first, so that a container that fails halfway is also charged.
        self.spend_bytes(BRACKETS_LEN)?;
        let value = self.by_type(flat, name, nth)?;
        self.spend_bytes(scalar_len(&value)).map(|()| value)
    }

    /// Returns the valid value that a message states for the current property.
    fn stated_value(&mut self, schemas: &[&'a Value], nth: usize) -> Option<Value> {
        if nth > 0 || self.is_repeated {
            return None;
        }
        let value = self.stated.get(&self.path)?.clone();
        self.is_valid(&value, schemas).then_some(value)
    }

    pub(super) fn is_valid(&mut self, value: &Value, schemas: &[&'a Value]) -> bool {
        let mut validator = Validator { root: self.root, steps: &mut self.budget.steps };
        validator.is_valid(value, schemas)
    }

    /// Returns a value that is invalid but has the right type.
    fn fallback(&mut self, schemas: &[&'a Value], reason: NoValue) -> Result<Value, NoValue> {
        let flat = self.flatten_first(schemas, &[]).unwrap_or_default();
        let value = match flat.type_name() {
            Some("object") => Value::Object(Map::new()),
            Some("array") => Value::Array(Vec::new()),
            Some("string") => Value::from(""),
            Some("integer" | "number") => Value::from(0),
            _ => Value::Null,
        };
        self.note_violation(match reason {
            NoValue::Cycle => "the schema requires infinite nesting",
            NoValue::Unsatisfiable => "no value is valid",
            NoValue::Limit => "limit reached",
        });
        self.spend_bytes(BRACKETS_LEN + scalar_len(&value)).map(|()| value)
    }

    fn by_type(&mut self, flat: &FlatSchema<'a>, name: &str, nth: usize) -> Result<Value, NoValue> {
        let type_name = flat.type_name().unwrap_or_else(|| {
            self.note_violation("the types exclude each other");
            flat.values("type").flat_map(type_names).next().unwrap_or("string")
        });
        match type_name {
            "object" => self.object(flat, nth),
            "array" => self.array(flat, name, nth),
            "integer" | "number" => self.number(flat, type_name == "integer", nth),
            "boolean" if nth < 2 => Ok(Value::Bool(nth == 0)),
            "null" if nth == 0 => Ok(Value::Null),
            "boolean" | "null" => Err(NoValue::Unsatisfiable),
            _ => self.string(flat, name, nth),
        }
    }

    fn number(
        &mut self,
        flat: &FlatSchema<'a>,
        integer: bool,
        nth: usize,
    ) -> Result<Value, NoValue> {
        if self.context.literal && nth == 0 {
            return Ok(Value::from(42));
        }
        let choice = number::choose(flat, integer, nth);
        if !choice.is_valid {
            if nth > 0 {
                return Err(NoValue::Unsatisfiable);
            }
            self.note_violation("no number satisfies the bounds and multipleOf");
        }
        Ok(choice.value)
    }
}
