//! The settings of `conversation.echo`, from its metadata.

use super::{metadata::Metadata, report::Report, scripted::flag};
use crate::{
    base::duration,
    provider::{
        echo::{ArgumentStyle, EchoSettings, Mode},
        stream::Pace,
    },
};

/// The name of the type.
pub(super) const TYPE: &str = "conversation.echo";

const KEYS: [&str; 5] = ["mode", "model", "chunkDelay", "arguments", "chains"];

/// Reads the settings; what is wrong goes into the report.
pub(super) fn settings(metadata: Metadata<'_>, report: &mut Report) -> EchoSettings {
    metadata.check_keys(TYPE, &KEYS, report);
    let defaults = EchoSettings::default();
    let chunk_delay = metadata.parse("chunkDelay", duration::parse, report);
    EchoSettings {
        mode: metadata.parse("mode", mode, report).unwrap_or(defaults.mode),
        model: metadata.text("model", report).unwrap_or(defaults.model),
        pace: Pace { chunk_delay: chunk_delay.unwrap_or_default(), ..Pace::default() },
        arguments: metadata
            .parse("arguments", argument_style, report)
            .unwrap_or(defaults.arguments),
        chains: metadata.parse("chains", flag, report).unwrap_or(defaults.chains),
    }
}

fn mode(text: &str) -> Result<Mode, String> {
    match text {
        "mynah" => Ok(Mode::Mynah),
        "daprd" => Ok(Mode::Daprd),
        _ => Err(format!("{text:?} is unknown; use mynah or daprd")),
    }
}

fn argument_style(text: &str) -> Result<ArgumentStyle, String> {
    match text {
        "schema" => Ok(ArgumentStyle::Schema),
        "literal" => Ok(ArgumentStyle::Literal),
        _ => Err(format!("{text:?} is unknown; use schema or literal")),
    }
}
