//! URLs and bodies with the arguments of a call.

use minijinja::{
    Environment, UndefinedBehavior, Value, context,
    value::{Serde, ValueKind},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// Maximum number of instructions of a template.
const FUEL: u64 = 100_000;
const NAME: &str = "template";

/// A text with expressions such as `{{ args.city }}`.
#[derive(Debug)]
pub(super) struct Template(Environment<'static>);

/// How values are written, so that they cannot change the structure of the text around them.
#[derive(Debug, Clone, Copy)]
pub(super) enum Escape {
    /// Percent-encodes all reserved characters.
    Url,
    /// Writes strings without quotes and everything else as JSON.
    Json,
}

impl Template {
    /// Parses a template. Returns the reason if it is malformed.
    pub(super) fn parse(text: &str, escape: Escape) -> Result<Self, String> {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.set_fuel(Some(FUEL));
        environment.set_formatter(move |out, _, value| Ok(out.write_str(&escape.apply(value))?));
        let added = environment.add_template_owned(NAME, text.to_owned());
        added.map_err(|error| format!("{text:?} is not a template: {}", reason(&error)))?;
        Ok(Self(environment))
    }

    /// Returns the text with these arguments.
    pub(super) fn render(&self, arguments: &serde_json::Value) -> Result<String, String> {
        let args = Value::from(Serde(arguments));
        let template = self.0.get_template(NAME).map_err(|error| reason(&error))?;
        template.render(context! { args }).map_err(|error| reason(&error))
    }
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
            Self::Json => text,
        }
    }
}

fn reason(error: &minijinja::Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
}
