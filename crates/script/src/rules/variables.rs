//! The variables of templates.

#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use mynah_core::{
    base::template::{Object, Serde, Value, Variable},
    chat::{LazyJson, Message, Request, Role},
    provider::turns::count_turns,
};
use serde_json::{Map, Value as Json, json};

use crate::rules::matching::{Captures, VARIABLES};

/// The variables of templates for a call. They are created when a template uses them.
#[derive(Clone)]
pub struct Variables(Arc<CallVariables>);

struct CallVariables {
    request: Arc<Request>,
    component: Arc<str>,
    session: Arc<str>,
    captures: Captures,
    /// The variables that templates have used, in the order of [`VARIABLES`].
    values: [OnceLock<Option<Value>>; VARIABLES.len()],
}

/// Returns the variables that templates may use, with the names of what the rule captures.
pub fn known<'n>(captures: impl IntoIterator<Item = &'n str>) -> Vec<Variable<'n>> {
    let call = VARIABLES.map(|name| {
        let is_text = !matches!(name, "messages" | "results" | "metadata" | "request");
        Variable { name, is_text }
    });
    let captures = captures.into_iter().map(|name| Variable { name, is_text: true });
    call.into_iter().chain(captures).collect()
}

impl Variables {
    /// Creates the variables for a call, with the texts that the rule captures.
    pub fn new(
        request: Arc<Request>,
        component: impl Into<Arc<str>>,
        session: impl Into<Arc<str>>,
        captures: Captures,
    ) -> Self {
        let (component, session, values) = (component.into(), session.into(), Default::default());
        Self(Arc::new(CallVariables { request, component, session, captures, values }))
    }

    /// Returns the schema of the parameters of an offered tool.
    pub(super) fn schema_of(&self, tool: &str) -> Option<&LazyJson> {
        let tools = &self.0.request.tools;
        tools.iter().find(|offered| offered.name == tool)?.parameters.as_ref()
    }

    /// Returns the variables as templates take them.
    pub fn value(&self) -> Value {
        Value::from_dyn_object(self.0.clone())
    }
}

impl fmt::Debug for CallVariables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallVariables").finish_non_exhaustive()
    }
}

impl fmt::Debug for Variables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Object for CallVariables {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.get_value_by_str(key.as_str()?)
    }

    fn get_value_by_str(self: &Arc<Self>, name: &str) -> Option<Value> {
        if let Some(captured) = self.captures.get(name) {
            return Some(Value::from(captured.as_str()));
        }
        let at = VARIABLES.iter().position(|variable| *variable == name)?;
        self.values[at].get_or_init(|| self.variable(name)).clone()
    }
}

impl CallVariables {
    fn variable(&self, name: &str) -> Option<Value> {
        let request = &self.request;
        match name {
            "user" => request.last_user().map(|message| Value::from(message.text())),
            "messages" => Some(list(request.messages.iter().map(message))),
            "results" => Some(list(request.tool_results().iter().map(result))),
            "turn" => Some(Value::from(count_turns(request.messages.iter()))),
            "metadata" => Some(Value::from(request.metadata.clone())),
            "request" => Some(Value::from(Serde(&settings(request)))),
            "component" => Some(Value::from(&*self.component)),
            "session" => Some(Value::from(&*self.session)),
            _ => None,
        }
    }
}

/// Returns the settings of a request. Those that it lacks are undefined.
fn settings(request: &Request) -> Json {
    let parameters = request.parameters.iter().map(|(name, it)| (name.clone(), it.value.read()));
    let mut settings = json!({
        "parameters": parameters.collect::<Map<_, _>>(),
        "scrub_pii": request.scrubs_pii(),
    });
    if let Some(max_tokens) = request.max_tokens {
        settings["max_tokens"] = max_tokens.into();
    }
    if let Some(temperature) = request.temperature {
        settings["temperature"] = temperature.into();
    }
    if let Some(context_id) = &request.context_id {
        settings["context_id"] = context_id.as_str().into();
    }
    settings
}

fn list(items: impl Iterator<Item = Json>) -> Value {
    Value::from(Serde(&Json::Array(items.collect())))
}

/// Returns a message with its role, its text and what only some messages have.
fn message(message: &Message) -> Json {
    let mut object = match &message.role {
        Role::Developer | Role::System | Role::User => json!({}),
        Role::Assistant { tool_calls } => {
            let calls = tool_calls.iter().map(
                |call| json!({ "id": call.id, "name": call.name, "args": read(&call.arguments) }),
            );
            json!({ "tool_calls": calls.collect::<Vec<_>>() })
        }
        Role::Tool { .. } => result(message),
    };
    object["role"] = message.role.as_str().into();
    object["text"] = message.text().into();
    if let Some(name) = &message.name {
        object["name"] = name.as_str().into();
    }
    object
}

/// Returns the result of a tool. `json` is its value if the text is JSON, or else the text.
fn result(message: &Message) -> Json {
    let Role::Tool { id, name } = &message.role else { return json!({}) };
    let text = message.text();
    json!({ "id": id, "tool": name, "json": read(&text), "text": text })
}

fn read(text: &str) -> Json {
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
