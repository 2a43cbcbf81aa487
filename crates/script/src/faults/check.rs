//! Checks what serde cannot: the keys of a fault that need or exclude each other.

use std::num::NonZeroU64;

use mynah_core::{
    base::mapping::Mapping,
    chat::{Delivery, ProviderError},
    provider::call::Surface,
};

use super::{
    MAX_FAULTS,
    fault::{Effect, Fault, Faults},
    source::{EFFECTS, FaultSource, FaultsSource, MalformedArguments},
    trigger::Trigger,
};
use crate::steps::{Chunks, StepError};

impl FaultsSource {
    /// Returns the faults, if their keys fit together.
    pub(crate) fn check(self) -> Result<Faults, StepError> {
        match self {
            Self::One(fault) => Ok(Faults([fault.check()?].into())),
            Self::List(faults) => Faults::check(faults, StepError::within_index),
        }
    }
}

impl Faults {
    /// Checks a list of faults. `within` adds the index of a fault to an error.
    pub(super) fn check(
        faults: Vec<Mapping<FaultSource>>,
        within: impl Fn(StepError, usize) -> StepError,
    ) -> Result<Self, StepError> {
        if faults.len() > MAX_FAULTS {
            return Err(StepError::new(format!("must have at most {MAX_FAULTS} faults")));
        }
        let checked = faults
            .into_iter()
            .enumerate()
            .map(|(index, Mapping(fault))| fault.check().map_err(|error| within(error, index)));
        checked.collect::<Result<_, _>>().map(Self)
    }
}

impl FaultSource {
    pub(super) fn check(self) -> Result<Fault, StepError> {
        let surfaces = self.checked_surfaces()?;
        let trigger = self.trigger()?;
        let delay = self.delay.map(|delay| delay.0);
        let effect = match self.effect()? {
            Some(effect) => effect,
            None if delay.is_some() => Effect::Delay,
            None => {
                let known = EFFECTS.join(", ");
                return Err(StepError::new(format!("does nothing; expected one of: {known}")));
            }
        };
        Ok(Fault { surfaces, trigger, delay: delay.unwrap_or_default(), effect })
    }

    /// Returns the surfaces, if all of them can express the fault.
    fn checked_surfaces(&self) -> Result<Vec<Surface>, StepError> {
        let surfaces: Vec<_> = match &self.surfaces {
            Some(surfaces) => surfaces.iter().map(|surface| surface.0).collect(),
            None => Surface::ALL.to_vec(),
        };
        if surfaces.is_empty() {
            return Err(StepError::new("must not be empty").within_key("surfaces"));
        }
        if self.trailers_only.is_none() {
            return Ok(surfaces);
        }
        let message = if self.error.is_none() {
            "needs error".to_owned()
        } else {
            let can_express = |it: &&Surface| matches!(it, Surface::Grpc | Surface::Component);
            let unable = surfaces.iter().filter(|surface| !can_express(surface));
            let unable: Vec<_> = unable.map(|surface| surface.as_str()).collect();
            if unable.is_empty() {
                return Ok(surfaces);
            }
            let hint = r#"set surfaces to ["grpc"], ["component"] or both"#;
            format!("cannot be expressed on {}; {hint}", unable.join(" and "))
        };
        Err(StepError::new(message).within_key("trailers_only"))
    }

    fn trigger(&self) -> Result<Trigger, StepError> {
        let first = self.fail_first.and_then(|calls| NonZeroU64::new(calls.get()));
        let every = self.every.and_then(|calls| NonZeroU64::new(calls.get()));
        let seed = self.seed.map_or(0, |seed| seed.get());
        let drawn = self.probability.map(|it| Trigger::Probability { probability: it.0, seed });
        if self.seed.is_some() && drawn.is_none() {
            return Err(StepError::new("needs probability").within_key("seed"));
        }
        let triggers = [first.map(Trigger::First), every.map(Trigger::Every), drawn];
        let mut triggers = triggers.into_iter().flatten();
        match (triggers.next(), triggers.next()) {
            (trigger, None) => Ok(trigger.unwrap_or(Trigger::Always)),
            _ => Err(StepError::new(
                "has more than one of fail_first, every and probability; remove the others",
            )),
        }
    }

    fn effect(self) -> Result<Option<Effect>, StepError> {
        let delivery = match self.trailers_only {
            Some(false) => Delivery::StatusAfterHeaders,
            _ => Delivery::default(),
        };
        let failure = |Mapping(error)| ProviderError { delivery, ..ProviderError::from(error) };
        let reset = |_| Effect::Fail(ProviderError::broken_off(Delivery::Reset));
        let arguments = |it| match it {
            MalformedArguments::Text(text) => Some(text.0),
            MalformedArguments::Truncated(_) => None,
        };
        let effects = [
            self.error.map(|error| Effect::Fail(failure(error))),
            self.hang.map(|_| Effect::Hang),
            self.cut_after.map(Chunks::to_usize).map(Effect::CutAfter),
            self.reset.map(reset),
            self.malformed_args.map(|it| Effect::MalformedArguments(arguments(it))),
            self.empty.map(|part| Effect::Empty(part.0)),
        ];
        let mut effects = effects.into_iter().flatten();
        match (effects.next(), effects.next()) {
            (effect, None) => Ok(effect),
            _ => {
                let [_, first @ .., last] = EFFECTS;
                let effects = format!("{} and {last}", first.join(", "));
                let hint = "split it into several faults";
                Err(StepError::new(format!("has more than one of {effects}; {hint}")))
            }
        }
    }
}
