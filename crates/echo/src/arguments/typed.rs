//! Generates a value for flat schemas: one that they provide, or else one of their type.

use std::ptr;

use serde_json::Value;

use super::{
    budget::{Generation, NoValue},
    generator::Generator,
    number,
    origin::Origin,
    schema::{FlatSchema, type_names},
};
use crate::settings::Optional;

impl<'a> Generator<'a> {
    /// Returns a value that the schema provides: `const`, otherwise a valid value in `default`,
    /// `examples` and `enum`. Fails if `enum` allows only null, and ignores an `enum` without valid
    /// values.
    pub(super) fn provided(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
    ) -> Result<Option<&'a Value>, NoValue> {
        if let Some(only) = flat.constant() {
            return Ok(Some(only));
        }
        let values = flat.values("default").chain(flat.listed("examples"));
        let mut later = self.frame.variant;
        let is_default = |value: &Value| flat.values("default").any(|it| ptr::eq(it, value));
        let takes_null = self.context.optional != Optional::Fill;
        for value in values.chain(flat.listed("enum")).chain(flat.branch_constants()) {
            self.budget.spend_steps(1)?;
            let may_be = !value.is_null() || takes_null && is_default(value);
            if may_be && self.is_valid(value, schemas) {
                if later == 0 {
                    return Ok(Some(value));
                }
                later -= 1;
            }
        }
        if flat.branch_constants().next().is_some() || flat.values("enum").any(Value::is_array) {
            if self.frame.variant > 0 || self.is_valid(&Value::Null, schemas) {
                return Err(NoValue::Unsatisfiable);
            }
            self.note_violation("enum has no valid value");
        }
        Ok(None)
    }

    pub(super) fn by_type(&mut self, flat: &FlatSchema<'a>) -> Generation {
        let type_name = flat.type_name().unwrap_or_else(|| {
            self.note_violation("the types exclude each other");
            flat.values("type").flat_map(type_names).next().unwrap_or("string")
        });
        let scalar = match type_name {
            "object" => return self.object(flat),
            "array" => return self.array(flat),
            "integer" | "number" => self.number(flat, type_name == "integer")?,
            "boolean" if self.frame.variant < 2 => Value::Bool(self.frame.variant == 0),
            "null" if self.frame.variant == 0 => Value::Null,
            "boolean" | "null" => return Err(NoValue::Unsatisfiable),
            _ => self.string(flat)?,
        };
        self.trace(Origin::default);
        self.pay(scalar)
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
}
