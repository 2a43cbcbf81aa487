//! The body of a request.

use mynah_core::base::template::{Escape, Templates, Value, Variable};

/// The body of a request as written.
#[derive(Debug)]
pub enum Body {
    /// A text, usually JSON. The values of its expressions are escaped as in JSON strings.
    Text(String),
    /// JSON whose strings are templates. A string that is a single expression stands for its value.
    Json(serde_json::Value),
}

/// A body whose expressions have been checked.
#[derive(Debug)]
pub(super) struct BodyTemplate {
    text: String,
    is_json: bool,
    templates: Templates,
}

impl BodyTemplate {
    /// Checks a body. Returns the reason if it is malformed or uses other variables than these.
    pub(super) fn new(body: Body, variables: &[Variable<'_>]) -> Result<Self, String> {
        let (text, is_json, escape) = match body {
            Body::Text(text) => (text, false, Escape::Json),
            Body::Json(json) => (json.to_string(), true, Escape::None),
        };
        let mut templates = Templates::of_requests(escape);
        match is_json {
            true => templates.add_json(&text, variables)?,
            false => templates.add(&text, variables)?,
        }
        Ok(Self { text, is_json, templates })
    }

    /// Returns the text with these variables.
    pub(super) fn render(&self, variables: &Value) -> Result<String, String> {
        let text = match self.is_json {
            true => self.templates.render_json(&self.text, variables, None)?,
            false => self.templates.render(&self.text, variables)?,
        };
        Ok(text.into_owned())
    }
}
