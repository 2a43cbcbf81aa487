//! The body of a request.

use mynah_core::base::text::single_expression;
use serde_json::{Map, Value};

use super::template::{Escape, Expression, Template, Variables};

/// The body of a request, with expressions.
#[derive(Debug)]
pub struct Body(Parts);

#[derive(Debug)]
enum Parts {
    /// A text, usually JSON.
    Text(Template),
    Json(Json),
}

/// A JSON value whose strings are templates.
#[derive(Debug)]
enum Json {
    Text(Template),
    /// A string that is a single expression stands for its value.
    Expression(Expression),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
    /// Anything else.
    Literal(Value),
}

impl Body {
    /// Parses a text whose expressions are escaped as in JSON strings. Returns the reason if it is
    /// malformed.
    pub(super) fn text(text: &str) -> Result<Self, String> {
        Template::parse(text, Escape::Json).map(|text| Self(Parts::Text(text)))
    }

    /// Parses the strings in a JSON value. Returns the reason if one is malformed.
    pub fn json(value: &Value) -> Result<Self, String> {
        Json::parse(value).map(|json| Self(Parts::Json(json)))
    }

    /// Returns an error if an expression uses another variable than these.
    pub(super) fn check_variables(&self, known: &[&str]) -> Result<(), String> {
        match &self.0 {
            Parts::Text(text) => text.check_variables(known),
            Parts::Json(json) => json.check_variables(known),
        }
    }

    /// Returns the text with these variables.
    pub(super) fn render(&self, variables: &Variables) -> Result<String, String> {
        match &self.0 {
            Parts::Text(text) => text.render(variables),
            Parts::Json(json) => json.value(variables).map(|value| value.to_string()),
        }
    }
}

impl Json {
    fn parse(value: &Value) -> Result<Self, String> {
        Ok(match value {
            Value::String(text) => match single_expression(text) {
                Some(expression) => Self::Expression(Expression::parse(expression)?),
                None => Self::Text(Template::parse(text, Escape::None)?),
            },
            Value::Array(items) => {
                Self::List(items.iter().map(Self::parse).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let field = |(key, value): (&String, _)| Ok((key.clone(), Self::parse(value)?));
                Self::Object(fields.iter().map(field).collect::<Result<_, String>>()?)
            }
            literal => Self::Literal(literal.clone()),
        })
    }

    fn check_variables(&self, known: &[&str]) -> Result<(), String> {
        match self {
            Self::Text(text) => text.check_variables(known),
            Self::Expression(expression) => expression.check_variables(known),
            Self::List(items) => items.iter().try_for_each(|it| it.check_variables(known)),
            Self::Object(fields) => fields.iter().try_for_each(|(_, it)| it.check_variables(known)),
            Self::Literal(_) => Ok(()),
        }
    }

    fn value(&self, variables: &Variables) -> Result<Value, String> {
        Ok(match self {
            Self::Text(text) => Value::String(text.render(variables)?),
            Self::Expression(expression) => expression.value(variables)?,
            Self::List(items) => {
                let items = items.iter().map(|item| item.value(variables));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Object(fields) => {
                let field =
                    |(key, json): &(String, Self)| Ok((key.clone(), json.value(variables)?));
                Value::Object(fields.iter().map(field).collect::<Result<Map<_, _>, String>>()?)
            }
            Self::Literal(literal) => literal.clone(),
        })
    }
}
