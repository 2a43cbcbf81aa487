//! Encodes the components as models.

use serde::Serialize;

use super::{completion::CREATED, encode};

#[derive(Serialize)]
struct Model<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    owned_by: &'static str,
}

#[derive(Serialize)]
struct List<'a> {
    object: &'static str,
    data: Vec<Model<'a>>,
}

/// Encodes a list of models.
pub(crate) fn models<'a>(names: impl Iterator<Item = &'a str>) -> String {
    encode(&List { object: "list", data: names.map(describe).collect() })
}

/// Encodes one model.
pub(crate) fn model(name: &str) -> String {
    encode(&describe(name))
}

fn describe(id: &str) -> Model<'_> {
    Model { id, object: "model", created: CREATED, owned_by: "mynah" }
}
