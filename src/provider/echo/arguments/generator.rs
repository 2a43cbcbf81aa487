//! Values by type.

use std::{
    collections::{BTreeMap, BTreeSet},
    ptr,
};

use serde_json::{Map, Value};

use super::{
    Context,
    fits::Fits,
    limits::{BRACKETS, Limits, MAX_DEPTH, json_len, scalar_len, spend},
    names,
    number::{self, plain},
    schema::{Cut, Node, flatten, list, type_names},
};

/// How many more variants are tried for an item that must differ from the others.
const MORE_VARIANTS: usize = 32;

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
    path: String,
}

impl<'a> Generator<'a> {
    pub(super) fn new(
        root: &'a Value,
        context: &'a Context<'a>,
        limits: Limits,
        fill_gaps: bool,
    ) -> Self {
        let subject = names::words(context.subject);
        let (active, path) = (Vec::new(), String::new());
        Self { context, subject, limits, shortfall: None, root, fill_gaps, active, depth: 0, path }
    }

    /// Remembers the first reason why the value may be invalid.
    pub(super) fn note(&mut self, reason: &str) {
        if self.shortfall.is_none() {
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

    fn pay(&mut self, bytes: usize) -> Result<(), Cut> {
        if spend(&mut self.limits.bytes, bytes) { Ok(()) } else { Err(self.limit("bytes")) }
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
        let only = node.all("const").next();
        let listed = |keyword| node.layers.iter().flat_map(move |layer| list(layer, keyword));
        let values = node.all("default").chain(listed("examples")).chain(listed("enum"));
        let mut seen = Vec::new();
        let mut valid = values.filter(|value| {
            let new = !value.is_null() && (nth == 0 || !seen.contains(value));
            let valid = new && self.fits(value, schemas);
            seen.extend((valid && nth > 0).then_some(*value));
            valid
        });
        let Some(value) = only.or_else(|| valid.nth(nth)) else {
            return self.none_given(node, schemas, nth);
        };
        let value = plain(value);
        self.pay(value.to_string().len() + 1).map(|()| Some(value))
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

    fn object(&mut self, node: &Node<'a>, nth: usize) -> Result<Value, Cut> {
        let names = property_names(node);
        let (least, most) = (node.at_least("minProperties"), node.at_most("maxProperties"));
        let required = names.values().filter(|required| **required).count();
        let mut optional = most.saturating_sub(required);
        let mut object = Map::new();
        for (name, required) in names {
            if !required && optional == 0 {
                continue;
            }
            match self.property(node, name, nth) {
                Ok(value) => {
                    object.insert(name.to_owned(), value);
                    optional -= usize::from(!required);
                }
                Err(cut) if required => return self.unfinished(Value::Object(object), cut),
                Err(_) => {}
            }
        }
        for number in 1.. {
            if object.len() >= least {
                break;
            }
            let name = format!("property{number}");
            match self.property(node, &name, nth) {
                _ if object.contains_key(&name) => {}
                Ok(value) => {
                    object.insert(name, value);
                }
                Err(cut) => return self.unfinished(Value::Object(object), cut),
            }
        }
        if object.len() > most {
            self.note("more required properties than maxProperties");
        }
        Ok(Value::Object(object))
    }

    /// What there is so far, where gaps are filled.
    fn unfinished(&mut self, value: Value, cut: Cut) -> Result<Value, Cut> {
        if self.fill_gaps { Ok(value) } else { Err(cut) }
    }

    fn property(&mut self, node: &Node<'a>, name: &str, nth: usize) -> Result<Value, Cut> {
        self.pay(json_len(name) + 1)?;
        let outer = self.path.len();
        self.path.push('/');
        self.path.push_str(name);
        let made = self.variant(&property_schemas(node, name), name, nth);
        self.path.truncate(outer);
        made
    }

    /// The `nth` value, or the only one.
    fn variant(&mut self, schemas: &[&'a Value], name: &str, nth: usize) -> Result<Value, Cut> {
        match self.value(schemas, name, nth) {
            Err(Cut::Impossible) if nth > 0 => self.value(schemas, name, 0),
            made => made,
        }
    }

    fn array(&mut self, node: &Node<'a>, name: &str, nth: usize) -> Result<Value, Cut> {
        let (least, most) = (node.at_least("minItems"), node.at_most("maxItems"));
        let unique = node.all("uniqueItems").any(|unique| *unique == Value::Bool(true));
        let tuple = node.layers.iter().map(|layer| tuple(layer).len()).max().unwrap_or(0);
        let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
        while items.len() < least.max(tuple).max(1).min(most) {
            let schemas = item_schemas(node, items.len());
            let made = if unique {
                self.new_item(&schemas, name, nth + items.len(), &mut seen)
            } else {
                self.variant(&schemas, name, nth)
            };
            match made {
                Ok(item) => items.push(item),
                Err(_) if items.len() >= least => break,
                Err(cut) => {
                    self.note("fewer items than minItems");
                    return self.unfinished(Value::Array(items), cut);
                }
            }
        }
        if least > most {
            self.note("minItems over maxItems");
        }
        Ok(Value::Array(items))
    }

    /// An item that is not among the `seen` ones.
    fn new_item(
        &mut self,
        schemas: &[&'a Value],
        name: &str,
        nth: usize,
        seen: &mut BTreeSet<String>,
    ) -> Result<Value, Cut> {
        for nth in (nth..nth + MORE_VARIANTS).chain(0..MORE_VARIANTS) {
            match self.value(schemas, name, nth) {
                Ok(item) if seen.insert(item.to_string()) => return Ok(item),
                Ok(_) | Err(Cut::Impossible) => {}
                Err(cut) => return Err(cut),
            }
        }
        Err(Cut::Impossible)
    }
}

/// The names of all properties, and whether each is required.
fn property_names<'a>(node: &Node<'a>) -> BTreeMap<&'a str, bool> {
    let objects = node.all("properties").filter_map(Value::as_object);
    let mut names: BTreeMap<&str, bool> =
        objects.flat_map(Map::keys).map(|name| (name.as_str(), false)).collect();
    let required = node.layers.iter().flat_map(|layer| list(layer, "required"));
    names.extend(required.filter_map(Value::as_str).map(|name| (name, true)));
    names
}

fn property_schemas<'a>(node: &Node<'a>, name: &str) -> Vec<&'a Value> {
    let schema = |layer: &&'a Map<String, Value>| {
        let named = layer.get("properties").and_then(|properties| properties.get(name));
        let other = || {
            layer.get("additionalProperties").filter(|_| !layer.contains_key("patternProperties"))
        };
        named.or_else(other)
    };
    node.layers.iter().filter_map(schema).collect()
}

/// The schemas of the first items; `items` was a list before draft 2020-12.
fn tuple(layer: &Map<String, Value>) -> &[Value] {
    let keyword = if layer.contains_key("prefixItems") { "prefixItems" } else { "items" };
    list(layer, keyword)
}

fn item_schemas<'a>(node: &Node<'a>, index: usize) -> Vec<&'a Value> {
    let schema = |layer: &&'a Map<String, Value>| {
        let rest = if layer.get("items").is_some_and(Value::is_array) {
            "additionalItems"
        } else {
            "items"
        };
        tuple(layer).get(index).or_else(|| layer.get(rest))
    };
    node.layers.iter().filter_map(schema).collect()
}
