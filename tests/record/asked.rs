//! Requests that all APIs have, and the ways to ask them.

use mynah::internals::wire::proto::{
    ConversationInput, ConversationRequest, ConversationRequestAlpha2,
};
use prost::Message;
use serde_json::{Value, json};
use tonic::{Response, Status, Streaming};

use crate::support::{
    Sidecar,
    messages::{
        assistant_with_calls, encoded_schema, request, system, tool, tool_call, tool_result, user,
    },
};

/// How a request is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Grpc,
    GrpcStream,
    Http,
    HttpStream,
    OpenAi,
    OpenAiStream,
    Responses,
    ResponsesStream,
    Alpha1Grpc,
    Alpha1GrpcStream,
    Alpha1Http,
    Alpha1HttpStream,
}

const WAYS: [Way; 8] = [
    Way::Grpc,
    Way::GrpcStream,
    Way::Http,
    Way::HttpStream,
    Way::OpenAi,
    Way::OpenAiStream,
    Way::Responses,
    Way::ResponsesStream,
];

/// The ways of Dapr's first API, which has only texts.
const ALPHA1: [Way; 4] =
    [Way::Alpha1Grpc, Way::Alpha1GrpcStream, Way::Alpha1Http, Way::Alpha1HttpStream];

/// An exchange: what is asked, and the step with which the model answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) prompt: String,
    pub(super) with_result: bool,
    pub(super) has_tools: bool,
    pub(super) temperature: Option<f64>,
    /// The name and the schema of the answer.
    pub(super) format: Option<Value>,
    /// Whether the ways have ids and a spelling of their own.
    pub(super) is_spelled_differently: bool,
    pub(super) step: Value,
}

impl Asked {
    /// Returns the ways that can ask this.
    pub(super) fn ways(&self) -> Vec<Way> {
        let has_only_texts = !self.with_result && !self.has_tools && self.format.is_none();
        WAYS.into_iter().chain(ALPHA1.into_iter().filter(|_| has_only_texts)).collect()
    }

    fn alpha1(&self) -> ConversationRequest {
        let input = |role: &str, content: &str| ConversationInput {
            content: content.to_owned(),
            role: Some(role.to_owned()),
            scrub_pii: None,
        };
        ConversationRequest {
            name: "gpt".to_owned(),
            inputs: vec![input("system", "Be brief."), input("user", &self.prompt)],
            temperature: self.temperature,
            ..Default::default()
        }
    }

    fn alpha1_http(&self) -> String {
        let inputs = json!([
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": self.prompt },
        ]);
        let mut body = json!({ "inputs": inputs });
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.into();
        }
        body.to_string()
    }

    fn dapr(&self) -> ConversationRequestAlpha2 {
        let mut messages = vec![system("Be brief."), user(&self.prompt)];
        if self.with_result {
            messages.push(assistant_with_calls("", [tool_call("c1", "add", r#"{"a": 1}"#)]));
            messages.push(tool_result("c1", "add", "3"));
        }
        let tools = if self.has_tools {
            vec![tool("get_weather", json!({ "type": "object", "maxProperties": 3 }))]
        } else {
            Vec::new()
        };
        ConversationRequestAlpha2 {
            name: "gpt".to_owned(),
            tools,
            temperature: self.temperature,
            response_format: self.format.as_ref().map(encoded_schema),
            ..request(messages)
        }
    }

    fn http(&self) -> String {
        let content = |text: &str| json!([{ "text": text }]);
        let mut messages = vec![
            json!({ "ofSystem": { "content": content("Be brief.") } }),
            json!({ "ofUser": { "content": content(&self.prompt) } }),
        ];
        if self.with_result {
            let (id, arguments) = self.spelled("c5", "{ \"a\": 1 }");
            let function = json!({ "name": "add", "arguments": arguments });
            let calls = json!([{ "id": id, "function": function }]);
            messages.push(json!({ "ofAssistant": { "toolCalls": calls } }));
            let result = json!({ "toolId": id, "name": "add", "content": content("3") });
            messages.push(json!({ "ofTool": result }));
        }
        let mut body = json!({ "inputs": [{ "messages": messages }] });
        if self.has_tools {
            let schema = json!({ "type": "object", "maxProperties": 3 });
            body["tools"] =
                json!([{ "function": { "name": "get_weather", "parameters": schema } }]);
        }
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(format) = &self.format {
            body["responseFormat"] = format.clone();
        }
        body.to_string()
    }

    /// Returns the id and the arguments of the call in the history.
    fn spelled(&self, id: &'static str, arguments: &'static str) -> (&'static str, &'static str) {
        if self.is_spelled_differently { (id, arguments) } else { ("c1", r#"{"a": 1}"#) }
    }

    fn openai(&self, stream: bool) -> String {
        let mut messages = vec![
            json!({ "role": "system", "content": "Be brief." }),
            json!({ "role": "user", "content": self.prompt }),
        ];
        if self.with_result {
            let (id, arguments) = self.spelled("c9", "{\"a\":1}");
            let function = json!({ "name": "add", "arguments": arguments });
            let call = json!({ "id": id, "type": "function", "function": function });
            messages.push(json!({ "role": "assistant", "content": "", "tool_calls": [call] }));
            messages.push(json!({ "role": "tool", "tool_call_id": id, "content": "3" }));
        }
        let mut body = json!({ "model": "gpt", "messages": messages, "stream": stream });
        if self.has_tools {
            let schema = json!({ "type": "object", "maxProperties": 3 });
            let function = json!({ "name": "get_weather", "parameters": schema });
            body["tools"] = json!([{ "type": "function", "function": function }]);
        }
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(format) = &self.format {
            let mut schema = format.clone();
            let name = schema.as_object_mut().unwrap().remove("name");
            let format = json!({ "name": name, "schema": schema });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": format });
        }
        body.to_string()
    }

    fn responses(&self, stream: bool) -> String {
        let mut input = vec![json!({ "role": "user", "content": self.prompt })];
        if self.with_result {
            let (id, arguments) = self.spelled("c7", "{\"a\" :1}");
            input.push(json!({ "type": "function_call", "call_id": id, "name": "add", "arguments": arguments }));
            input.push(json!({ "type": "function_call_output", "call_id": id, "output": "3" }));
        }
        let mut body = json!({ "model": "gpt", "instructions": "Be brief.", "input": input, "stream": stream });
        if self.has_tools {
            let schema = json!({ "type": "object", "maxProperties": 3 });
            body["tools"] =
                json!([{ "type": "function", "name": "get_weather", "parameters": schema }]);
        }
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.into();
        }
        if let Some(format) = &self.format {
            let mut schema = format.clone();
            let name = schema.as_object_mut().unwrap().remove("name");
            let format = json!({ "type": "json_schema", "name": name, "schema": schema });
            body["text"] = json!({ "format": format });
        }
        body.to_string()
    }

    /// Asks, and returns the answer or the error as it arrives.
    pub(super) async fn ask(&self, sidecar: &Sidecar, way: Way) -> Vec<u8> {
        let alpha1 = "/v1.0-alpha1/conversation/gpt/converse";
        let alpha2 = "/v1.0-alpha2/conversation/gpt/converse";
        let completions = "/v1/chat/completions";
        let reply = match way {
            Way::Grpc | Way::GrpcStream | Way::Alpha1Grpc | Way::Alpha1GrpcStream => {
                let answer = self.ask_over_grpc(sidecar, way).await;
                return answer.unwrap_or_else(|status| {
                    format!("{:?}: {}", status.code(), status.message()).into()
                });
            }
            Way::Http => sidecar.post(alpha2, self.http()).await,
            Way::HttpStream => sidecar.post_for_events(alpha2, self.http()).await,
            Way::Alpha1Http => sidecar.post(alpha1, self.alpha1_http()).await,
            Way::Alpha1HttpStream => sidecar.post_for_events(alpha1, self.alpha1_http()).await,
            Way::OpenAi => sidecar.post(completions, self.openai(false)).await,
            Way::OpenAiStream => sidecar.post(completions, self.openai(true)).await,
            Way::Responses => sidecar.post("/v1/responses", self.responses(false)).await,
            Way::ResponsesStream => sidecar.post("/v1/responses", self.responses(true)).await,
        };
        format!("{} {}", reply.status, reply.body).into_bytes()
    }

    async fn ask_over_grpc(&self, sidecar: &Sidecar, way: Way) -> Result<Vec<u8>, Status> {
        let mut client = sidecar.client().await;
        match way {
            Way::GrpcStream => all(client.converse_stream_alpha2(self.dapr()).await?).await,
            Way::Alpha1GrpcStream => all(client.converse_stream_alpha1(self.alpha1()).await?).await,
            Way::Alpha1Grpc => {
                Ok(client.converse_alpha1(self.alpha1()).await?.into_inner().encode_to_vec())
            }
            _ => Ok(client.converse_alpha2(self.dapr()).await?.into_inner().encode_to_vec()),
        }
    }
}

/// Returns all messages of a stream.
async fn all<M: Message>(stream: Response<Streaming<M>>) -> Result<Vec<u8>, Status> {
    let (mut stream, mut bytes) = (stream.into_inner(), Vec::new());
    while let Some(message) = stream.message().await? {
        bytes.extend(message.encode_length_delimited_to_vec());
    }
    Ok(bytes)
}
