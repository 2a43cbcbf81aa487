//! The settings of `conversation.scripted`, from its metadata.

use std::num::NonZeroUsize;

use super::{metadata::Metadata, report::Report, spec::Fallback};
use crate::{
    base::duration,
    provider::{
        scripted::{OnExhausted, ScriptedSettings},
        stream::Pace,
    },
};

/// The name of the type.
pub(super) const TYPE: &str = "conversation.scripted";

const KEYS: [&str; 8] = [
    "chains",
    "fallback",
    "onExhausted",
    "allowUnoffered",
    "model",
    "wordsPerChunk",
    "chunkDelay",
    "timeToFirstChunk",
];

/// Reads the settings, and what answers where there is no chain; what is wrong goes into the
/// report.
pub(super) fn settings(
    metadata: Metadata<'_>,
    report: &mut Report,
) -> (ScriptedSettings, Fallback) {
    metadata.check_keys(TYPE, &KEYS, report);
    let defaults = ScriptedSettings::default();
    let settings = ScriptedSettings {
        chains: metadata.parse("chains", flag, report).unwrap_or(defaults.chains),
        on_exhausted: metadata.parse("onExhausted", on_exhausted, report).unwrap_or_default(),
        allow_unoffered: metadata
            .parse("allowUnoffered", flag, report)
            .unwrap_or(defaults.allow_unoffered),
        model: metadata.text("model", report).unwrap_or(defaults.model),
        pace: pace(metadata, report),
    };
    (settings, fallback(metadata, report))
}

fn pace(metadata: Metadata<'_>, report: &mut Report) -> Pace {
    let mut wait = |key| metadata.parse(key, duration::parse, report).unwrap_or_default();
    let (chunk_delay, time_to_first_chunk) = (wait("chunkDelay"), wait("timeToFirstChunk"));
    let words = metadata.parse("wordsPerChunk", words, report);
    Pace { words_per_chunk: words.unwrap_or(NonZeroUsize::MIN), chunk_delay, time_to_first_chunk }
}

fn fallback(metadata: Metadata<'_>, report: &mut Report) -> Fallback {
    match metadata.text("fallback", report).as_deref() {
        None | Some("echo") => Fallback::Echo,
        Some("error") => Fallback::Error,
        Some(component) => {
            report.fallback = metadata.place("fallback");
            Fallback::Named(component.to_owned())
        }
    }
}

/// Whether a setting is on.
pub(super) fn flag(text: &str) -> Result<bool, String> {
    text.parse().map_err(|_| format!("{text:?} is unknown; use true or false"))
}

fn on_exhausted(text: &str) -> Result<OnExhausted, String> {
    match text {
        "fallback" => Ok(OnExhausted::Fallback),
        "error" => Ok(OnExhausted::Error),
        "repeat_last" => Ok(OnExhausted::RepeatLast),
        "loop" => Ok(OnExhausted::Loop),
        _ => Err(format!("{text:?} is unknown; use fallback, error, repeat_last or loop")),
    }
}

fn words(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("{text:?} is not a number of words; use 1 or more"))
}
