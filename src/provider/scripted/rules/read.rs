//! Reads a file of rules.

use std::{cmp::Reverse, mem, path::Path, sync::Arc};

use super::{
    Rules, aimock, expectation::Expectation, index::Index, reader::Reader, rule::Rule,
    template::Templates,
};
use crate::base::{
    diagnostics::{Diagnostic, Place},
    files,
    mapping::Mapping,
    pattern::PatternLimits,
    yaml::{self, Node, PlacedJson, Tree, Value},
};

const KEYS: [&str; 3] = ["rules", "expect", "$schema"];

/// The contents of a file.
struct Contents {
    /// By priority, then in the order of the file.
    rules: Vec<Arc<Rule>>,
    templates: Templates,
    expectations: Vec<Expectation>,
}

impl Rules {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the text.
    pub fn read(text: String, file: &Path) -> Result<Self, Vec<Diagnostic>> {
        let in_file = |diagnostics: Vec<Diagnostic>| {
            diagnostics.into_iter().map(|it| it.in_file(file)).collect::<Vec<_>>()
        };
        let mut rules = Self::read_text(text, &file.display().to_string()).map_err(in_file)?;
        rules.warnings = in_file(mem::take(&mut rules.warnings));
        Ok(rules)
    }

    /// Reads a text that may have no file of its own. Counters and reports call it `source`.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the text. Diagnostics have no file.
    pub(crate) fn read_text(text: String, source: &str) -> Result<Self, Vec<Diagnostic>> {
        let (contents, _) = PatternLimits::FILE.read(|| read_any(&text));
        let (contents, warnings) = contents.map_err(sorted)?;
        let Contents { rules, templates, expectations } = contents;
        let (index, warnings) =
            (Index::new(rules.iter().map(|rule| &rule.conditions)), sorted(warnings));
        let source = source.into();
        Ok(Self { source, text, rules, index, templates, expectations, warnings })
    }
}

fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    diagnostics.sort();
    diagnostics
}

/// Returns `true` if a file has the key `rules` or `expect` at the top level, or fixtures of aimock.
/// Kubernetes has kinds with such keys, such as `Role`.
pub(crate) fn is_rules_file(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| has_keys(&text) || aimock::has_fixtures(&text))
}

fn has_keys(text: &str) -> bool {
    let keys = ["rules", "expect"];
    // Parsing is much slower than searching.
    keys.iter().any(|key| text.contains(key))
        && match yaml::parse_own(text) {
            Ok(tree) => match tree.map(|tree| tree.root.value) {
                Some(Value::Map(entries)) => is_rules(|key| entries.contains_key(key)),
                _ => false,
            },
            // A file with mistakes in its syntax.
            Err(_) => is_rules(|key| {
                let starts =
                    |line: &str| line.strip_prefix(key).is_some_and(|it| it.starts_with(':'));
                text.lines().any(starts)
            }),
        }
}

/// Returns `true` if the keys of a file are those of rules.
fn is_rules(has: impl Fn(&str) -> bool) -> bool {
    (has("rules") || has("expect")) && !has("apiVersion") && !has("kind")
}

/// Reads rules, or fixtures of aimock, which may have warnings.
fn read_any(text: &str) -> Result<(Contents, Vec<Diagnostic>), Vec<Diagnostic>> {
    if !aimock::has_fixtures(text) {
        return Ok((read(text)?, Vec::new()));
    }
    let aimock::Converted { rules, warnings } = aimock::convert(text)?;
    // The places of errors are in the converted text. The messages name the fixtures.
    let without_place = |error: Diagnostic| Diagnostic { place: None, ..error };
    let contents =
        read(&rules).map_err(|errors| errors.into_iter().map(without_place).collect::<Vec<_>>())?;
    Ok((contents, warnings))
}

fn read(text: &str) -> Result<Contents, Vec<Diagnostic>> {
    let tree = yaml::parse_own(text).map_err(|error| vec![error])?;
    let Some(Tree { root, repeated_keys }) = tree else {
        let message = "the file is empty; expected a list `rules`";
        return Err(vec![Diagnostic::error(message).at(Place { line: 1, column: 1 })]);
    };
    let mut reader = Reader { errors: repeated_keys, ..Reader::default() };
    let (mut rules, mut expectations) = (Vec::new(), Vec::new());
    if let Some(fields) = reader.fields(&root, &KEYS) {
        let [listed, expected] = ["rules", "expect"].map(|key| fields.get(key));
        if listed.is_none() && expected.is_none() {
            reader.error(root.place, "expected a list `rules`");
        }
        rules = listed.map(|list| reader.rules(list)).unwrap_or_default();
        expectations = expected.map(|list| reader.expectations(list)).unwrap_or_default();
    }
    if !reader.errors.is_empty() {
        return Err(reader.errors);
    }
    // The sort is stable.
    rules.sort_by_key(|rule| Reverse(rule.priority));
    let rules = rules.into_iter().map(Arc::new).collect();
    Ok(Contents { rules, templates: reader.templates, expectations })
}

impl Reader {
    fn rules(&mut self, list: &Node) -> Vec<Rule> {
        let nodes = self.list("rules", list).unwrap_or_default();
        nodes.iter().zip(1..).filter_map(|(node, number)| self.rule(number, node)).collect()
    }

    fn expectations(&mut self, list: &Node) -> Vec<Expectation> {
        let nodes = self.list("expect", list).unwrap_or_default();
        nodes.iter().zip(1..).filter_map(|(node, number)| self.expectation(number, node)).collect()
    }

    fn expectation(&mut self, number: usize, node: &Node) -> Option<Expectation> {
        self.within = format!("expect {number}");
        let expectation = PlacedJson::new(node).deserialize();
        expectation.map(|Mapping(it)| it).map_err(|error| self.add(error, node.place)).ok()
    }
}
