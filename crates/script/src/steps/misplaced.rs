//! Says where keys belong that are in the wrong place.

use super::{
    StepError,
    keys::{MESSAGES, RESPOND},
    keys_of::keys_of,
    source::{ItemSource, StepSource},
};

impl StepError {
    /// Says where an unknown key belongs, if it is a key of an item in a step, or of a step in a rule.
    pub(crate) fn with_hint(self) -> Self {
        let Some(key) = self.key() else { return self };
        let is_key_of = |known: &[&str]| known.contains(&key);
        // The message lists the keys of the object.
        let lists = |known: &str| self.message().contains(&format!("`{known}`"));
        let hint = if lists(MESSAGES) && is_key_of(&keys_of::<ItemSource>()) {
            format!(r#"make it an item: "{MESSAGES}": [{{{key:?}: …}}]"#)
        } else if lists("sequence") && is_key_of(&keys_of::<StepSource<'_>>()) {
            format!("write it in the answer: {RESPOND}: {{{MESSAGES}: […], {key}: …}}")
        } else {
            return self;
        };
        let message = format!("unknown key `{key}`; {hint}");
        self.with_message(message)
    }
}
