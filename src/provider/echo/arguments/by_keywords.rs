//! Generates values from the keywords of a schema.

use serde_json::{Map, Value};

use super::{
    budget::{BRACKETS_LEN, Generation, NoValue},
    generator::Generator,
    number::{self, normalize_integers},
    schema::{FlatSchema, type_names},
};

impl<'a> Generator<'a> {
    /// Returns a value that the schema provides, or else generates one of its type.
    pub(super) fn value_by_keywords(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
    ) -> Generation {
        if let Some(value) = self.provided(flat, schemas)? {
            return Ok(value);
        }
        // Charge for the brackets first, so that a container that fails halfway is also charged.
        self.spend_bytes(BRACKETS_LEN)?;
        let value = self.by_type(flat)?;
        self.spend_scalar(&value).map(|()| value)
    }

    /// Returns a value that the schema provides: `const`, or else a valid value in `default`,
    /// `examples` and `enum`. Fails if `enum` allows only null, and ignores an `enum` without valid
    /// values.
    fn provided(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
    ) -> Result<Option<Value>, NoValue> {
        let listed = if flat.constant().is_none() { self.listed(flat, schemas)? } else { None };
        if let Some(value) = flat.constant().or(listed) {
            let len = value.to_string().len();
            // Charge for copying the value.
            self.budget.steps = self.budget.steps.saturating_sub(len / 8);
            self.spend_bytes(len + 1)?;
            return Ok(Some(normalize_integers(value)));
        }
        if flat.branch_constants().next().is_some() || flat.values("enum").any(Value::is_array) {
            if self.frame.variant > 0 || self.is_valid(&Value::Null, schemas) {
                return Err(NoValue::Unsatisfiable);
            }
            self.note_violation("enum has no valid value");
        }
        Ok(None)
    }

    fn listed(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
    ) -> Result<Option<&'a Value>, NoValue> {
        let values = flat.values("default").chain(flat.listed("examples"));
        let values = values.chain(flat.listed("enum")).chain(flat.branch_constants());
        let mut earlier = 0;
        for value in values {
            self.spend_steps(1)?;
            if !value.is_null() && self.is_valid(value, schemas) {
                if earlier == self.frame.variant {
                    return Ok(Some(value));
                }
                earlier += 1;
            }
        }
        Ok(None)
    }

    fn by_type(&mut self, flat: &FlatSchema<'a>) -> Generation {
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
