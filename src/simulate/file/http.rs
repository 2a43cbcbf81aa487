//! A participant behind HTTP in a file.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::{
    base::{condition::TextCondition, json_pointer::JsonPointer},
    tools::{Allowed, Header, HttpMethod, Time},
};

/// An agent that answers HTTP requests, one for each turn. Expressions such as
/// {{ last.content }} may use conversation, last, unread, intents, role, turn and now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::simulate) struct HttpSource {
    /// Method. Default: POST.
    pub(in crate::simulate) method: Option<HttpMethod>,
    /// URL. Expressions such as {{ conversation.id }} may follow the host; values are
    /// percent-encoded.
    #[schemars(regex(pattern = "^https?://[^/?#{]+([/?].*)?$"))]
    pub(in crate::simulate) url: String,
    /// Headers of the request.
    #[serde(default)]
    pub(in crate::simulate) headers: Vec<Header>,
    /// Body of the request, as JSON. Strings are templates, and a string that is a single
    /// expression stands for its value, such as a list. Default: no body.
    pub(in crate::simulate) body: Option<Value>,
    /// JSON Pointer to the reply in the response: a text, a list of texts, or null for a pass.
    /// Default: the whole body is the text.
    pub(in crate::simulate) reply: Option<JsonPointer>,
    /// How to wait for the reply of an agent that answers with the URL of a status.
    pub(in crate::simulate) poll: Option<PollSource>,
    /// Addresses that requests may connect to: host:port, ip:port or cidr:port. Default: the host
    /// and port of the URL.
    pub(in crate::simulate) allow: Option<Vec<Allowed>>,
}

/// How to wait for a reply. The status is requested until it is done.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::simulate) struct PollSource {
    /// JSON Pointer to the URL of the status in the first response. The URL may be relative.
    pub(in crate::simulate) url: JsonPointer,
    /// JSON Pointer to the state in the status, for `done` and `failed`. Default: /status.
    pub(in crate::simulate) state: Option<JsonPointer>,
    /// A condition on the state. If it holds, the status has the reply. Default: the status is done
    /// when `reply` selects something in it.
    pub(in crate::simulate) done: Option<TextCondition>,
    /// A condition on the state. If it holds, the agent has failed.
    pub(in crate::simulate) failed: Option<TextCondition>,
    /// Time between two requests: at least 10ms. Default: 500ms.
    pub(in crate::simulate) interval: Option<Time>,
}
