//! Objects and arrays.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    generator::Generator,
    limits::json_len,
    schema::{Cut, Node, list},
};

/// How many more variants are tried for an item that must differ from the others.
const MORE_VARIANTS: usize = 32;

impl<'a> Generator<'a> {
    /// All properties, required or not.
    pub(super) fn object(&mut self, node: &Node<'a>, nth: usize) -> Result<Value, Cut> {
        let names = self.property_names(node)?;
        let (least, most) = (node.at_least("minProperties"), node.at_most("maxProperties"));
        let required = names.values().filter(|required| **required).count();
        let mut optional = most.saturating_sub(required);
        let mut object = Map::new();
        for (name, required) in names {
            if !required && optional == 0 {
                continue;
            }
            match self.property(node, name, nth, required) {
                Ok(value) => {
                    object.insert(name.to_owned(), value);
                    optional -= usize::from(!required);
                }
                Err(cut) if required => return self.unfinished(Value::Object(object), cut),
                Err(_) => {}
            }
        }
        if let Err(cut) = self.more_properties(node, &mut object, least, nth) {
            return self.unfinished(Value::Object(object), cut);
        }
        if object.len() > most {
            self.note("more required properties than maxProperties");
        }
        Ok(Value::Object(object))
    }

    /// The names of all properties, and whether each is required.
    fn property_names(&mut self, node: &Node<'a>) -> Result<BTreeMap<&'a str, bool>, Cut> {
        let objects = || node.all("properties").filter_map(Value::as_object);
        let required = || node.layers.iter().flat_map(|layer| list(layer, "required"));
        self.step(objects().map(Map::len).sum::<usize>() + required().count())?;
        let names = objects().flat_map(Map::keys).map(|name| (name.as_str(), false));
        let required = required().filter_map(Value::as_str).map(|name| (name, true));
        Ok(names.chain(required).collect())
    }

    /// Properties of any name, until there are `least`.
    fn more_properties(
        &mut self,
        node: &Node<'a>,
        object: &mut Map<String, Value>,
        least: usize,
        nth: usize,
    ) -> Result<(), Cut> {
        let free = (1_usize..).map(|number| format!("property{number}"));
        for name in free {
            if object.len() >= least {
                break;
            }
            if !object.contains_key(&name) {
                let value = self.property(node, &name, nth, true)?;
                object.insert(name, value);
            }
        }
        Ok(())
    }

    /// What there is so far, where gaps are filled.
    fn unfinished(&mut self, value: Value, cut: Cut) -> Result<Value, Cut> {
        if self.fill_gaps { Ok(value) } else { Err(cut) }
    }

    /// A property that may be left out has no gaps inside: it is left out.
    fn property(
        &mut self,
        node: &Node<'a>,
        name: &str,
        nth: usize,
        required: bool,
    ) -> Result<Value, Cut> {
        self.step(node.layers.len())?;
        self.pay(json_len(name) + 1)?;
        let fill_gaps = self.fill_gaps;
        self.fill_gaps &= required;
        let outer = self.path.len();
        self.path.push('/');
        self.path.push_str(name);
        let made = self.variant(&property_schemas(node, name), name, nth);
        self.path.truncate(outer);
        self.fill_gaps = fill_gaps;
        made
    }

    /// The `nth` value, or the only one.
    fn variant(&mut self, schemas: &[&'a Value], name: &str, nth: usize) -> Result<Value, Cut> {
        match self.value(schemas, name, nth) {
            Err(Cut::Impossible) if nth > 0 => self.value(schemas, name, 0),
            made => made,
        }
    }

    /// As many items as there must be, at least one.
    pub(super) fn array(&mut self, node: &Node<'a>, name: &str, nth: usize) -> Result<Value, Cut> {
        let (least, most) = (node.at_least("minItems"), node.at_most("maxItems"));
        let unique = node.all("uniqueItems").any(|unique| *unique == Value::Bool(true));
        let tuple = node.layers.iter().map(|layer| tuple(layer).len()).max().unwrap_or(0);
        let (mut items, mut seen) = (Vec::new(), BTreeSet::new());
        while items.len() < least.max(tuple).max(1).min(most) {
            self.step(node.layers.len())?;
            let schemas = item_schemas(node, items.len());
            let fill_gaps = self.fill_gaps;
            self.fill_gaps &= items.len() < least;
            let made = if unique {
                self.new_item(&schemas, name, nth + items.len(), &mut seen)
            } else {
                self.variant(&schemas, name, nth)
            };
            self.fill_gaps = fill_gaps;
            match made {
                Ok(item) => items.push(item),
                Err(_) if items.len() >= least => break,
                Err(cut) => {
                    if self.fill_gaps {
                        self.note("fewer items than minItems");
                    }
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
