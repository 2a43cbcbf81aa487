//! Finds the values that a schema provides.

use serde_json::Value;

use super::{
    budget::NoValue, generator::Generator, number::normalize_integers, schema::FlatSchema,
};

impl<'a> Generator<'a> {
    /// Returns a value that the schema provides: `const`, or else a valid value in `default`,
    /// `examples` and `enum`. Fails if `enum` allows only null, and ignores an `enum` without valid
    /// values.
    pub(super) fn provided(
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
}
