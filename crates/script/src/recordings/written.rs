//! A recorded rule as text, which can be read again.

use std::{collections::BTreeMap, iter};

use mynah_core::base::template::is_template;
use serde_json::Value;

use super::{
    document,
    long_texts::take_long_texts,
    readable::{count, is_common, is_common_text, is_valid_step},
    room::Used,
};
use crate::{Rules, rules::matching::request::RequestForm};

/// Maximum size of a text with braces that are escaped, in MiB, since the work of a template is limited.
const MAX_TEMPLATE_MIB: usize = 4;

/// The number of values in a rule with one answer, apart from those of its request and its answer: the rule and
/// its three keys, the name, the condition and its key.
const RULE_VALUES: usize = 7;

/// A rule that is to be written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) text: String,
    /// The long texts of the request, by file.
    pub(super) long_texts: BTreeMap<String, String>,
    pub(super) used: Used,
}

impl Written {
    /// Writes a rule. It is read again, unless it is known that it can be.
    ///
    /// # Errors
    ///
    /// Fails with the first error if the text is not a valid rule.
    pub(super) fn new(
        name: &str,
        request: Option<&RequestForm>,
        steps: &[Value],
        indentation: &str,
    ) -> Result<Self, String> {
        let long_size = request.map_or(0, RequestForm::long_size);
        let mut request = serde_json::to_value(request).map_err(|error| error.to_string())?;
        let mut long_texts = take_long_texts(&mut request);
        let text = indented(document::rule(name, &request, steps)?, indentation);
        let values = || iter::once(&request).chain(steps);
        let is_common = is_common_text(name) && values().all(is_common);
        if !(is_common && steps.iter().all(is_valid_step)) {
            steps.iter().try_for_each(check_texts)?;
            Rules::check_recorded(&text, &mut long_texts)?;
        }
        let values =
            RULE_VALUES + usize::from(steps.len() != 1) + values().map(count).sum::<usize>();
        let used = Used { bytes: text.len(), values, long_texts: long_size };
        Ok(Self { text, long_texts, used })
    }
}

/// Checks that no text of a step is longer than what a template can write.
fn check_texts(value: &Value) -> Result<(), String> {
    match value {
        Value::String(text) if text.len() > MAX_TEMPLATE_MIB << 20 && is_template(text) => {
            Err(format!("a text with braces of templates has more than {MAX_TEMPLATE_MIB} MiB"))
        }
        Value::Array(items) => items.iter().try_for_each(check_texts),
        Value::Object(members) => members.values().try_for_each(check_texts),
        _ => Ok(()),
    }
}

/// Returns a text with its lines indented.
fn indented(text: String, indentation: &str) -> String {
    if indentation.is_empty() {
        return text;
    }
    let line = |line: &str| match line {
        "\n" => line.to_owned(),
        _ => format!("{indentation}{line}"),
    };
    text.split_inclusive('\n').map(line).collect()
}
