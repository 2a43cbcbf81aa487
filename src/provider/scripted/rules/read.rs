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
        let contents = read(text)?;
        let warnings = never_reached(&contents.rules);
        return Ok((contents, warnings));
    }
    let aimock::Converted { rules, mut warnings } = aimock::convert(text)?;
    // The places are in the converted text. The messages name the fixtures.
    let without_places = |found: Vec<Diagnostic>| -> Vec<_> {
        found.into_iter().map(|it| Diagnostic { place: None, ..it }).collect()
    };
    let contents = read(&rules).map_err(without_places)?;
    warnings.extend(without_places(never_reached(&contents.rules)));
    Ok((contents, warnings))
}

/// Returns a warning for each rule that never answers. The rules are in the order in which they are
/// tried.
fn never_reached(rules: &[Arc<Rule>]) -> Vec<Diagnostic> {
    let mut later = rules.iter().skip_while(|rule| !rule.is_catch_all());
    let Some(catch_all) = later.next() else { return Vec::new() };
    let earlier = &catch_all.label;
    let warning = |rule: &Arc<Rule>| {
        let reason = format!("{earlier} is tried before it and matches every call");
        let message = format!("{} is never reached: {reason}", rule.label);
        Diagnostic::warning(message).at(rule.place)
    };
    later.map(warning).collect()
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
