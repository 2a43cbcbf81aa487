//! The settings of `conversation.echo`, from its metadata.

use super::{metadata::Metadata, report::Report};
use crate::{
    duration,
    provider::echo::{ArgumentStyle, EchoSettings, Mode},
};

/// The name of the type.
pub(super) const TYPE: &str = "conversation.echo";

const KEYS: [&str; 4] = ["mode", "model", "chunkDelay", "arguments"];

/// Reads the settings; what is wrong goes into the report.
pub(super) fn settings(metadata: Metadata<'_>, report: &mut Report) -> EchoSettings {
    metadata.check_keys(TYPE, &KEYS, report);
    let defaults = EchoSettings::default();
    EchoSettings {
        mode: metadata.parse("mode", mode, report).unwrap_or(defaults.mode),
        model: metadata.text("model", report).unwrap_or(defaults.model),
        chunk_delay: metadata
            .parse("chunkDelay", duration::parse, report)
            .unwrap_or(defaults.chunk_delay),
        arguments: metadata
            .parse("arguments", argument_style, report)
            .unwrap_or(defaults.arguments),
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
