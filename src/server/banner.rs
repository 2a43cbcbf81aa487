//! What a person reads at start: where it listens, what answers, and a line to try.

use std::{
    fmt,
    io::{self, Write},
};

use crate::{api::sidecar::Sidecar, net::Address, server::app::Addresses};

/// The few lines at start.
#[derive(Debug)]
pub struct Banner<'a> {
    /// Where it listens.
    pub addresses: &'a Addresses,
    /// What answers.
    pub sidecar: &'a Sidecar,
}

impl fmt::Display for Banner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Addresses { grpc, http, metrics } = self.addresses;
        writeln!(f, "mynah {}: Dapr conversations without a model\n", env!("CARGO_PKG_VERSION"))?;
        writeln!(f, "  gRPC       {grpc}")?;
        writeln!(f, "  HTTP       {}", Url(http))?;
        if let Some(metrics) = metrics {
            writeln!(f, "  metrics    {}/metrics", Url(metrics))?;
        }
        self.components(f)?;
        self.try_it(f)
    }
}

impl Banner<'_> {
    /// Says it: to a person on standard output, to a machine as one line of the log.
    pub fn announce(&self, as_json: bool) {
        if !as_json {
            // All at once, so that nobody reads half of it. Where nobody does, there is nobody to tell.
            let _ = io::stdout().write_all(format!("{self}\n").as_bytes());
            return;
        }
        let Addresses { grpc, http, metrics } = self.addresses;
        let components = self.sidecar.components.all();
        let components: Vec<_> = components.iter().map(|c| c.name.as_str()).collect();
        let metrics = metrics.as_ref().map(Address::to_string);
        tracing::info!(%grpc, %http, metrics, components = components.join(","), "serving");
    }

    fn components(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut label = "components";
        for component in self.sidecar.components.all() {
            write!(f, "  {label:<10} {} ({}", component.name, component.kind)?;
            if let Some(stand_in) = component.stand_in {
                write!(f, ", answered by {stand_in}")?;
            }
            writeln!(f, ")")?;
            label = "";
        }
        if !label.is_empty() {
            writeln!(f, "  {label} none: the resources folders hold no conversation component")?;
        }
        Ok(())
    }

    /// A grpcurl line for the first component.
    fn try_it(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let components = self.sidecar.components.all();
        let Some(component) = components.first() else { return Ok(()) };
        let name = serde_json::Value::from(component.name.as_str());
        let request = format!(
            r#"{{"name":{name},"inputs":[{{"messages":[{{"ofUser":{{"content":[{{"text":"Hello, mynah!"}}]}}}}]}}]}}"#
        );
        // A shell ends a quoted text at an apostrophe.
        let quoted = request.replace('\'', r"'\''");
        let address = &self.addresses.grpc;
        writeln!(f, "\nTry it:")?;
        writeln!(
            f,
            "  grpcurl -plaintext -d '{quoted}' {address} dapr.proto.runtime.v1.Dapr/ConverseAlpha2"
        )
    }
}

/// An address as a browser reads it.
struct Url<'a>(&'a Address);

impl fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Address::Port(address) => write!(f, "http://{address}"),
            Address::Socket(_) => self.0.fmt(f),
        }
    }
}
