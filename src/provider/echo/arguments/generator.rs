//! One value: given by the schema, else made by type.

use std::ptr;

use serde_json::{Map, Value};

use super::{
    Context,
    fits::Fits,
    limits::{BRACKETS, Limits, MAX_DEPTH, scalar_len, spend, step},
    names,
    number::{self, plain},
    schema::{Cut, Node, flatten, list, type_names},
};

/// Most characters of a subject that go into values, and of a reason that goes into the log.
const MAX_SUBJECT: usize = 256;
const MAX_REASON: usize = 256;

/// Makes one value, and all values inside it.
///
/// `nth` asks for a variant: arrays of unique items need several values of one schema.
pub(super) struct Generator<'a> {
    pub(super) context: &'a Context<'a>,
    /// The words of the subject.
    pub(super) subject: Vec<String>,
    pub(super) limits: Limits,
    pub(super) shortfall: Option<String>,
    root: &'a Value,
    /// Put the nearest value where there is no valid one.
    pub(super) fill_gaps: bool,
    /// The schemas whose values are being made, outermost first.
    active: Vec<*const Value>,
    depth: usize,
    /// Where in the value this is, as a JSON pointer without array indexes.
    pub(super) path: String,
}

impl<'a> Generator<'a> {
    pub(super) fn new(
        root: &'a Value,
        context: &'a Context<'a>,
        limits: Limits,
        fill_gaps: bool,
    ) -> Self {
        let end = context.subject.char_indices().nth(MAX_SUBJECT);
        let subject = names::words(end.map_or(context.subject, |(at, _)| &context.subject[..at]));
        let (active, path) = (Vec::new(), String::new());
        Self { context, subject, limits, shortfall: None, root, fill_gaps, active, depth: 0, path }
    }

    /// Remembers the first reason why the value may be invalid.
    pub(super) fn note(&mut self, reason: &str) {
        if self.shortfall.is_none() {
            let reason: String = reason.chars().take(MAX_REASON).collect();
            self.shortfall =
                Some(format!("{}: {reason}", if self.path.is_empty() { "/" } else { &self.path }));
        }
    }

    /// A limit is reached; says so, and leaves it to the caller to do without the value.
    pub(super) fn limit(&mut self, what: &str) -> Cut {
        self.note(&format!("over the limit of {what}"));
        Cut::Limit
    }

    /// The `nth` value that satisfies all `schemas`, for the property `name`.
    pub(super) fn value(
        &mut self,
        schemas: &[&'a Value],
        name: &str,
        nth: usize,
    ) -> Result<Value, Cut> {
        let outer = self.active.len();
        self.depth += 1;
        let made = self.checked(schemas, name, nth);
        self.depth -= 1;
        self.active.truncate(outer);
        match made {
            Err(_) if self.fits(&Value::Null, schemas) => {
                self.pay(BRACKETS + scalar_len(&Value::Null)).map(|()| Value::Null)
            }
            Err(cut) if self.fill_gaps && nth == 0 => self.gap(schemas, cut),
            made => made,
        }
    }

    fn checked(&mut self, schemas: &[&'a Value], name: &str, nth: usize) -> Result<Value, Cut> {
        if !spend(&mut self.limits.values, 1) {
            return Err(self.limit("values"));
        }
        if self.depth > MAX_DEPTH {
            return Err(self.limit("depth"));
        }
        let node = flatten(self.root, schemas, &self.active, &mut self.limits.steps)?;
        self.active.extend(schemas.iter().map(|schema| ptr::from_ref(*schema)));
        self.active.extend(&node.targets);
        if let Some(unsupported) = node.unsupported {
            self.note(&format!("{unsupported} is not supported"));
        }
        if let Some(value) = self.given(&node, schemas, nth)? {
            return Ok(value);
        }
        // Brackets first, so that a container that could not be finished is paid for.
        self.pay(BRACKETS)?;
        let value = self.by_type(&node, name, nth)?;
        self.pay(scalar_len(&value)).map(|()| value)
    }

    pub(super) fn pay(&mut self, bytes: usize) -> Result<(), Cut> {
        if spend(&mut self.limits.bytes, bytes) { Ok(()) } else { Err(self.limit("bytes")) }
    }

    pub(super) fn step(&mut self, steps: usize) -> Result<(), Cut> {
        if step(&mut self.limits.steps, steps) { Ok(()) } else { Err(self.limit("steps")) }
    }

    fn fits(&mut self, value: &Value, schemas: &[&'a Value]) -> bool {
        Fits { root: self.root, steps: &mut self.limits.steps }.all(value, schemas)
    }

    /// The nearest to a valid value, of the right type at least.
    fn gap(&mut self, schemas: &[&'a Value], cut: Cut) -> Result<Value, Cut> {
        let node = flatten(self.root, schemas, &[], &mut self.limits.steps).unwrap_or_default();
        let value = match node.kind() {
            Some("object") => Value::Object(Map::new()),
            Some("array") => Value::Array(Vec::new()),
            Some("string") => Value::from(""),
            Some("integer" | "number") => Value::from(0),
            _ => Value::Null,
        };
        self.note(match cut {
            Cut::Cycle => "a value that contains itself without end",
            Cut::Impossible => "no value is valid",
            Cut::Limit => "over a limit",
        });
        self.pay(BRACKETS + scalar_len(&value)).map(|()| value)
    }

    /// The value that the schema itself gives: `const`, else the first valid one of `default`,
    /// `examples` and `enum`. Null only where nothing else is allowed.
    fn given(
        &mut self,
        node: &Node<'a>,
        schemas: &[&'a Value],
        nth: usize,
    ) -> Result<Option<Value>, Cut> {
        let Some(value) = self.listed(node, schemas, nth)? else {
            return self.none_given(node, schemas, nth);
        };
        let text = value.to_string();
        // To copy it takes time, too.
        self.limits.steps = self.limits.steps.saturating_sub(text.len() / 8);
        self.pay(text.len() + 1).map(|()| Some(plain(value)))
    }

    fn listed(
        &mut self,
        node: &Node<'a>,
        schemas: &[&'a Value],
        nth: usize,
    ) -> Result<Option<&'a Value>, Cut> {
        if let Some(only) = node.all("const").next() {
            return Ok(Some(only));
        }
        let listed = |keyword| node.layers.iter().flat_map(move |layer| list(layer, keyword));
        let values = node.all("default").chain(listed("examples")).chain(listed("enum"));
        let mut before = Vec::new();
        for value in values {
            self.step(1 + before.len())?;
            if value.is_null() || before.contains(&value) || !self.fits(value, schemas) {
                continue;
            }
            if before.len() == nth {
                return Ok(Some(value));
            }
            before.push(value);
        }
        Ok(None)
    }

    /// Null, where `enum` allows that; an `enum` that allows nothing is passed over.
    fn none_given(
        &mut self,
        node: &Node<'a>,
        schemas: &[&'a Value],
        nth: usize,
    ) -> Result<Option<Value>, Cut> {
        if !node.all("enum").any(Value::is_array) {
            return Ok(None);
        }
        if nth > 0 {
            return Err(Cut::Impossible);
        }
        let null = self.fits(&Value::Null, schemas);
        if !null {
            self.note("enum has no valid value");
        }
        Ok(null.then_some(Value::Null))
    }

    fn by_type(&mut self, node: &Node<'a>, name: &str, nth: usize) -> Result<Value, Cut> {
        let kind = node.kind().unwrap_or_else(|| {
            self.note("types that exclude each other");
            node.all("type").flat_map(type_names).next().unwrap_or("string")
        });
        match kind {
            "object" => self.object(node, nth),
            "array" => self.array(node, name, nth),
            "integer" | "number" => self.number(node, kind == "integer", nth),
            "boolean" if nth < 2 => Ok(Value::Bool(nth == 0)),
            "null" if nth == 0 => Ok(Value::Null),
            "boolean" | "null" => Err(Cut::Impossible),
            _ => self.string(node, name, nth),
        }
    }

    fn number(&mut self, node: &Node<'a>, integer: bool, nth: usize) -> Result<Value, Cut> {
        if self.context.literal && nth == 0 {
            return Ok(Value::from(42));
        }
        let picked = number::number(node, integer, nth);
        if !picked.fits {
            if nth > 0 {
                return Err(Cut::Impossible);
            }
            self.note("bounds or multipleOf that no number meets");
        }
        Ok(picked.value)
    }
}
