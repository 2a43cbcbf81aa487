//! Reads faults from JSON.

use std::{num::NonZeroU64, time::Duration};

use mynah_core::{
    chat::{Delivery, ProviderError},
    provider::call::Surface,
};
use serde_json::value::RawValue;

use super::{
    fault::{Effect, Fault, Faults},
    trigger::Trigger,
};
use crate::steps::{
    Object, StepError, boolean, bounded_string, cut_after, duration, error, integer, items,
    missing_part, number, quoted, string,
};

/// Maximum number of faults in a list.
const MAX_FAULTS: usize = 100;
/// Maximum length of malformed arguments in characters.
const MAX_ARGUMENTS: usize = 10_000;
/// Maximum length of the names of components and sessions in characters.
const MAX_NAME: usize = 256;
/// Maximum for `fail_first` and `every`.
const MAX_CALLS: u64 = 1_000_000_000;
/// The largest integer that every JSON parser represents exactly.
const MAX_SEED: u64 = (1 << 53) - 1;

const KEYS: [&str; 13] = [
    "surfaces",
    "fail_first",
    "every",
    "probability",
    "seed",
    "delay",
    "error",
    "trailers_only",
    "hang",
    "cut_after",
    "reset",
    "malformed_args",
    "empty",
];
const TARGET_KEYS: [&str; 3] = ["component", "session", "faults"];

/// Faults, and the calls that they are for.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultTarget {
    /// The component. `None` stands for all components.
    pub component: Option<String>,
    /// The session. `None` stands for all sessions.
    pub session: Option<String>,
    /// The faults. If there are none, earlier ones are removed.
    pub faults: Faults,
}

impl Faults {
    /// Reads a fault or a list of faults.
    pub fn parse(text: &str) -> Result<Self, StepError> {
        let value = raw(text)?;
        if !value.get().starts_with('[') {
            return fault(value).map(Self::from_iter_of_one);
        }
        Self::from_list(items(value, "fault", fault)?)
    }

    fn from_iter_of_one(fault: Fault) -> Self {
        Self([fault].into())
    }

    fn from_list(faults: Vec<Fault>) -> Result<Self, StepError> {
        if faults.len() > MAX_FAULTS {
            return Err(StepError::new(format!("must have at most {MAX_FAULTS} faults")));
        }
        Ok(Self(faults.into()))
    }
}

impl FaultTarget {
    /// Reads a fault with the keys `component` and `session`, or an object that has a list of faults
    /// under the key `faults`.
    pub fn parse(text: &str) -> Result<Self, StepError> {
        let value = raw(text)?;
        let known = [&TARGET_KEYS[..], &KEYS].concat();
        let object = Object::parse(value, &known)?;
        let name = |value| bounded_string(value, MAX_NAME);
        let (component, session) = (object.get("component", name)?, object.get("session", name)?);
        let list = object.list("faults", "fault", fault)?;
        let faults = match list {
            Some(_) if KEYS.iter().any(|key| object.has(key)) => {
                return Err(StepError::new("has both faults and keys of a fault"));
            }
            Some(list) => Faults::from_list(list)?,
            None => Faults::from_iter_of_one(read(&object)?),
        };
        Ok(Self { component, session, faults })
    }
}

fn raw(text: &str) -> Result<&RawValue, StepError> {
    let error = |error: serde_json::Error| StepError::new(format!("is not JSON: {error}"));
    // A raw value excludes the whitespace around it.
    serde_json::from_str(text).map_err(error)
}

fn fault(value: &RawValue) -> Result<Fault, StepError> {
    read(&Object::parse(value, &KEYS)?)
}

fn read(object: &Object<'_>) -> Result<Fault, StepError> {
    let surfaces = object.list("surfaces", "surface", surface)?;
    let delay: Option<Duration> = object.get("delay", duration)?;
    let effect = match effect(object)? {
        Some(effect) => effect,
        None if delay.is_some() => Effect::Delay,
        None => {
            let known = "delay, error, hang, cut_after, reset, malformed_args, empty";
            return Err(StepError::new(format!("does nothing; expected one of: {known}")));
        }
    };
    let surfaces = match surfaces {
        Some(surfaces) if surfaces.is_empty() => {
            return Err(StepError::new("must not be empty").within_key("surfaces"));
        }
        Some(surfaces) => surfaces,
        None => Surface::ALL.to_vec(),
    };
    check_surfaces(object, &surfaces)?;
    Ok(Fault { surfaces, trigger: trigger(object)?, delay: delay.unwrap_or_default(), effect })
}

fn surface(value: &RawValue) -> Result<Surface, StepError> {
    let name = string(value)?;
    let found = Surface::ALL.into_iter().find(|surface| surface.as_str() == name);
    found.ok_or_else(|| {
        let known = Surface::ALL.map(Surface::as_str).join(", ");
        StepError::new(format!("unknown value {}; known: {known}", quoted(&name)))
    })
}

/// Checks that all surfaces can express the fault.
fn check_surfaces(object: &Object<'_>, surfaces: &[Surface]) -> Result<(), StepError> {
    let can_express = |surface: &Surface| matches!(surface, Surface::Grpc | Surface::Component);
    if !object.has("trailers_only") || surfaces.iter().all(can_express) {
        return Ok(());
    }
    let unable = surfaces.iter().filter(|surface| !can_express(surface));
    let unable = unable.map(|surface| surface.as_str()).collect::<Vec<_>>().join(" and ");
    let hint = r#"set surfaces to ["grpc"], ["component"] or both"#;
    let error = StepError::new(format!("cannot be expressed on {unable}; {hint}"));
    Err(error.within_key("trailers_only"))
}

fn trigger(object: &Object<'_>) -> Result<Trigger, StepError> {
    let calls = |value| {
        let calls = integer(value, 1, MAX_CALLS)?;
        Ok(NonZeroU64::new(calls).unwrap_or(NonZeroU64::MIN))
    };
    let first = object.get("fail_first", calls)?.map(Trigger::First);
    let every = object.get("every", calls)?.map(Trigger::Every);
    let seed = object.get("seed", |value| integer(value, 0, MAX_SEED))?;
    let probability = object.get("probability", |value| number(value, 0.0, 1.0))?;
    if seed.is_some() && probability.is_none() {
        return Err(StepError::new("needs probability").within_key("seed"));
    }
    let seed = seed.unwrap_or_default();
    let drawn = probability.map(|probability| Trigger::Probability { probability, seed });
    let mut triggers = [first, every, drawn].into_iter().flatten();
    match (triggers.next(), triggers.next()) {
        (trigger, None) => Ok(trigger.unwrap_or(Trigger::Always)),
        _ => Err(StepError::new(
            "has more than one of fail_first, every and probability; remove the others",
        )),
    }
}

fn effect(object: &Object<'_>) -> Result<Option<Effect>, StepError> {
    let effects = [
        failure(object)?.map(Effect::Fail),
        object.get("hang", only_true)?.map(|()| Effect::Hang),
        object.get("cut_after", cut_after)?.map(Effect::CutAfter),
        object
            .get("reset", only_true)?
            .map(|()| Effect::Fail(ProviderError::broken_off(Delivery::Reset))),
        object.get("malformed_args", malformed_arguments)?.map(Effect::MalformedArguments),
        object.get("empty", missing_part)?.map(Effect::Empty),
    ];
    let mut effects = effects.into_iter().flatten();
    match (effects.next(), effects.next()) {
        (effect, None) => Ok(effect),
        _ => Err(StepError::new(
            "has more than one of error, hang, cut_after, reset, malformed_args and empty; \
             split it into several faults",
        )),
    }
}

fn failure(object: &Object<'_>) -> Result<Option<ProviderError>, StepError> {
    let failure = object.get("error", error)?;
    match (failure, object.get("trailers_only", boolean)?) {
        (None, Some(_)) => Err(StepError::new("needs error").within_key("trailers_only")),
        (Some(failure), Some(false)) => {
            Ok(Some(ProviderError { delivery: Delivery::StatusAfterHeaders, ..failure }))
        }
        (failure, _) => Ok(failure),
    }
}

fn only_true(value: &RawValue) -> Result<(), StepError> {
    if boolean(value)? { Ok(()) } else { Err(StepError::new("must be true or absent")) }
}

/// Reads `true`, or the text of the arguments.
fn malformed_arguments(value: &RawValue) -> Result<Option<String>, StepError> {
    if value.get().starts_with('"') {
        return bounded_string(value, MAX_ARGUMENTS).map(Some);
    }
    only_true(value).map(|()| None).map_err(|_| StepError::new("must be true or a string"))
}
