//! Texts and values with expressions, such as `{{ args.city }}`.

use std::collections::BTreeMap;

use minijinja::{
    Environment, UndefinedBehavior, Value,
    value::{Serde, ValueKind},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Maximum number of instructions of a template.
const FUEL: u64 = 100_000;
const NAME: &str = "template";

/// The variable with the arguments of a call.
pub(super) const ARGUMENTS: &str = "args";

/// A text with expressions such as `{{ args.city }}`.
#[derive(Debug)]
pub(super) struct Template(Environment<'static>);

/// An expression such as `args.city`, whose value can be of any type.
#[derive(Debug)]
pub(super) struct Expression {
    environment: Environment<'static>,
    source: String,
}

/// The variables of templates and expressions.
#[derive(Debug)]
pub struct Variables(Value);

impl Variables {
    /// Creates variables from the fields of an object.
    pub fn new(fields: &serde_json::Value) -> Self {
        Self(Value::from(Serde(fields)))
    }

    /// Creates the variable [`ARGUMENTS`] with the arguments of a call.
    pub(super) fn with_arguments(arguments: &serde_json::Value) -> Self {
        Self(Value::from(BTreeMap::from([(ARGUMENTS, Value::from(Serde(arguments)))])))
    }
}

/// How values are written, so that they cannot change the structure of the text around them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Escape {
    /// Percent-encodes all reserved characters.
    Url,
    /// Writes strings without quotes and everything else as JSON.
    Json,
    /// Writes strings unchanged and everything else as JSON.
    None,
}

impl Template {
    /// Parses a template. Returns the reason if it is malformed.
    pub(super) fn parse(text: &str, escape: Escape) -> Result<Self, String> {
        let mut environment = limited_environment();
        environment.set_formatter(move |out, _, value| Ok(out.write_str(&escape.apply(value))?));
        let added = environment.add_template_owned(NAME, text.to_owned());
        added.map_err(|error| format!("{text:?} is not a template: {}", reason(&error)))?;
        Ok(Self(environment))
    }

    /// Returns an error if the template uses another variable than these.
    pub(super) fn check_variables(&self, known: &[&str]) -> Result<(), String> {
        let template = self.0.get_template(NAME).map_err(|error| reason(&error))?;
        check_variables(&self.0, template.undeclared_variables(false), known)
    }

    /// Returns the text with these variables.
    pub(super) fn render(&self, variables: &Variables) -> Result<String, String> {
        let template = self.0.get_template(NAME).map_err(|error| reason(&error))?;
        template.render(&variables.0).map_err(|error| reason(&error))
    }
}

impl Expression {
    /// Parses an expression. Returns the reason if it is malformed.
    pub(super) fn parse(source: &str) -> Result<Self, String> {
        let (environment, source) = (limited_environment(), source.to_owned());
        match environment.compile_expression(&source) {
            Ok(_) => Ok(Self { environment, source }),
            Err(error) => Err(format!("{source:?} is not an expression: {}", reason(&error))),
        }
    }

    /// Returns an error if the expression uses another variable than these.
    pub(super) fn check_variables(&self, known: &[&str]) -> Result<(), String> {
        let expression = self.environment.compile_expression(&self.source);
        let expression = expression.map_err(|error| reason(&error))?;
        check_variables(&self.environment, expression.undeclared_variables(false), known)
    }

    /// Returns the value with these variables.
    pub(super) fn value(&self, variables: &Variables) -> Result<serde_json::Value, String> {
        let expression = self.environment.compile_expression(&self.source);
        let value = expression.and_then(|expression| expression.eval(&variables.0));
        let value = value.map_err(|error| reason(&error))?;
        if value.is_undefined() {
            return Err(format!("{} is undefined", self.source));
        }
        serde_json::to_value(value).map_err(|error| format!("{}: {error}", self.source))
    }
}

fn limited_environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    environment.set_fuel(Some(FUEL));
    // Errors name the expression that is undefined.
    environment.set_debug(true);
    environment
}

impl Escape {
    fn apply(self, value: &Value) -> String {
        let text = match value.kind() {
            ValueKind::Undefined | ValueKind::None => String::new(),
            ValueKind::String => value.to_string(),
            _ => serde_json::to_string(value).unwrap_or_default(),
        };
        match self {
            Self::Url => utf8_percent_encode(&text, &RESERVED).to_string(),
            Self::Json if value.kind() == ValueKind::String => {
                let quoted = serde_json::Value::from(text).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
            Self::Json | Self::None => text,
        }
    }
}

/// Returns an error if a name is neither a known variable nor a function.
fn check_variables(
    environment: &Environment<'_>,
    names: impl IntoIterator<Item = String>,
    known: &[&str],
) -> Result<(), String> {
    let is_function = |name: &str| environment.globals().any(|(global, _)| global == name);
    let unknown = |name: &String| !known.contains(&name.as_str()) && !is_function(name);
    match names.into_iter().filter(unknown).min() {
        Some(name) => {
            Err(format!("unknown variable `{name}`; expected one of: {}", known.join(", ")))
        }
        None => Ok(()),
    }
}

fn reason(error: &minijinja::Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
}
