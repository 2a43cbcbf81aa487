//! The recordings that `mynah check` checks.

use std::{fs, path::Path};

use crate::{
    base::diagnostics::Diagnostic,
    component::Loaded,
    provider::scripted::{
        Rules,
        rules::{RulesText, is_rules_file},
    },
    server::ModelSource,
    upstream::{read_recording, recording_text},
};

/// Checks that exchanges can be read from and added to the recordings of all components with real models.
/// Returns the number of their recordings, or `None` if there is no folder for them.
pub(super) fn check_recordings(models: &ModelSource, loaded: &mut Loaded) -> Option<usize> {
    let folder = models.folder()?;
    let is_recorded = models.required_folder().is_none();
    if let Some(Err(error)) = models.required_folder().map(fs::read_dir) {
        loaded.errors.push(Diagnostic::error(error.to_string()).in_file(folder));
    }
    let names: Vec<_> = loaded.components.iter().map(|spec| &*spec.name).collect();
    let real = loaded.components.iter().filter(|spec| spec.provider.answered_by().is_some());
    let (mut found, mut errors) = (0, Vec::new());
    for component in real {
        let recording = read_recording(folder, &component.name);
        found += usize::from(!matches!(recording, Ok(None)));
        match recording {
            Ok(None) => {}
            Ok(Some((recording, rules))) => {
                loaded.notices.extend(recording.warning().filter(|_| is_recorded).cloned());
                loaded.notices.extend(rules.of_other_components(&component.name, &names));
                loaded.notices.extend(rules.unoffered_tools());
            }
            Err(invalid) => errors.extend(invalid),
        }
    }
    // A replayed file has been read with the components.
    errors.retain(|error| !loaded.errors.contains(error));
    loaded.errors.extend(errors);
    Some(found)
}

/// Reads a file of rules, which may be a recording that is larger than other files. Returns `None` for other files.
///
/// # Errors
///
/// Fails with all errors in the file, or if it cannot be read.
pub(super) fn read_rules(file: &Path) -> Option<Result<Rules, Vec<Diagnostic>>> {
    match recording_text(file) {
        Some(text) => Some(Rules::read_all(vec![RulesText::of_recording(file, text)])),
        None => is_rules_file(file).then(|| Rules::load(file)),
    }
}
