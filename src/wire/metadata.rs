//! Adds components to the metadata of another sidecar, over both gRPC and HTTP. Everything else in
//! the metadata stays as the other sidecar sent it.

use serde_json::{Value, json};

use super::{
    proto::RegisteredComponents,
    protobuf::{Field, fields, raw_fields},
};

/// The number of the field `registered_components` in `GetMetadataResponse`.
const COMPONENTS: u32 = 3;
/// The number of the field `name` in `RegisteredComponents`.
const NAME: u64 = 1;

/// Adds components to an encoded `GetMetadataResponse`, without those that `is_replaced` names.
/// Returns `None` if the message is malformed.
pub(crate) fn add_components(
    message: &[u8],
    components: &[RegisteredComponents],
    is_replaced: impl Fn(&str) -> bool,
) -> Option<Vec<u8>> {
    let mut merged = Vec::with_capacity(message.len());
    for field in raw_fields(message) {
        let (number, value, raw) = field?;
        match value {
            Field::Bytes(component)
                if number == u64::from(COMPONENTS) && is_replaced(name(component)) => {}
            _ => merged.extend_from_slice(raw),
        }
    }
    for component in components {
        prost::encoding::message::encode(COMPONENTS, component, &mut merged);
    }
    Some(merged)
}

/// Returns the name in an encoded `RegisteredComponents`.
fn name(component: &[u8]) -> &str {
    let name = fields(component).flatten().find_map(|field| match field {
        (NAME, Field::Bytes(name)) => std::str::from_utf8(name).ok(),
        _ => None,
    });
    name.unwrap_or_default()
}

/// Adds components to daprd's JSON of its metadata, without those that `is_replaced` names. Returns
/// `None` if the body is not a JSON object.
pub(crate) fn add_components_to_json(
    body: &[u8],
    components: &[RegisteredComponents],
    is_replaced: impl Fn(&str) -> bool,
) -> Option<String> {
    let mut metadata: Value = serde_json::from_slice(body).ok()?;
    let listed = metadata.as_object_mut()?.entry("components").or_insert_with(|| json!([]));
    if listed.is_null() {
        *listed = json!([]);
    }
    let listed = listed.as_array_mut()?;
    listed.retain(|component| !is_replaced(component["name"].as_str().unwrap_or_default()));
    listed.extend(components.iter().map(|component| {
        json!({ "name": component.name, "type": component.r#type, "version": component.version })
    }));
    Some(metadata.to_string() + "\n")
}

#[cfg(test)]
mod tests {
    use std::slice;

    use prost::Message;

    use super::*;
    use crate::wire::proto::GetMetadataResponse;

    fn component(name: &str, kind: &str) -> RegisteredComponents {
        RegisteredComponents {
            name: name.to_owned(),
            r#type: kind.to_owned(),
            version: "v1".to_owned(),
            capabilities: Vec::new(),
        }
    }

    #[test]
    fn replaces_components_of_the_same_name() {
        let store = component("store", "state.in-memory");
        let theirs = component("llm", "conversation.openai");
        let ours = component("llm", "conversation.echo");
        let mut metadata = GetMetadataResponse {
            id: "app".to_owned(),
            registered_components: vec![theirs, store.clone()],
            ..Default::default()
        };
        // A field that mynah does not know.
        let encoded = [&metadata.encode_to_vec()[..], &[0xa2, 0x06, 1, b'x']].concat();
        let merged =
            add_components(&encoded, slice::from_ref(&ours), |name| name == "llm").unwrap();
        assert!(merged.windows(4).any(|window| window == [0xa2, 0x06, 1, b'x']));
        metadata.registered_components = vec![store, ours];
        assert_eq!(GetMetadataResponse::decode(&merged[..]).unwrap(), metadata);
        assert_eq!(add_components(b"\x0a\xff", &[], |_| false), None);
    }

    #[test]
    fn replaces_components_in_json() {
        let ours = [component("llm", "conversation.echo")];
        let merge = |body: &[u8]| add_components_to_json(body, &ours, |name| name == "llm");
        let listed = r#"{"name":"llm","type":"conversation.echo","version":"v1"}"#;
        assert_eq!(
            merge(br#"{"id":"app","components":[{"name":"llm"},{"name":"store"}]}"#).unwrap(),
            format!("{{\"components\":[{{\"name\":\"store\"}},{listed}],\"id\":\"app\"}}\n")
        );
        for empty in [&b"{}"[..], br#"{"components":null}"#] {
            assert_eq!(merge(empty).unwrap(), format!("{{\"components\":[{listed}]}}\n"));
        }
        for body in [&b"[]"[..], b"", br#"{"components":1}"#] {
            assert_eq!(merge(body), None);
        }
    }
}
