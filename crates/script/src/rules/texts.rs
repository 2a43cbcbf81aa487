//! The texts of a step that may be templates.

use mynah_core::base::template::{Templates, is_template};

use super::variables::Variables;
use crate::steps::{Item, Reasoning, ScriptedCall, Step, StepError};

/// A text of a step.
pub(super) enum StepText<'s> {
    Text(&'s str),
    /// JSON whose strings are texts.
    Json(&'s str),
}

/// Calls `check` with each text of a step. An error has the path to the text.
pub(super) fn for_each_text(
    step: &Step,
    check: &mut dyn FnMut(StepText<'_>) -> Result<(), String>,
) -> Result<(), StepError> {
    for (index, choice) in step.other_choices.iter().enumerate() {
        let checked = for_each_text(choice, check);
        checked.map_err(|error| error.within_item("other_choices", index))?;
    }
    if let Reasoning::Text(text) = &step.reasoning {
        let checked = check(StepText::Text(text));
        checked.map_err(|it| StepError::new(it).within_key("reasoning"))?;
    }
    for (index, item) in step.items.iter().enumerate() {
        let checked = match item {
            Item::Text(text) => {
                check(StepText::Text(text)).map_err(|it| StepError::new(it).within_key("text"))
            }
            Item::Json(json) => {
                check(StepText::Json(json)).map_err(|it| StepError::new(it).within_key("json"))
            }
            Item::Calls(calls) => calls.iter().enumerate().try_for_each(|(index, call)| {
                if call.has_raw_args {
                    return Ok(());
                }
                let checked = check(StepText::Json(&call.call.arguments));
                let within = |error: StepError| error.within_item("tool_call", index);
                checked.map_err(|error| within(StepError::new(error).within_key("args")))
            }),
            Item::Filler(_) | Item::Directive(_) | Item::Error(_) => Ok(()),
        };
        checked.map_err(|error| error.within_item("messages", index))?;
    }
    Ok(())
}

/// Returns `true` if a text of a step may be a template.
pub(super) fn has_templates(step: &Step) -> bool {
    let mut found = false;
    let mut check = |text: StepText<'_>| {
        let (StepText::Text(text) | StepText::Json(text)) = text;
        found |= is_template(text);
        Ok(())
    };
    for_each_text(step, &mut check).is_err() || found
}

/// Returns a step with the expressions in its texts replaced.
pub(super) fn render(
    step: &Step,
    templates: &Templates,
    variables: &Variables,
) -> Result<Step, String> {
    let (mut step, values) = (step.clone(), variables.value());
    for choice in &mut step.other_choices {
        *choice = render(choice, templates, variables)?;
    }
    if let Reasoning::Text(text) = &mut step.reasoning {
        *text = templates.render(text, &values)?.into_owned();
    }
    for item in &mut step.items {
        match item {
            Item::Text(text) => *text = templates.render(text, &values)?.into_owned(),
            Item::Json(json) => {
                *json = templates.render_json(json, &values, None)?.into_owned();
            }
            Item::Calls(calls) => {
                let calls = calls.iter_mut().filter(|call| !call.has_raw_args);
                for ScriptedCall { call, .. } in calls {
                    let schema = variables.schema_of(&call.name);
                    let rendered = templates.render_json(&call.arguments, &values, schema)?;
                    call.arguments = rendered.into_owned();
                }
            }
            Item::Filler(_) | Item::Directive(_) | Item::Error(_) => {}
        }
    }
    Ok(step)
}
