//! Tests of components that own tools.

mod answers;
mod caller_tools;
mod cancellation;
mod determinism;
mod files;
mod limits;
mod servers;
mod sessions;
mod surfaces;

use std::{fs, path::PathBuf};

use mynah::internals::wire::proto::{
    ConversationMessage, ConversationRequestAlpha2, ConversationTools,
};
use serde_json::{Value, json};

use crate::support::{
    Sidecar,
    messages::{Answer, assistant_with_calls, request, tool, tool_call, tool_result},
    scratch,
};

const TOOLS: &str = r#"
tools:
- name: find_order
  description: Returns the state of an order
  parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
  static:
  - {match: {args: {order_id: {equals: "1001"}}}, result: {status: shipped}}
  - {match: {args: {order_id: {equals: "1002"}}}, result: packed}
  - {match: {args: {order_id: {matches: "^9"}}}, error: the order is archived}
  - {result: {status: unknown}}
- name: name_packer
  static: [{result: someone.else@example.com}]
- name: count_orders
  static: [{result: 7}]
"#;

/// A folder with a component `echo` that owns the tools in a file.
pub(crate) struct Owner {
    folder: PathBuf,
}

impl Owner {
    /// Creates the files. `metadata` is added to the items of the component.
    pub(crate) fn new(kind: &str, metadata: &str, tools: &str) -> Self {
        let folder = scratch("own-tools");
        let owner = Self { folder };
        owner.put_tools(tools);
        fs::create_dir(owner.folder.join("resources")).unwrap();
        owner.put_component(kind, metadata);
        owner
    }

    pub(crate) fn tools_file(&self) -> PathBuf {
        self.folder.join("tools.yaml")
    }

    pub(crate) fn put_tools(&self, text: &str) {
        fs::write(self.folder.join("tools.new"), text).unwrap();
        fs::rename(self.folder.join("tools.new"), self.tools_file()).unwrap();
    }

    pub(crate) fn put_component(&self, kind: &str, metadata: &str) {
        let text = format!(
            "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: echo}}\n\
             spec:\n  type: conversation.{kind}\n  version: v1\n  metadata:\n\
             \x20 - {{name: tools, value: '{}'}}\n{metadata}",
            self.tools_file().display()
        );
        fs::write(self.folder.join("resources/component.yaml"), text).unwrap();
    }

    pub(crate) fn resources(&self) -> String {
        self.folder.join("resources").to_str().unwrap().to_owned()
    }

    pub(crate) fn start(&self) -> Sidecar {
        Sidecar::start_with(&["--resources-path", &self.resources()])
    }
}

/// Starts a sidecar whose echo owns the [tools](TOOLS).
fn echo() -> Sidecar {
    Owner::new("echo", "", TOOLS).start()
}

/// Starts a sidecar whose scripted component owns the [tools](TOOLS).
fn scripted(metadata: &str) -> Sidecar {
    Owner::new("scripted", metadata, TOOLS).start()
}

/// Returns a step that calls these tools.
pub(crate) fn calls(calls: &[(&str, Value)]) -> Value {
    let calls: Vec<_> =
        calls.iter().map(|(name, args)| json!({"name": name, "args": args})).collect();
    json!({"messages": [{"tool_call": calls}]})
}

fn find_order(id: &str) -> (&'static str, Value) {
    ("find_order", json!({"order_id": id}))
}

/// A tool of the caller.
fn send_mail() -> ConversationTools {
    let schema = json!({"type": "object", "properties": {"to": {"type": "string"}}});
    tool("send_mail", schema)
}

/// A caller that has one tool.
struct Caller {
    history: Vec<ConversationMessage>,
}

impl Caller {
    fn new(message: ConversationMessage) -> Self {
        Self { history: vec![message] }
    }

    fn request(&self) -> ConversationRequestAlpha2 {
        let tools = vec![send_mail()];
        ConversationRequestAlpha2 { tools, ..request(self.history.clone()) }
    }

    async fn ask(&self, sidecar: &Sidecar) -> Answer {
        sidecar.converse(self.request()).await.unwrap()
    }

    /// Adds an answer and the results of its calls.
    fn run(&mut self, answer: &Answer) {
        let calls: Vec<_> = answer
            .calls
            .iter()
            .map(|call| tool_call(&call.id, &call.name, &call.arguments.to_string()))
            .collect();
        self.history.push(assistant_with_calls(&answer.content, calls));
        for call in &answer.calls {
            self.history.push(tool_result(&call.id, &call.name, "sent"));
        }
    }
}
