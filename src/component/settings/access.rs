//! What the metadata of a component may use.

use std::path::{Component, Path, PathBuf, absolute};

/// The files and the programs that the metadata of a component may use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Access<'a> {
    /// All of them: the component is in a file itself.
    All,
    /// The files in this folder, and programs.
    Folder(&'a Path),
    /// Neither files nor programs.
    Nothing,
}

impl Access<'_> {
    /// Returns the path of a file. Relative paths start at `start`, or else at the folder.
    ///
    /// # Errors
    ///
    /// Fails with the reason if the file may not be used.
    pub(crate) fn path(self, start: &Path, path: &str) -> Result<PathBuf, &'static str> {
        match self {
            Self::All => Ok(start.join(path)),
            Self::Folder(folder) => {
                within(folder, Path::new(path)).ok_or("is not in the folder of --component-files")
            }
            Self::Nothing => {
                Err("is a file, which needs --component-files; or write its content as the value")
            }
        }
    }
}

/// Returns the path of a file in a folder. Links in the folder may lead out of it: they belong to the
/// owner of the folder.
fn within(folder: &Path, path: &Path) -> Option<PathBuf> {
    let relative = match path.is_absolute() {
        true => path.strip_prefix(absolute(folder).ok()?).ok()?,
        false => path,
    };
    let is_inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
    relative.components().all(is_inside).then(|| folder.join(relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_in_the_folder() {
        let path = |path| Access::Folder(Path::new("/files")).path(Path::new(""), path).ok();
        for inside in ["a.yaml", "./a.yaml", "b/..data/a.yaml", "/files/a.yaml"] {
            assert!(path(inside).is_some_and(|path| path.starts_with("/files")), "{inside}");
        }
        for outside in ["../a", "b/../../a", "/a", "/files/../a", "/files2/a"] {
            assert_eq!(path(outside), None);
        }
    }
}
