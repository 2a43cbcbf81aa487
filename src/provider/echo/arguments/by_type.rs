//! Generates values of the type that a schema asks for.

use serde_json::{Map, Value};

use super::{
    budget::{BRACKETS_LEN, Generation, NoValue},
    generator::Generator,
    number,
    schema::{FlatSchema, type_names},
};

impl<'a> Generator<'a> {
    pub(super) fn by_type(&mut self, flat: &FlatSchema<'a>) -> Generation {
        let type_name = flat.type_name().unwrap_or_else(|| {
            self.note_violation("the types exclude each other");
            flat.values("type").flat_map(type_names).next().unwrap_or("string")
        });
        match type_name {
            "object" => self.object(flat),
            "array" => self.array(flat),
            "integer" | "number" => self.number(flat, type_name == "integer"),
            "boolean" if self.frame.variant < 2 => Ok(Value::Bool(self.frame.variant == 0)),
            "null" if self.frame.variant == 0 => Ok(Value::Null),
            "boolean" | "null" => Err(NoValue::Unsatisfiable),
            _ => self.string(flat),
        }
    }

    fn number(&mut self, flat: &FlatSchema<'a>, integer: bool) -> Generation {
        if self.context.literal && self.frame.variant == 0 {
            return Ok(Value::from(42));
        }
        number::choose(flat, integer, self.frame.variant).or_else(|closest| {
            if self.frame.variant > 0 {
                return Err(NoValue::Unsatisfiable);
            }
            self.note_violation("no number satisfies the bounds and multipleOf");
            Ok(closest)
        })
    }

    /// Returns a value that is invalid but has the right type.
    pub(super) fn fallback(&mut self, schemas: &[&'a Value], reason: NoValue) -> Generation {
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
        self.spend_bytes(BRACKETS_LEN)?;
        self.spend_scalar(&value).map(|()| value)
    }
}
