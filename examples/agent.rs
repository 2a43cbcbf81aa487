//! An agent that has two tools and uses a model behind a Dapr sidecar.
//!
//! ```console
//! $ cargo run --example agent
//! $ cargo run --example agent -- 127.0.0.1:50001 "What is the weather in Rome?"
//! ```
//!
//! The first argument is the address of the sidecar, which is mynah or a daprd with a real model.

use std::{
    env,
    io::{self, Write},
    sync::Arc,
};

use futures_util::StreamExt;
use mynah::{
    client::RemoteComponent,
    tool_loop::{LoopEvent, LoopSettings, RegistryError, ToolError, ToolLoop, ToolRegistry},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Weather {
    /// City and state, e.g. San Francisco, CA
    location: String,
}

#[derive(Deserialize, JsonSchema)]
struct Bill {
    /// Amount of the bill
    amount: f64,
    /// Tip in percent
    #[serde(default = "default_percentage")]
    percentage: f64,
}

#[derive(Serialize)]
struct Tip {
    tip: f64,
    total: f64,
}

async fn get_weather(Weather { location }: Weather) -> Result<String, ToolError> {
    Ok(format!("Weather in {location}: 72°F, sunny"))
}

async fn calculate_tip(Bill { amount, percentage }: Bill) -> Result<Tip, ToolError> {
    if !(0.0..=100.0).contains(&percentage) {
        return Err(ToolError::new("percentage must be between 0 and 100"));
    }
    let tip = amount * percentage / 100.0;
    Ok(Tip { tip: cents(tip), total: cents(amount + tip) })
}

fn default_percentage() -> f64 {
    18.0
}

fn cents(amount: f64) -> f64 {
    (amount * 100.0).round() / 100.0
}

fn tools() -> Result<ToolRegistry, RegistryError> {
    let mut registry = ToolRegistry::new();
    registry.register("get_weather", "Get current weather conditions", get_weather)?;
    registry.register("calculate_tip", "Calculate tip amount", calculate_tip)?;
    Ok(registry)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let mut args = env::args().skip(1);
    let address = args.next().unwrap_or_else(|| "127.0.0.1:50001".to_owned());
    let question = args.next().unwrap_or_else(|| {
        "What's the weather in San Francisco and calculate a 20% tip on $45.60?".to_owned()
    });
    let tool_loop = ToolLoop::new(tools()?, LoopSettings::default())?;
    let model = Arc::new(RemoteComponent::connect(&address, None, None).await?);
    println!("user:  {question}");
    let mut events = tool_loop.run(model, question).stream();
    while let Some(event) = events.next().await {
        print(event)?;
    }
    Ok(())
}

fn print(event: LoopEvent) -> io::Result<()> {
    let mut out = io::stdout();
    match event {
        LoopEvent::Text(text) => write!(out, "{text}")?,
        LoopEvent::ToolStarted { name, arguments, .. } => {
            writeln!(out, "calls: {name} {arguments}")?
        }
        LoopEvent::ToolFinished(call) => writeln!(out, "tool:  {}", call.result)?,
        LoopEvent::Reasoning(_) | LoopEvent::ToolsFinished { .. } => {}
        LoopEvent::Ended(result) => writeln!(out, "\nend:   {}", result.end.as_str())?,
    }
    out.flush()
}
