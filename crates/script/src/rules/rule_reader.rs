//! Reads a rule.

use std::num::NonZeroU64;

use mynah_core::{
    base::{
        mapping::Mapping,
        yaml::{Node, Value},
    },
    provider::call::RuleLabel,
};

use super::{
    matching::Match,
    reader::Reader,
    rule::{Answers, Rule, Sequence},
    source::{Part, RuleSource},
    texts::{StepText, for_each_text, has_templates},
    variables::known,
};
use crate::{
    OnExhausted,
    chains::Chain,
    faults::FaultsSource,
    steps::{AnswerSource, RESPOND, Step, StepError, Word},
};

impl Reader {
    /// Reads the rule with this number. Returns `None` after an error.
    pub(super) fn rule(
        &mut self,
        number: usize,
        node: &Node,
        rule: &Part<'_, Mapping<RuleSource<'_>>>,
    ) -> Option<Rule> {
        let errors = self.errors.len();
        let label = self.label(number, node);
        self.within = label.to_string();
        let Mapping(mut source) = self.value(node, rule.read())?;
        let conditions = match source.r#match.take() {
            Some(conditions) => self.part(node, "match", Some(conditions)),
            None => Some(Match::default()),
        };
        let names = |conditions: &Match| conditions.capture_names().map(str::to_owned).collect();
        self.captures = conditions.as_ref().map(names);
        let times = self.part(node, "times", source.times.take());
        let priority = self.part(node, "priority", source.priority.take());
        let allow_unoffered = self.part(node, "allow_unoffered", source.allow_unoffered.take());
        let faults = self.part(node, "faults", source.faults.take());
        let faults = faults.map(FaultsSource::check).transpose();
        let faults = self.value(node, faults.map_err(|error| error.within_key("faults")));
        let answers = self.answers(node, source);
        if self.errors.len() > errors {
            return None;
        }
        let (mut conditions, answers) = (conditions?, answers?);
        if let Some(normalizer) = &self.normalizer {
            conditions.set_normalizer(normalizer);
        }
        if answers.calls_tools_each_time() {
            conditions.exclude_results();
        }
        Some(Rule {
            label: label.in_file(self.is_one_of_several.then(|| self.source.clone())),
            source: self.source.clone(),
            is_in_file: self.is_file,
            place: Some(node.place),
            has_templates: answers.steps().into_iter().any(has_templates),
            conditions,
            answers,
            times: times.and_then(|times| NonZeroU64::new(times.get())),
            priority: priority.unwrap_or_default(),
            allow_unoffered,
            faults: faults.flatten().unwrap_or_default(),
        })
    }

    /// Returns the label of a rule. Names are unique, because counters and reports refer to rules by
    /// name.
    fn label(&mut self, number: usize, node: &Node) -> RuleLabel {
        self.within = RuleLabel::number(number).to_string();
        let Value::Map(entries) = &node.value else { return RuleLabel::number(number) };
        let name = entries.get("name").map(|entry| &entry.node).filter(|node| !node.is_null());
        let name = name.and_then(|node| Some((node.place, node.as_written()?)));
        let Some((place, name)) = name else { return RuleLabel::number(number) };
        if let Some(line) = self.named.lines.insert(name.to_owned(), place.line) {
            self.error(place, format!("duplicate name {name:?}; first used in line {line}"));
        }
        RuleLabel::name(name)
    }

    fn answers(&mut self, node: &Node, source: RuleSource<'_>) -> Option<Answers> {
        let has_on_exhausted = source.on_exhausted.is_some();
        let on_exhausted = self.part(node, "on_exhausted", source.on_exhausted);
        let on_exhausted = on_exhausted.map(|Word(on_exhausted)| on_exhausted);
        match (source.respond, source.chain, source.sequence) {
            (Some(answer), None, None) => {
                if has_on_exhausted {
                    let error = StepError::new("needs chain or sequence");
                    self.value::<()>(node, Err(error.within_key("on_exhausted")));
                }
                self.respond(node, answer).map(|step| Answers::Respond(step.into()))
            }
            (None, Some(steps), None) => {
                let chain = Chain::from_steps(self.steps(node, "chain", steps)?);
                Some(Answers::Chain { chain, on_exhausted })
            }
            (None, None, Some(steps)) => {
                let steps = Sequence::new(self.steps(node, "sequence", steps)?)?;
                let on_exhausted = on_exhausted.unwrap_or(OnExhausted::RepeatLast);
                Some(Answers::Sequence { steps, on_exhausted })
            }
            _ => {
                self.error(node.place, "needs exactly one of respond, chain and sequence");
                None
            }
        }
    }

    fn respond(&mut self, node: &Node, answer: AnswerSource<'_>) -> Option<Step> {
        let mut step = self.step(answer);
        if step.as_ref().is_ok_and(|step| step.times.is_some()) {
            let hint = "needs an entry after it; use chain or sequence";
            step = Err(StepError::new(format!("an error with times {hint}")));
        }
        self.value(node, step.map_err(|error| error.within_key(RESPOND)))
    }

    /// Reads the steps of a chain or a sequence.
    fn steps(
        &mut self,
        node: &Node,
        key: &str,
        answers: Vec<AnswerSource<'_>>,
    ) -> Option<Vec<Step>> {
        if answers.is_empty() {
            let error = StepError::new("must not be empty").within_key(key);
            return self.value(node, Err(error));
        }
        let steps: Vec<_> = (0..)
            .zip(answers)
            .map(|(index, answer)| {
                let step = self.step(answer).map_err(|error| error.within_item(key, index));
                self.value(node, step)
            })
            .collect();
        steps.into_iter().collect()
    }

    /// Reads a step and its templates.
    fn step(&mut self, answer: AnswerSource<'_>) -> Result<Step, StepError> {
        let step = answer.check()?;
        if let Some(captures) = &self.captures {
            let variables = known(captures.iter().map(String::as_str));
            for_each_text(&step, &mut |text| match text {
                StepText::Text(text) => self.templates.add(text, &variables),
                StepText::Json(json) => self.templates.add_json(json, &variables),
            })?;
        }
        Ok(step)
    }
}
