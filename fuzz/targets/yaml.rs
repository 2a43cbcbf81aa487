//! A file loads or is refused, the same twice.

use std::{fs, path::PathBuf};

use mynah::component::{Context, load};

pub fn run(data: &[u8]) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.yaml"), data).expect("a file");
    let paths: [PathBuf; 1] = [folder.path().into()];
    let loaded = || load(&paths, &Context::default());
    let (first, again) = (loaded(), loaded());
    assert_eq!(first.errors, again.errors);
    for component in &first.components {
        assert!(!component.name.is_empty(), "a component without a name");
    }
    assert_eq!(first.components.len(), again.components.len());
    !first.components.is_empty()
}
