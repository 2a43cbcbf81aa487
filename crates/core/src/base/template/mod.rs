//! Texts with expressions, such as `It is {{ t }} degrees.`
//!
//! A [`Templates`] has the parsed templates of a file. A text is a template if it has one of minijinja's
//! marks. Templates have no clock and no randomness, and their work and output are limited.

// check      what templates may use
// strings    the strings in a JSON text
// typed      single expressions that keep the type of their value

mod check;
mod strings;
mod typed;

use std::{
    borrow::Cow,
    cell::LazyCell,
    collections::BTreeSet,
    io::{self, Write},
};

use minijinja::{
    Environment, Error, ErrorKind, Output, UndefinedBehavior, syntax::SyntaxConfig,
    value::ValueKind,
};
pub use minijinja::{
    Value,
    value::{Object, Serde},
};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

pub use self::strings::map_strings;
use self::{
    check::{RANGE, check},
    strings::map_values,
};
use crate::{
    base::text::{shorten, single_expression},
    chat::LazyJson,
};

/// The fuel of a template: one per instruction, and one per 64 bytes of data. This also limits the
/// output to about 6 MiB.
const FUEL: u64 = 100_000;

/// Maximum size of a value that is written as JSON, in bytes. The fuel for it is charged afterwards.
const MAX_JSON: usize = 4 << 20;

/// Maximum number of characters of a template in an error.
const MAX_SHOWN: usize = 100;

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Parsed templates.
#[derive(Debug)]
pub struct Templates(Environment<'static>);

/// How values are written, so that they cannot change the structure of the text around them.
#[derive(Debug, Clone, Copy)]
pub enum Escape {
    /// Writes texts unchanged and everything else as JSON.
    None,
    /// Like `None`, but percent-encodes all reserved characters.
    Url,
    /// Writes texts as JSON strings without quotes and everything else as JSON.
    Json,
}

/// A variable that templates may use.
#[derive(Debug, Clone, Copy)]
pub struct Variable<'n> {
    /// The name in expressions.
    pub name: &'n str,
    /// Whether the value is always a text or a number. Other values cannot be arguments of filters or
    /// operands.
    pub is_text: bool,
}

impl Default for Templates {
    fn default() -> Self {
        Self::new(UndefinedBehavior::Strict, Escape::None)
    }
}

/// The beginnings of expressions, statements and comments.
const MARKS: [&str; 3] = ["{{", "{%", "{#"];

/// Returns `true` if a text is a template.
pub fn is_template(text: &str) -> bool {
    text.contains('{') && MARKS.iter().any(|mark| text.contains(mark))
}

/// Returns a template that gives this text.
pub fn literal(text: &str) -> Cow<'_, str> {
    if !is_template(text) {
        return Cow::Borrowed(text);
    }
    // One expression for all marks, because the number of tokens is limited.
    let start = MARKS.iter().filter_map(|mark| text.find(mark)).min().unwrap_or_default();
    let end = MARKS.iter().filter_map(|mark| text.rfind(mark)).max().unwrap_or_default() + 2;
    let (before, marked, after) = (&text[..start], &text[start..end], &text[end..]);
    Cow::Owned(format!("{before}{{{{ {} }}}}{after}", serde_json::Value::from(marked)))
}

impl Templates {
    /// Creates an empty set of templates for requests. In conditions, what is undefined is false, since
    /// arguments may be optional.
    pub fn of_requests(escape: Escape) -> Self {
        Self::new(UndefinedBehavior::SemiStrict, escape)
    }

    fn new(undefined: UndefinedBehavior, escape: Escape) -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(undefined);
        environment.set_fuel(Some(FUEL));
        // Errors name the expression that is undefined.
        environment.set_debug(true);
        // The default marks are always valid.
        if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
            environment.set_syntax(syntax);
        }
        environment.set_formatter(move |out, _, value| escape.write(out, value));
        environment.add_filter("tojson", |value: Value| json(&value));
        Self(environment)
    }

    /// Returns the number of templates.
    pub fn count(&self) -> usize {
        self.0.templates().count()
    }

    /// Parses a text if it is a template. Returns the reason if it is malformed, or if it uses other
    /// variables than these.
    pub fn add(&mut self, text: &str, variables: &[Variable<'_>]) -> Result<(), String> {
        if !is_template(text) {
            return Ok(());
        }
        let is_text = |name: &str| {
            variables.iter().find(|variable| variable.name == name).map(|it| it.is_text)
        };
        check(text, self.0.syntax().clone(), is_text)
            .map_err(|(offset, problem)| described(text, offset, &problem))?;
        // The text is also the name, so that texts need not refer to their templates.
        self.0
            .add_template_owned(text.to_owned(), text.to_owned())
            .map_err(|error| format!("malformed {}", failure(text, &error)))?;
        let template = self.0.get_template(text).map_err(|error| failure(text, &error))?;
        let is_known = |name: &str| name == RANGE || is_text(name).is_some();
        let used: BTreeSet<_> = template.undeclared_variables(false).into_iter().collect();
        match used.into_iter().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                let known: Vec<_> = variables.iter().map(|variable| variable.name).collect();
                let (template, known) = (quoted(text), known.join(", "));
                Err(format!(
                    "template {template}: unknown variable `{name}`; expected one of: {known}"
                ))
            }
        }
    }

    /// Parses the templates among the strings in a JSON text. Keys are not templates.
    pub fn add_json(&mut self, json: &str, variables: &[Variable<'_>]) -> Result<(), String> {
        map_values(json, |text, _| self.add(text, variables).map(|()| None)).map(|_| ())
    }

    /// Returns a text with its expressions replaced. Returns the reason if that fails, or if the text is
    /// a template that was never added.
    pub fn render<'t>(&self, text: &'t str, variables: &Value) -> Result<Cow<'t, str>, String> {
        if !is_template(text) {
            return Ok(Cow::Borrowed(text));
        }
        let template = self.0.get_template(text);
        let rendered = template.and_then(|template| template.render(variables.clone()));
        rendered.map(Cow::Owned).map_err(|error| failure(text, &error))
    }

    /// Returns a JSON text with the expressions in its strings replaced. Everything else stays as
    /// written. A string that is a single expression becomes its value, unless the schema wants a
    /// string there.
    pub fn render_json<'t>(
        &self,
        json: &'t str,
        variables: &Value,
        schema: Option<&LazyJson>,
    ) -> Result<Cow<'t, str>, String> {
        let schema = LazyCell::new(|| schema.map(LazyJson::read));
        map_values(json, |text, path| {
            if !is_template(text) {
                return Ok(None);
            }
            let value = self.single_value(text, variables);
            let wants_text = |value: &Value| {
                schema.as_ref().is_some_and(|it| typed::wants_text(it, path, value.kind()))
            };
            if let Some(value) = value.filter(|value| !wants_text(value)) {
                return self::json(&value).map(Some).map_err(|error| failure(text, &error));
            }
            let rendered = self.render(text, variables)?.into_owned();
            Ok(Some(serde_json::Value::from(rendered).to_string()))
        })
    }

    /// Returns the value of a template that is a single expression, unless it is a text.
    fn single_value(&self, text: &str, variables: &Value) -> Option<Value> {
        let expression = self.0.compile_expression(single_expression(text)?).ok()?;
        // Rendering reports the error.
        let value = expression.eval(variables.clone()).ok()?;
        (!matches!(value.kind(), ValueKind::Undefined | ValueKind::String)).then_some(value)
    }
}

impl Escape {
    /// Writes a value. Writes nothing for null.
    fn write(self, out: &mut Output<'_>, value: &Value) -> Result<(), Error> {
        let text = match value.kind() {
            ValueKind::Undefined | ValueKind::None => return Ok(()),
            ValueKind::String => value.as_str().map_or_else(|| value.to_string().into(), Cow::from),
            _ => Cow::Owned(json(value)?),
        };
        match self {
            Self::Url => write!(out, "{}", utf8_percent_encode(&text, &RESERVED))?,
            Self::Json if value.kind() == ValueKind::String => {
                let quoted = serde_json::Value::from(text).to_string();
                out.write_str(&quoted[1..quoted.len() - 1])?;
            }
            Self::Json | Self::None => out.write_str(&text)?,
        }
        Ok(())
    }
}

fn json(value: &Value) -> Result<String, Error> {
    let mut json = BoundedJson::default();
    match serde_json::to_writer(&mut json, value) {
        Ok(()) => Ok(String::from_utf8_lossy(&json.0).into_owned()),
        Err(error) => {
            let problem = if error.is_io() {
                format!("a value has more than {MAX_JSON} bytes as JSON")
            } else {
                format!("a value cannot be written as JSON: {error}")
            };
            Err(Error::new(ErrorKind::InvalidOperation, problem))
        }
    }
}

/// JSON of limited size. A value may refer to itself many times, so its JSON may be far larger.
#[derive(Default)]
struct BoundedJson(Vec<u8>);

impl Write for BoundedJson {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_JSON {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn quoted(text: &str) -> String {
    format!("{:?}", shorten(text, MAX_SHOWN))
}

fn failure(text: &str, error: &Error) -> String {
    match error.range() {
        Some(range) => described(text, range.start, &reason(error)),
        None => format!("template {}: {}", quoted(text), reason(error)),
    }
}

/// Describes what is wrong with a template at the byte at `offset`.
fn described(text: &str, offset: usize, problem: &str) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    format!("template {}, line {line}, column {column}: {problem}", quoted(text))
}

fn reason(error: &Error) -> String {
    let reason = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
    match error.kind() {
        ErrorKind::UndefinedError => format!("{reason}; use the filter default or `is defined`"),
        _ => reason,
    }
}
