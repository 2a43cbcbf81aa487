//! Recognises files of tools.

use std::path::Path;

use mynah_core::base::{files, yaml::TopLevel};

const KEY: &str = "tools";

/// Returns `true` if a file has a list `tools` at the top level and is no Kubernetes resource.
pub fn is_tools_file(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| {
        let top_level = TopLevel::with_one_of(&[KEY], &text);
        top_level.is_some_and(|it| it.has_list(KEY) && !it.is_resource())
    })
}
