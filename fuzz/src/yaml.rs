//! Checks that loading a component file is deterministic.

use std::{fs, path::PathBuf};

use mynah::internals::component::{Context, load};

pub fn run(data: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("a.yaml"), data).expect("a written file");
    let paths: [PathBuf; 1] = [folder.path().into()];
    let loaded = || load(&paths, &Context::default());
    let (first, second) = (loaded(), loaded());
    assert_eq!(first.errors, second.errors);
    for component in &first.components {
        assert!(!component.name.is_empty(), "a component has no name");
    }
    assert_eq!(first.components.len(), second.components.len());
    !first.components.is_empty()
}
