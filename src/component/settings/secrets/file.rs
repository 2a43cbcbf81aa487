//! Reads secrets from a JSON file, for `secretstores.local.file`.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use crate::{
    base::files,
    component::{report::Report, settings::metadata::Metadata},
};

/// Maximum total size in bytes of all paths in a file.
const MAX_PATHS: usize = 16 << 20;

/// The values in a file, by secret name and key. If a secret has a single value, the key is the
/// secret's name.
pub(super) struct SecretsFile(BTreeMap<String, BTreeMap<String, Value>>);

impl SecretsFile {
    /// Reads the file named in the store's metadata.
    pub(super) fn open(metadata: &Metadata<'_>, report: &mut Report) -> Result<Self, String> {
        let file = metadata.text("secretsFile", report).ok_or("secretsFile is missing")?;
        let separator = metadata.text("nestedSeparator", report);
        let separator = separator.unwrap_or_else(|| ":".to_owned());
        let multi_valued = metadata.text("multiValued", report).is_some_and(|it| is_true(&it));
        let arrange = if multi_valued { multiple } else { single };
        let secrets = read(&file).and_then(|json| arrange(json, &separator));
        // Messages do not show a path that comes from the environment or a secret.
        let literal = metadata.literal("secretsFile");
        let shown = literal.map_or_else(|| "secretsFile".to_owned(), files::with_start);
        secrets.map_err(|error| format!("{shown} {error}"))
    }

    /// Returns the value of a key in a secret. The value is never empty.
    pub(super) fn get(&self, name: &str, key: &str) -> Result<String, String> {
        let values = self.0.get(name).ok_or_else(|| format!("secret {name:?} does not exist"))?;
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

/// Returns the error for a secret that does not have the key.
pub(super) fn no_key(name: &str, key: &str) -> String {
    format!("secret {name:?} has no key {key:?}")
}

fn read(file: &str) -> Result<Value, String> {
    let text = files::read_regular(Path::new(file)).map_err(|error| error.message)?;
    let json: Value =
        serde_json::from_str(&text).map_err(|error| format!("is not valid JSON: {error}"))?;
    if json.is_object() { Ok(json) } else { Err("is not a JSON object".to_owned()) }
}

/// Returns `true` if daprd reads the text as true.
fn is_true(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    matches!(text.as_str(), "y" | "yes" | "true" | "t" | "on" | "1")
}

/// Makes each value a secret. The name of the secret is the path of the value.
fn single(json: Value, separator: &str) -> Result<SecretsFile, String> {
    let secret = |(name, value): (String, Value)| (name.clone(), BTreeMap::from([(name, value)]));
    Ok(SecretsFile(flatten(json, separator)?.into_iter().map(secret).collect()))
}

/// Makes each entry a secret. The keys of the secret are the paths of the values in the entry.
fn multiple(json: Value, separator: &str) -> Result<SecretsFile, String> {
    let mut secrets = BTreeMap::new();
    let Value::Object(entries) = json else { return Ok(SecretsFile(secrets)) };
    for (name, value) in entries {
        let values = match value {
            Value::String(_) => BTreeMap::from([(name.clone(), value)]),
            Value::Object(_) => flatten(value, separator)?,
            _ => continue,
        };
        secrets.insert(name, values);
    }
    Ok(SecretsFile(secrets))
}

/// Returns the values of a tree by their paths.
fn flatten(json: Value, separator: &str) -> Result<BTreeMap<String, Value>, String> {
    let mut flattener = Flattener { separator, values: BTreeMap::new(), path_bytes: 0 };
    flattener.add(json, String::new())?;
    Ok(flattener.values)
}

struct Flattener<'a> {
    separator: &'a str,
    values: BTreeMap<String, Value>,
    /// The total size of all paths so far, in bytes.
    path_bytes: usize,
}

impl Flattener<'_> {
    /// Adds a tree. If two values have the same path, the first value wins.
    fn add(&mut self, json: Value, path: String) -> Result<(), String> {
        self.path_bytes += path.len();
        if self.path_bytes > MAX_PATHS {
            return Err("has more than 16 MiB of secret names, including their paths".to_owned());
        }
        let children: Vec<_> = match json {
            Value::Object(entries) => entries.into_iter().collect(),
            Value::Array(items) => (0_usize..).map(|at| at.to_string()).zip(items).collect(),
            value => {
                self.values.entry(path).or_insert(value);
                return Ok(());
            }
        };
        for (key, child) in children {
            let path = match path.as_str() {
                "" => key,
                path => format!("{path}{}{key}", self.separator),
            };
            self.add(child, path)?;
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

    fn error(secrets: &SecretsFile, name: &str, key: &str) -> String {
        secrets.get(name, key).unwrap_err()
    }

    #[test]
    fn single_values_are_named_by_their_path() {
        let secrets = single(tree(), ":").unwrap();
        for (name, value) in
            [("key", "k"), ("openai:key", "o"), ("openai:keys:1", "b"), ("list:0", "l")]
        {
            assert_eq!(secrets.get(name, name).as_deref(), Ok(value), "{name}");
        }
        assert_eq!(error(&secrets, "openai", "key"), r#"secret "openai" does not exist"#);
        assert_eq!(error(&secrets, "key", "k"), r#"secret "key" has no key "k""#);
        assert_eq!(error(&secrets, "port", "port"), r#"secret "port" is not text; quote it"#);
        assert_eq!(error(&secrets, "empty", "empty"), r#"secret "empty" is empty"#);
    }

    #[test]
    fn multiple_values_are_keyed_by_their_path() {
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
            let message = format!("secret {name:?} does not exist");
            assert_eq!(error(&secrets, name, name), message);
        }
    }

    #[test]
    fn rejects_paths_that_are_too_long() {
        let json = json!({ "x".repeat(1 << 20): vec![Value::Null; 100] });
        let message = "has more than 16 MiB of secret names, including their paths";
        assert_eq!(single(json.clone(), ":").err().as_deref(), Some(message));
        assert_eq!(multiple(json!({ "a": json }), ":").err().as_deref(), Some(message));
    }
}
