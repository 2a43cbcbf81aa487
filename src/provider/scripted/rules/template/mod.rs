//! Texts with expressions, such as `It is {{ t }} degrees.`
//!
//! A [`Templates`] has the parsed templates of a file. A text is a template if it has one of minijinja's
//! marks. Templates have no clock and no randomness, and their work and output are limited.

// variables  the variables of templates
// strings    the strings in a JSON text

mod strings;
#[cfg(test)]
mod tests;
mod variables;

use std::{
    borrow::Cow,
    collections::BTreeSet,
    io::{self, Write},
};

use minijinja::{
    Environment, Error, ErrorKind, Output, UndefinedBehavior, Value, syntax::SyntaxConfig,
    value::ValueKind,
};

pub(super) use self::strings::map_strings;
use self::strings::map_values;
pub use self::variables::Variables;
use super::matching::VARIABLES;
use crate::base::text::shorten;

/// The fuel of a template: one per instruction, and one per 64 bytes of data. This also limits the
/// output to about 6 MiB.
const FUEL: u64 = 100_000;

/// Maximum size of a value that is written as JSON, in bytes. The fuel for it is charged afterwards.
const MAX_JSON: usize = 4 << 20;

/// Maximum number of characters of a template in an error.
const MAX_SHOWN: usize = 100;

/// Parsed templates.
#[derive(Debug)]
pub struct Templates(Environment<'static>);

impl Default for Templates {
    fn default() -> Self {
        let mut environment = Environment::new();
        environment.set_undefined_behavior(UndefinedBehavior::Strict);
        environment.set_fuel(Some(FUEL));
        // Errors name the expression that is undefined.
        environment.set_debug(true);
        // The default marks are always valid.
        if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
            environment.set_syntax(syntax);
        }
        environment.set_formatter(|out, _, value| write_value(out, value));
        Self(environment)
    }
}

/// The beginnings of expressions, statements and comments.
const MARKS: [&str; 3] = ["{{", "{%", "{#"];

/// Returns `true` if a text is a template.
pub fn is_template(text: &str) -> bool {
    MARKS.iter().any(|mark| text.contains(mark))
}

/// Returns a template that gives this text.
pub fn literal(text: &str) -> Cow<'_, str> {
    if !is_template(text) {
        return Cow::Borrowed(text);
    }
    let (mut template, mut rest) = (String::new(), text);
    while let Some(at) = MARKS.iter().filter_map(|mark| rest.find(mark)).min() {
        let (before, from_mark) = rest.split_at(at);
        let (mark, after) = from_mark.split_at(MARKS[0].len());
        template.push_str(&format!("{before}{{{{ {mark:?} }}}}"));
        rest = after;
    }
    Cow::Owned(template + rest)
}

impl Templates {
    /// Parses a text if it is a template. Returns the reason if it is malformed, or if it uses a
    /// variable that is neither one of the call nor one of the `captures`.
    pub fn add(&mut self, text: &str, captures: &BTreeSet<&str>) -> Result<(), String> {
        if !is_template(text) {
            return Ok(());
        }
        // The text is also the name, so that texts need not refer to their templates.
        self.0
            .add_template_owned(text.to_owned(), text.to_owned())
            .map_err(|error| format!("malformed {}", failure(text, &error)))?;
        let template = self.0.get_template(text).map_err(|error| failure(text, &error))?;
        let is_function = |name: &str| self.0.globals().any(|(global, _)| global == name);
        let is_known =
            |name: &str| VARIABLES.contains(&name) || captures.contains(name) || is_function(name);
        let used: BTreeSet<_> = template.undeclared_variables(false).into_iter().collect();
        match used.into_iter().find(|name| !is_known(name)) {
            None => Ok(()),
            Some(name) => {
                let known: Vec<_> = VARIABLES.iter().chain(captures).copied().collect();
                let (template, known) = (quoted(text), known.join(", "));
                Err(format!(
                    "template {template}: unknown variable `{name}`; expected one of: {known}"
                ))
            }
        }
    }

    /// Parses the templates among the strings in a JSON text. Keys are no templates.
    pub fn add_json(&mut self, json: &str, captures: &BTreeSet<&str>) -> Result<(), String> {
        map_values(json, |text| self.add(text, captures).map(|()| None)).map(|_| ())
    }

    /// Returns a text with its expressions replaced. Returns the reason if that fails. A text that was
    /// never added is parsed each time.
    pub fn render<'t>(&self, text: &'t str, variables: &Variables) -> Result<Cow<'t, str>, String> {
        if !is_template(text) {
            return Ok(Cow::Borrowed(text));
        }
        let template = self.0.get_template(text).or_else(|_| self.0.template_from_str(text));
        let rendered = template.and_then(|template| template.render(variables.value()));
        rendered.map(Cow::Owned).map_err(|error| failure(text, &error))
    }

    /// Returns a JSON text with the expressions in its strings replaced. Everything else stays as
    /// written.
    pub fn render_json<'t>(
        &self,
        json: &'t str,
        variables: &Variables,
    ) -> Result<Cow<'t, str>, String> {
        map_values(json, |text| match self.render(text, variables)? {
            Cow::Borrowed(_) => Ok(None),
            Cow::Owned(text) => Ok(Some(text)),
        })
    }
}

/// Writes strings unchanged, nothing for null, and everything else as JSON.
fn write_value(out: &mut Output<'_>, value: &Value) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined | ValueKind::None => {}
        ValueKind::String => match value.as_str() {
            Some(text) => out.write_str(text)?,
            None => write!(out, "{value}")?,
        },
        _ => {
            let mut json = BoundedJson::default();
            match serde_json::to_writer(&mut json, value) {
                Ok(()) => out.write_str(&String::from_utf8_lossy(&json.0))?,
                Err(error) if error.is_io() => {
                    let message = format!("a value has more than {MAX_JSON} bytes as JSON");
                    return Err(Error::new(ErrorKind::InvalidOperation, message));
                }
                // What cannot be written as JSON, such as a map whose keys are lists.
                Err(_) => {}
            }
        }
    }
    Ok(())
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
    let place = error.range().map(|range| place(text, range.start)).unwrap_or_default();
    format!("template {}{place}: {}", quoted(text), reason(error))
}

/// Describes the place of the byte at `offset` in a template.
fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let (line, start) =
        (before.matches('\n').count() + 1, before.rfind('\n').map_or(0, |at| at + 1));
    format!(", line {line}, column {}", before[start..].chars().count() + 1)
}

fn reason(error: &Error) -> String {
    error.detail().map_or_else(|| error.kind().to_string(), str::to_owned)
}
