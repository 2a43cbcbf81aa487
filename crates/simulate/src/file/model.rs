//! The models in a file.

use schemars::JsonSchema;
use serde::Deserialize;

/// Where a model is.
#[derive(Debug, Clone)]
pub(crate) enum ModelRef {
    /// A component in this process.
    Component(String),
    /// A component behind a sidecar.
    Sidecar(SidecarSource),
}

/// A component of a sidecar, mynah or daprd.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SidecarSource {
    /// gRPC address of the sidecar, such as 127.0.0.1:50001.
    pub(crate) address: String,
    /// Name of the component. Default: the only conversation component.
    pub(crate) component: Option<String>,
}

/// A model that judges conversations or finds intents.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(try_from = "JudgeFields")]
#[schemars(with = "JudgeFields")]
pub(crate) struct JudgeSource {
    pub(crate) model: ModelRef,
    pub(crate) instructions: Option<String>,
}

/// A model that judges conversations or finds intents: `component` or `sidecar`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(
    rename = "Judge",
    extend("oneOf" = [{ "required": ["component"] }, { "required": ["sidecar"] }])
)]
struct JudgeFields {
    /// Name of the component.
    component: Option<String>,
    /// A component of a Dapr sidecar.
    sidecar: Option<SidecarSource>,
    /// Instructions, as a user message before each question. An instruction chain goes here; each
    /// question gets its first step.
    instructions: Option<String>,
}

impl TryFrom<JudgeFields> for JudgeSource {
    type Error = &'static str;

    fn try_from(fields: JudgeFields) -> Result<Self, &'static str> {
        let JudgeFields { component, sidecar, instructions } = fields;
        match (component, sidecar) {
            (Some(component), None) => Ok(ModelRef::Component(component)),
            (None, Some(sidecar)) => Ok(ModelRef::Sidecar(sidecar)),
            _ => Err("a model needs exactly one of component and sidecar"),
        }
        .map(|model| Self { model, instructions })
    }
}

impl From<String> for JudgeSource {
    fn from(component: String) -> Self {
        Self { model: ModelRef::Component(component), instructions: None }
    }
}
