//! The banner printed at startup: addresses, components and a command to try.

use std::{
    fmt,
    io::{self, Write},
};

use super::{Addresses, Daprd, ModelSource};
use crate::{
    base::{
        endpoint::Endpoint,
        terminal::{escape_controls, escape_controls_in_json},
    },
    engine::Engine,
};

/// The startup banner.
#[derive(Debug)]
pub(crate) struct Banner<'a> {
    /// The bound addresses.
    pub addresses: &'a Addresses,
    /// The components.
    pub engine: &'a Engine,
    /// The sidecar behind this one.
    pub daprd: &'a Daprd,
    /// The address of the inspector, if it is served.
    pub inspector: Option<String>,
    /// Where the answers of real models come from.
    pub models: Option<&'a ModelSource>,
}

impl fmt::Display for Banner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Addresses { grpc, http, metrics, component_sockets } = self.addresses;
        let asks_models = self.models.is_some_and(ModelSource::asks_models);
        let models = if asks_models { "with real models" } else { "without a model" };
        writeln!(f, "mynah {}: Dapr conversations {models}\n", env!("CARGO_PKG_VERSION"))?;
        writeln!(f, "  gRPC       {}", escape_controls(&grpc.to_string()))?;
        writeln!(f, "  HTTP       {}", escape_controls(&http.url()))?;
        if let Some(inspector) = &self.inspector {
            writeln!(f, "  inspector  {inspector}")?;
        }
        if let Some(metrics) = metrics {
            writeln!(f, "  metrics    {}/metrics", metrics.url())?;
        }
        for socket in component_sockets {
            writeln!(f, "  component  {}", escape_controls(&socket.to_string()))?;
        }
        let behind = [self.daprd.grpc.as_ref(), self.daprd.http.as_ref()];
        let mut behind = behind.into_iter().flatten().map(Endpoint::to_string);
        if let Some(first) = behind.next() {
            let rest: String = behind.map(|address| format!(", {address}")).collect();
            writeln!(f, "  daprd      {first}{rest}")?;
        }
        if let Some(models) = self.models {
            writeln!(f, "  models     {}", escape_controls(&models.to_string()))?;
        }
        self.components(f)?;
        self.try_it(f)
    }
}

impl Banner<'_> {
    /// Prints the banner on standard output, or logs its facts as one line of JSON.
    pub(crate) fn announce(&self, as_json: bool) {
        if !as_json {
            // Use a single write, so that readers never see half a banner. Ignore errors: the
            // reader may be gone.
            let _ = io::stdout().write_all(format!("{self}\n").as_bytes());
            return;
        }
        let Addresses { grpc, http, metrics, .. } = self.addresses;
        let components = self.engine.components.all();
        let components: Vec<_> = components.iter().map(|c| c.name.as_str()).collect();
        let metrics = metrics.as_ref().map(Endpoint::to_string);
        let (inspector, models) = (self.inspector.as_deref(), self.models.map(ToString::to_string));
        let components = components.join(",");
        tracing::info!(%grpc, %http, inspector, metrics, models, components, "serving");
    }

    fn components(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut label = "components";
        for component in self.engine.components.all() {
            let [name, kind] = [&component.name, &component.kind].map(|text| escape_controls(text));
            write!(f, "  {label:<10} {name} ({kind}")?;
            if let Some(stand_in) = component.stand_in {
                write!(f, ", answered by {stand_in}")?;
            }
            if let Some(real) = component.answered_by {
                write!(f, ", answered by {real}")?;
            }
            writeln!(f, ")")?;
            label = "";
        }
        if !label.is_empty() {
            writeln!(f, "  {label} none: no conversation components found in --resources-path")?;
        }
        Ok(())
    }

    /// Writes a grpcurl command that calls the first component.
    fn try_it(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let components = self.engine.components.all();
        let Some(component) = components.first() else { return Ok(()) };
        let name = serde_json::Value::from(component.name.as_str());
        let request = format!(
            r#"{{"name":{name},"inputs":[{{"messages":[{{"ofUser":{{"content":[{{"text":"Hello, mynah!"}}]}}}}]}}]}}"#
        );
        // An apostrophe would end the quoted string in a shell.
        let quoted = escape_controls_in_json(&request).replace('\'', r"'\''");
        let address = self.addresses.grpc.to_string();
        let address = escape_controls(&address);
        // daprd answers reflection only with this header.
        let is_forwarded = self.daprd.grpc.is_some();
        let reflection = if is_forwarded { "-reflect-header 'dapr-app-id: mynah' " } else { "" };
        writeln!(f, "\nTry it:")?;
        writeln!(
            f,
            "  grpcurl -plaintext {reflection}-d '{quoted}' {address} dapr.proto.runtime.v1.Dapr/ConverseAlpha2"
        )?;
        if let Endpoint::Unix(_) = self.addresses.grpc {
            let option = "grpc.default_authority=localhost";
            writeln!(
                f,
                "\nFor Unix sockets, gRPC in Python, Ruby and C++ needs the channel option {option}"
            )?;
        }
        Ok(())
    }
}
