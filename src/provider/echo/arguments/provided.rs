//! Finds the values that a schema provides.

use serde_json::Value;

use super::{
    generator::Generator,
    json_number::normalize_integers,
    schema::{FlatSchema, NoValue, array},
};

impl<'a> Generator<'a> {
    /// Returns a value that the schema provides: `const`, or else the `nth` valid value in
    /// `default`, `examples` and `enum`. Returns null only if `enum` allows nothing else.
    pub(super) fn provided(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
        nth: usize,
    ) -> Result<Option<Value>, NoValue> {
        let Some(value) = self.find_provided(flat, schemas, nth)? else {
            return self.null_from_enum(flat, schemas, nth);
        };
        let text = value.to_string();
        // Charge for copying the value.
        self.budget.steps = self.budget.steps.saturating_sub(text.len() / 8);
        self.spend_bytes(text.len() + 1).map(|()| Some(normalize_integers(value)))
    }

    fn find_provided(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
        nth: usize,
    ) -> Result<Option<&'a Value>, NoValue> {
        if let Some(only) = flat.constants(false).next() {
            return Ok(Some(only));
        }
        let listed = |keyword| flat.layers.iter().flat_map(move |layer| array(layer, keyword));
        let values = flat.values("default").chain(listed("examples")).chain(listed("enum"));
        let values = values.chain(flat.constants(true));
        let mut earlier = Vec::new();
        for value in values {
            self.spend_steps(1 + earlier.len())?;
            if value.is_null() || earlier.contains(&value) || !self.is_valid(value, schemas) {
                continue;
            }
            if earlier.len() == nth {
                return Ok(Some(value));
            }
            earlier.push(value);
        }
        Ok(None)
    }

    /// Returns null if the `enum` allows null. Ignores an `enum` without valid values.
    fn null_from_enum(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
        nth: usize,
    ) -> Result<Option<Value>, NoValue> {
        let is_constant = flat.constants(true).next().is_some();
        if !is_constant && !flat.values("enum").any(Value::is_array) {
            return Ok(None);
        }
        if nth > 0 {
            return Err(NoValue::Unsatisfiable);
        }
        let allows_null = self.is_valid(&Value::Null, schemas);
        if !allows_null {
            self.note_violation("enum has no valid value");
        }
        Ok(allows_null.then_some(Value::Null))
    }
}
