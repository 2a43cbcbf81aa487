//! Finds the values that a schema provides.

use serde_json::Value;

use super::{
    budget::NoValue, generator::Generator, number::normalize_integers, schema::FlatSchema,
};

impl<'a> Generator<'a> {
    /// Returns a value that the schema provides: `const`, or else the first valid value in
    /// `default`, `examples` and `enum`. Returns null only if `enum` allows nothing else.
    pub(super) fn provided(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
    ) -> Result<Option<Value>, NoValue> {
        let Some(value) = self.find_provided(flat, schemas)? else {
            return self.null_from_enum(flat, schemas);
        };
        let len = value.to_string().len();
        // Charge for copying the value.
        self.budget.steps = self.budget.steps.saturating_sub(len / 8);
        self.spend_bytes(len + 1)?;
        Ok(Some(normalize_integers(value)))
    }

    fn find_provided(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
    ) -> Result<Option<&'a Value>, NoValue> {
        if let Some(only) = flat.constant() {
            return Ok(Some(only));
        }
        let values = flat.values("default").chain(flat.listed("examples"));
        let values = values.chain(flat.listed("enum")).chain(flat.branch_constants());
        let mut earlier = 0;
        for value in values {
            self.spend_steps(1)?;
            if !value.is_null() && self.is_valid(value, schemas) {
                if earlier == self.variant {
                    return Ok(Some(value));
                }
                earlier += 1;
            }
        }
        Ok(None)
    }

    /// Returns null if the `enum` allows null. Ignores an `enum` without valid values.
    fn null_from_enum(
        &mut self,
        flat: &FlatSchema<'a>,
        schemas: &[&'a Value],
    ) -> Result<Option<Value>, NoValue> {
        let has_constant = flat.branch_constants().next().is_some();
        if !has_constant && !flat.values("enum").any(Value::is_array) {
            return Ok(None);
        }
        if self.variant > 0 {
            return Err(NoValue::Unsatisfiable);
        }
        let allows_null = self.is_valid(&Value::Null, schemas);
        if !allows_null {
            self.note_violation("enum has no valid value");
        }
        Ok(allows_null.then_some(Value::Null))
    }
}
