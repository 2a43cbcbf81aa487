//! What the results of a run depend on.

use std::{hash::Hasher, path::Path};

use mynah_core::base::{
    files,
    yaml::{self, Node, Value},
};
use twox_hash::XxHash3_64;

/// The hash of what the results of a run depend on: the values of the file, the files that it refers
/// to, the values that these refer to, and the version of mynah.
pub(super) struct Inputs(XxHash3_64);

impl Inputs {
    pub(super) fn new() -> Self {
        let mut inputs = Self(XxHash3_64::new());
        inputs.add(env!("CARGO_PKG_VERSION"));
        inputs
    }

    /// Adds a text.
    pub(super) fn add(&mut self, text: &str) {
        self.0.write(&(text.len() as u64).to_le_bytes());
        self.0.write(text.as_bytes());
    }

    /// Adds a YAML file, and the text files that its commands name.
    pub(super) fn add_yaml(&mut self, text: &str) {
        self.add(text);
        self.add_programs(text);
    }

    /// Adds the text files that commands in a YAML file name, such as scripts. Commands run in the
    /// working directory.
    pub(super) fn add_programs(&mut self, yaml: &str) {
        let tree = yaml::parse_own(yaml).ok().flatten();
        let mut words = Vec::new();
        tree.iter().for_each(|tree| collect_words(&tree.root, false, &mut words));
        for word in words {
            // Other words are not files, and programs are rarely text.
            if let Ok(text) = files::read_regular(Path::new(word)) {
                self.add(word);
                self.add(&text);
            }
        }
    }

    pub(super) fn hash(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}

/// Collects the scalars under keys named `command`.
fn collect_words<'n>(node: &'n Node, is_command: bool, words: &mut Vec<&'n str>) {
    match &node.value {
        Value::Plain(word) | Value::Text(word) if is_command => words.push(word),
        Value::Plain(_) | Value::Text(_) => {}
        Value::List(nodes) => {
            nodes.iter().for_each(|node| collect_words(node, is_command, words));
        }
        Value::Map(entries) => entries.iter().for_each(|(key, entry)| {
            collect_words(&entry.node, is_command || key == "command", words);
        }),
    }
}
