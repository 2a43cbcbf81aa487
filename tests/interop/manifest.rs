//! Dapr's resource files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

/// Writes a resource into a folder. Returns the file.
pub(super) fn resource(folder: &Path, name: &str, kind: &str, spec: &Value) -> PathBuf {
    let file = folder.join(format!("{name}.yaml"));
    let resource = json!({
        "apiVersion": "dapr.io/v1alpha1",
        "kind": kind,
        "metadata": { "name": name },
        "spec": spec,
    });
    fs::write(&file, resource.to_string()).unwrap();
    file
}

/// Writes a component into a folder.
pub(super) fn component(folder: &Path, name: &str, kind: &str, metadata: &[Value]) {
    let spec = json!({ "type": kind, "version": "v1", "metadata": metadata });
    resource(folder, name, "Component", &spec);
}

/// Returns an item of a component's metadata.
pub(super) fn item(name: &str, value: &str) -> Value {
    json!({ "name": name, "value": value })
}
