//! Maps arbitrary bytes to satisfiable schemas.

use serde_json::{Map, Value, json};

/// A sequence of choices, one per byte. After the last byte, every choice is the first option.
pub struct Choices<'a>(pub &'a [u8]);

const NAMES: [&str; 6] = ["email", "city", "count", "a", "é~/", "time_zone"];
const FORMATS: [&str; 8] =
    ["email", "uri", "uuid", "date", "date-time", "ipv4", "ipv6", "hostname"];
const PATTERNS: [&str; 6] = ["^[a-z]+$", "[0-9]{3}", "^(a|b)c*$", "^\\w+@\\w+$", "x?", "^\\S+$"];
const STEPS: [f64; 4] = [1.0, 0.5, 0.25, 3.0];

impl Choices<'_> {
    fn below(&mut self, bound: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        usize::from(*first) % bound
    }

    /// Returns a schema for an object.
    pub fn object(&mut self, depth: usize) -> Value {
        let named: Map<_, _> = (0..self.below(NAMES.len()))
            .map(|number| (NAMES[number].to_owned(), self.schema(depth)))
            .collect();
        let required: Vec<_> = named.keys().take(self.below(NAMES.len())).cloned().collect();
        json!({"type": "object", "properties": named, "required": required})
    }

    fn schema(&mut self, depth: usize) -> Value {
        match (self.below(9), depth) {
            (0, _) => json!({"type": "boolean"}),
            (1, _) => json!({"type": "string", "format": FORMATS[self.below(FORMATS.len())]}),
            (2, _) => json!({"type": "string", "pattern": PATTERNS[self.below(PATTERNS.len())]}),
            (3, _) => self.integer(),
            (4, _) => self.number(),
            (5, 1..) => self.array(depth - 1),
            (6, 1..) => self.object(depth - 1),
            (7, 1..) => json!({"anyOf": [{"type": "null"}, self.schema(depth - 1)]}),
            (8, _) => json!({"enum": [null, self.below(9), "é"]}),
            _ => self.text(),
        }
    }

    fn text(&mut self) -> Value {
        let min = self.below(200);
        json!({"type": "string", "minLength": min, "maxLength": min + self.below(9)})
    }

    fn integer(&mut self) -> Value {
        let (min, range) = (self.below(256) as i64 - 128, self.below(256) as i64);
        json!({"type": "integer", "minimum": min, "maximum": min + range})
    }

    /// Returns a schema for a number that has at least two valid values.
    fn number(&mut self) -> Value {
        let (min, step) = (self.below(256) as f64 - 128.0, STEPS[self.below(STEPS.len())]);
        json!({"type": "number", "minimum": min, "maximum": min + 2.0 * step, "multipleOf": step})
    }

    fn array(&mut self, depth: usize) -> Value {
        let (min, range) = (self.below(3), self.below(3));
        let items = self.schema(depth);
        json!({"type": "array", "items": items, "minItems": min, "maxItems": min + range})
    }
}
