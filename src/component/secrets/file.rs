//! `secretstores.local.file`: secrets in a JSON file.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use super::{
    super::{metadata::Metadata, report::Report},
    local::no_key,
};
use crate::base::files;

/// The most bytes of all names in a file, each with the way to it.
const MAX_WAYS: usize = 16 << 20;

/// The secrets of a file: by name, and each by key. A single value has its own name for a key.
pub(super) struct Secrets(BTreeMap<String, BTreeMap<String, Value>>);

impl Secrets {
    /// Reads the file that the settings of the store name.
    pub(super) fn open(metadata: Metadata<'_>, report: &mut Report) -> Result<Self, String> {
        let file = metadata.text("secretsFile", report).ok_or("secretsFile is missing")?;
        let separator = metadata.text("nestedSeparator", report);
        let separator = separator.unwrap_or_else(|| ":".to_owned());
        let multi_valued = metadata.text("multiValued", report).is_some_and(|it| is_true(&it));
        let arrange = if multi_valued { multiple } else { single };
        let secrets = read(&file).and_then(|json| arrange(json, &separator));
        // A path that was looked up is not shown.
        let shown = metadata.written("secretsFile").unwrap_or_else(|| "secretsFile".to_owned());
        secrets.map_err(|why| format!("{shown} {why}"))
    }

    /// The value under a key of a secret, which is not empty.
    pub(super) fn get(&self, name: &str, key: &str) -> Result<String, String> {
        let values = self.0.get(name).ok_or_else(|| format!("there is no secret {name:?}"))?;
        match values.get(key) {
            Some(Value::String(text)) if text.is_empty() => {
                Err(format!("secret {name:?} is empty"))
            }
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(format!("secret {name:?} is not text; quote it")),
            None => Err(no_key(name, key)),
        }
    }
}

fn read(file: &str) -> Result<Value, String> {
    let text = files::read_regular(Path::new(file)).map_err(|error| error.message)?;
    let json: Value =
        serde_json::from_str(&text).map_err(|error| format!("is no JSON: {error}"))?;
    if json.is_object() { Ok(json) } else { Err("is no JSON object".to_owned()) }
}

/// What daprd takes for true.
fn is_true(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    matches!(text.as_str(), "y" | "yes" | "true" | "t" | "on" | "1")
}

/// Every value is a secret, whose name is the way to it.
fn single(json: Value, separator: &str) -> Result<Secrets, String> {
    let secret = |(name, value): (String, Value)| (name.clone(), BTreeMap::from([(name, value)]));
    Ok(Secrets(Flat::of(json, separator)?.into_iter().map(secret).collect()))
}

/// Every entry is a secret; the keys of its values are the ways to them within it.
fn multiple(json: Value, separator: &str) -> Result<Secrets, String> {
    let mut secrets = BTreeMap::new();
    let Value::Object(entries) = json else { return Ok(Secrets(secrets)) };
    for (name, value) in entries {
        let values = match value {
            Value::String(_) => BTreeMap::from([(name.clone(), value)]),
            Value::Object(_) => Flat::of(value, separator)?,
            _ => continue,
        };
        secrets.insert(name, values);
    }
    Ok(Secrets(secrets))
}

/// The values of a tree by the ways to them.
struct Flat<'a> {
    separator: &'a str,
    values: BTreeMap<String, Value>,
    /// Bytes of all ways so far.
    ways: usize,
}

impl Flat<'_> {
    fn of(json: Value, separator: &str) -> Result<BTreeMap<String, Value>, String> {
        let mut flat = Flat { separator, values: BTreeMap::new(), ways: 0 };
        flat.add(json, String::new())?;
        Ok(flat.values)
    }

    /// Of two values that the same way leads to, the first counts.
    fn add(&mut self, json: Value, way: String) -> Result<(), String> {
        self.ways += way.len();
        if self.ways > MAX_WAYS {
            return Err("has names that are too long: 16 MiB, each with the way to it".to_owned());
        }
        let children: Vec<_> = match json {
            Value::Object(entries) => entries.into_iter().collect(),
            Value::Array(items) => (0_usize..).map(|at| at.to_string()).zip(items).collect(),
            value => {
                self.values.entry(way).or_insert(value);
                return Ok(());
            }
        };
        for (key, child) in children {
            let way = if way.is_empty() { key } else { format!("{way}{}{key}", self.separator) };
            self.add(child, way)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tree() -> Value {
        json!({
            "key": "k", "port": 42, "empty": "",
            "openai": {"key": "o", "keys": ["a", "b"], "deep": {"er": "d"}},
            "list": ["l"],
        })
    }

    fn error(secrets: &Secrets, name: &str, key: &str) -> String {
        secrets.get(name, key).unwrap_err()
    }

    #[test]
    fn single_values_have_the_way_to_them_for_a_name() {
        let secrets = single(tree(), ":").unwrap();
        for (name, value) in
            [("key", "k"), ("openai:key", "o"), ("openai:keys:1", "b"), ("list:0", "l")]
        {
            assert_eq!(secrets.get(name, name).as_deref(), Ok(value), "{name}");
        }
        assert_eq!(error(&secrets, "openai", "key"), r#"there is no secret "openai""#);
        assert_eq!(error(&secrets, "key", "k"), r#"secret "key" has no key "k""#);
        assert_eq!(error(&secrets, "port", "port"), r#"secret "port" is not text; quote it"#);
        assert_eq!(error(&secrets, "empty", "empty"), r#"secret "empty" is empty"#);
    }

    #[test]
    fn multiple_values_have_the_way_to_them_for_a_key() {
        let secrets = multiple(tree(), ".").unwrap();
        for (name, key, value) in [
            ("key", "key", "k"),
            ("openai", "key", "o"),
            ("openai", "keys.0", "a"),
            ("openai", "deep.er", "d"),
        ] {
            assert_eq!(secrets.get(name, key).as_deref(), Ok(value), "{name} {key}");
        }
        for name in ["openai.key", "list", "port"] {
            let message = format!("there is no secret {name:?}");
            assert_eq!(error(&secrets, name, name), message);
        }
    }

    #[test]
    fn long_ways_to_many_values_are_refused() {
        let json = json!({ "x".repeat(1 << 20): vec![Value::Null; 100] });
        let message = "has names that are too long: 16 MiB, each with the way to it";
        assert_eq!(single(json.clone(), ":").err().as_deref(), Some(message));
        assert_eq!(multiple(json!({ "a": json }), ":").err().as_deref(), Some(message));
    }
}
