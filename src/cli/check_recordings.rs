//! The recordings that `mynah check` checks.

use std::fs;

use crate::{
    base::diagnostics::Diagnostic, component::Loaded, server::ModelSource, upstream::read_recording,
};

/// Checks that exchanges can be read from and added to the recordings of all components with real models.
/// Returns the number of valid recordings, or `None` if there is no folder for them.
pub(super) fn check_recordings(models: &ModelSource, loaded: &mut Loaded) -> Option<usize> {
    let folder = models.folder()?;
    let is_recorded = models.required_folder().is_none();
    if let Some(Err(error)) = models.required_folder().map(fs::read_dir) {
        loaded.errors.push(Diagnostic::error(error.to_string()).in_file(folder));
    }
    let real = loaded.components.iter().filter(|spec| spec.provider.answered_by().is_some());
    let (mut valid, mut errors) = (0, Vec::new());
    for component in real {
        match read_recording(folder, &component.name) {
            Ok(Some(recording)) => {
                valid += 1;
                loaded.notices.extend(recording.warning().filter(|_| is_recorded).cloned());
            }
            Ok(None) => {}
            Err(invalid) => errors.extend(invalid),
        }
    }
    // A replayed file has been read with the components.
    errors.retain(|error| !loaded.errors.contains(error));
    loaded.errors.extend(errors);
    Some(valid)
}
