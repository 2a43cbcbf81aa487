//! `mynah man`: prints the manual page, or writes those of all commands.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::CommandFactory;
use clap_mangen::Man;
use thiserror::Error as ThisError;

use crate::cli::args::{Cli, ManArgs};

/// The pages cannot be written.
#[derive(Debug, ThisError)]
#[error("cannot write manual pages to {}", folder.display())]
pub(super) struct Error {
    folder: PathBuf,
    source: io::Error,
}

/// Writes the pages of all commands to a folder, or prints the page of the program.
pub(super) fn man(args: &ManArgs) -> Result<(), Error> {
    if let Some(folder) = &args.dir {
        return write_pages(folder).map_err(|source| Error { folder: folder.clone(), source });
    }
    let mut page = Vec::new();
    // Writing to memory does not fail.
    let _ = Man::new(Cli::command()).render(&mut page);
    // Ignore write errors: the reader is gone.
    let _ = io::stdout().write_all(&page);
    Ok(())
}

fn write_pages(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    clap_mangen::generate_to(Cli::command(), folder)
}
