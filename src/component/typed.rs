//! Files beside the components, which the loader passes over: one of tools.

use std::path::Path;

use serde::de::DeserializeOwned;

use super::{Problem, files, yaml};

/// What a file says that a user names, in YAML or JSON.
pub(crate) fn typed<T: DeserializeOwned>(file: &Path) -> Result<T, Problem> {
    let problem = |place, message| Problem { file: file.to_owned(), place, message };
    let text = files::read_input(file).map_err(|why| problem(why.place, why.message))?;
    yaml::typed(&text).map_err(|remark| problem(Some(remark.place), remark.message))
}
