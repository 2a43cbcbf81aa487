//! Reads files of rules.

use std::{cmp::Reverse, collections::BTreeMap, mem, path::Path, sync::Arc};

use mynah_core::base::{
    diagnostics::{Diagnostic, Place},
    files,
    mapping::Mapping,
    pattern::PatternLimits,
    template::Templates,
    yaml::{self, Node, TopLevel, Tree, Value, to_json},
};

use super::{
    Rules, RulesFile, RulesText, aimock,
    expectation::Expectation,
    index::Index,
    matching::request::{NormalizationSource, Normalizer},
    reader::{Named, Reader},
    rule::Rule,
    rules_text::MAX_RECORDING,
    source::{Part, RulesSource},
    text_files,
};
use crate::steps::{StepError, keys_of};

/// The contents of files.
#[derive(Default)]
struct Contents {
    rules: Vec<Rule>,
    templates: Templates,
    files: Vec<RulesFile>,
    warnings: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
    /// Why files have no rules. Errors if no file has rules.
    without_rules: Vec<Diagnostic>,
    /// The tree of the last file.
    tree: Option<Node>,
    /// The rules in the texts with the source of the last one.
    named: Named,
}

impl Rules {
    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the text.
    pub fn read(text: String, file: &Path) -> Result<Self, Vec<Diagnostic>> {
        Self::read_all(vec![RulesText::of_file(file, text)])
    }

    /// Reads texts. Of rules with the same priority, those of the first text are tried first.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the texts.
    pub fn read_all(texts: Vec<RulesText>) -> Result<Self, Vec<Diagnostic>> {
        let is_one_of_several = texts.len() > 1;
        Self::read_texts(texts, is_one_of_several)
    }

    /// Reads texts. If there are also rules in other texts, labels have the source.
    pub(super) fn read_texts(
        texts: Vec<RulesText>,
        is_one_of_several: bool,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut contents = Contents::default();
        for text in texts {
            contents.add(text, is_one_of_several);
            contents.tree = None;
        }
        contents.complete()
    }

    /// Reads the text of a recording. Also returns its tree, unless it has fixtures of aimock.
    ///
    /// # Errors
    ///
    /// Fails with all errors in the text.
    pub(crate) fn read_recording(
        text: String,
        file: &Path,
    ) -> Result<(Self, Option<Node>), Vec<Diagnostic>> {
        let mut contents = Contents::default();
        contents.add(RulesText::of_recording(file, text), false);
        let tree = contents.tree.take();
        contents.complete().map(|rules| (rules, tree))
    }

    /// Reads a list of rules of a recording, whose long texts are in files that need not be written yet.
    ///
    /// # Errors
    ///
    /// Fails with the first error.
    pub(crate) fn check_recorded(
        rules: &str,
        long_texts: &mut BTreeMap<String, String>,
    ) -> Result<(), String> {
        let mut reader = Reader { texts: mem::take(long_texts), ..Reader::default() };
        reader.read(yaml::parse_own_up_to(MAX_RECORDING, &format!("rules:\n{rules}")));
        *long_texts = reader.texts;
        match reader.errors.into_iter().next() {
            Some(error) => Err(error.message),
            None => Ok(()),
        }
    }

    /// Returns a warning if no exchange is replayed that is recorded after the rules.
    pub(crate) fn hides_recorded(&self) -> Option<Diagnostic> {
        let hides = |rule: &&Arc<Rule>| rule.is_catch_all() && rule.priority >= 0;
        let rule = self.rules.iter().find(hides)?;
        let message = format!(
            "{} matches every call, so exchanges recorded after it are never replayed; \
             give it a condition, or a priority below 0",
            rule.label
        );
        Some(rule.warning(message))
    }
}

impl Contents {
    /// Returns the rules.
    fn complete(self) -> Result<Rules, Vec<Diagnostic>> {
        let Self { mut rules, templates, files, mut warnings, mut errors, without_rules, .. } =
            self;
        let is_empty = rules.is_empty() && files.iter().all(|file| file.expectations.is_empty());
        errors.extend(without_rules.into_iter().filter(|_| is_empty));
        if !errors.is_empty() {
            return Err(errors);
        }
        // The sort is stable.
        rules.sort_by_key(|rule| Reverse(rule.priority));
        let rules: Vec<_> = rules.into_iter().map(Arc::new).collect();
        warnings.extend(never_reached(&rules, &files));
        warnings.sort();
        let index = Index::new(rules.iter().map(|rule| &rule.conditions));
        Ok(Rules { files, rules, index, templates: templates.into(), warnings })
    }

    /// Adds the contents of a text.
    fn add(&mut self, text: RulesText, is_one_of_several: bool) {
        if self.files.last().is_none_or(|file| file.text.source != text.source) {
            self.named = Named::default();
        }
        let mut reader = Reader {
            source: text.source.clone(),
            is_file: text.file.is_some(),
            folder: text.file.as_ref().and_then(|file| file.parent()).map(Path::to_owned),
            is_one_of_several,
            templates: mem::take(&mut self.templates),
            named: mem::take(&mut self.named),
            ..Reader::default()
        };
        let (read, _) = PatternLimits::FILE.read(|| reader.read_any(&text));
        self.templates = reader.templates;
        self.named = reader.named;
        self.named.before += read.rules.len();
        let in_file = |mut diagnostics: Vec<Diagnostic>| {
            diagnostics.sort();
            let file = text.file.as_deref();
            let in_file = |it: Diagnostic| match file {
                Some(file) => it.in_file(file),
                None => it,
            };
            diagnostics.into_iter().map(in_file).collect::<Vec<_>>()
        };
        self.errors.extend(in_file(reader.errors));
        self.warnings.extend(in_file(read.warnings));
        self.without_rules.extend(in_file(read.without_rules));
        self.rules.extend(read.rules);
        self.tree = read.tree;
        self.files.push(RulesFile { text, expectations: read.expectations });
    }
}

/// Returns `true` if a file has the key `rules` or `expect` at the top level, or fixtures of aimock.
/// Kubernetes has kinds with such keys, such as `Role`.
pub fn is_rules_file(file: &Path) -> bool {
    files::read_regular(file).is_ok_and(|text| is_rules_text(&text))
}

/// Returns `true` if a text has such keys or fixtures.
pub(super) fn is_rules_text(text: &str) -> bool {
    has_keys(text) || aimock::has_fixtures(text)
}

fn has_keys(text: &str) -> bool {
    let keys = ["rules", "expect"];
    TopLevel::with_one_of(&keys, text)
        .is_some_and(|it| keys.iter().any(|key| it.has(key)) && !it.is_resource())
}

/// Returns a warning for each rule that never answers. The rules are in the order in which they are
/// tried.
fn never_reached(rules: &[Arc<Rule>], files: &[RulesFile]) -> Vec<Diagnostic> {
    let mut later = rules.iter().skip_while(|rule| !rule.is_catch_all());
    let Some(catch_all) = later.next() else { return Vec::new() };
    let earlier = &catch_all.label;
    let warning = |rule: &Arc<Rule>| {
        let reason = format!("{earlier} is tried before it and matches every call");
        let warning = rule.warning(format!("{} is never reached: {reason}", rule.label));
        let file = files.iter().find(|file| Arc::ptr_eq(&file.text.source, &rule.source));
        match file.and_then(|file| file.text.file.as_deref()) {
            Some(file) => warning.in_file(file),
            None => warning,
        }
    };
    later.map(warning).collect()
}

/// The contents of one text.
#[derive(Default)]
pub(super) struct Read {
    rules: Vec<Rule>,
    expectations: Vec<Expectation>,
    warnings: Vec<Diagnostic>,
    without_rules: Vec<Diagnostic>,
    tree: Option<Node>,
}

impl Reader {
    /// Reads rules, or fixtures of aimock, which may have warnings.
    fn read_any(&mut self, text: &RulesText) -> Read {
        if !aimock::has_fixtures(&text.text) {
            return self.read(text.parse());
        }
        match aimock::convert(&text.text) {
            Ok(converted) => self.read_converted(converted),
            Err(errors) => {
                self.errors.extend(errors);
                Read::default()
            }
        }
    }

    fn read_converted(&mut self, converted: aimock::Converted) -> Read {
        let Some(text) = converted.text() else {
            let without_rules = converted.reasons();
            return Read { warnings: converted.warnings, without_rules, ..Read::default() };
        };
        let mut read = self.read(yaml::parse_own(&text));
        // The places are in the converted text. The messages name the fixtures.
        self.errors.iter_mut().for_each(|error| error.place = None);
        read.rules.iter_mut().for_each(|rule| rule.place = None);
        // The tree is that of the converted text, too.
        Read { warnings: converted.warnings, tree: None, ..read }
    }

    /// Reads rules and expectations.
    pub(super) fn read(&mut self, tree: Result<Option<Tree>, Diagnostic>) -> Read {
        let tree = match tree {
            Ok(tree) => tree,
            Err(error) => {
                self.errors.push(error);
                return Read::default();
            }
        };
        let Some(Tree { mut root, repeated_keys }) = tree else {
            let message = "the rules file is empty; expected a list `rules` or `expect`";
            self.error(Place { line: 1, column: 1 }, message);
            return Read::default();
        };
        if root.field("apiVersion").is_some() && root.field("kind").is_some() {
            self.error(root.place, "this is a Kubernetes resource, not a rules file");
            return Read::default();
        }
        self.errors.extend(repeated_keys);
        self.errors.extend(text_files::resolve(&mut root, self.folder.as_deref(), &self.texts));
        let read = self.root(&mut root).unwrap_or_default();
        Read { tree: Some(root), ..read }
    }

    fn root(&mut self, root: &mut Node) -> Option<Read> {
        let json = to_json(root);
        match RulesSource::read(&json) {
            Err(error) if error.is_about_key() => {
                // An unknown key hides no error in the rules.
                self.value::<()>(root, Err(error));
                if let Value::Map(entries) = &mut root.value {
                    let known = keys_of::<RulesSource<'_>>();
                    entries.retain(|key, _| known.contains(&key.as_str()));
                }
                self.outline(root, RulesSource::read(&to_json(root)))
            }
            outline => self.outline(root, outline),
        }
    }

    fn outline(
        &mut self,
        root: &Node,
        outline: Result<RulesSource<'_>, StepError>,
    ) -> Option<Read> {
        let RulesSource { rules, expect, normalize, .. } = self.value(root, outline)?;
        self.read_normalizer(root, normalize);
        if rules.is_none() && expect.is_none() {
            self.error(root.place, "expected a list `rules` or `expect`, as this is a rules file");
        }
        let rules = self.entries(root, "rules", rules).into_iter();
        let before = self.named.before;
        let rules = rules
            .filter_map(|(number, node, rule)| self.rule(before + number, node, &rule))
            .collect();
        let expectations = self.entries(root, "expect", expect).into_iter();
        let expectations = expectations.filter_map(|(number, node, expectation)| {
            self.within = format!("expect {number}");
            self.value(node, expectation.read()).map(|Mapping(expectation)| expectation)
        });
        Some(Read { rules, expectations: expectations.collect(), ..Read::default() })
    }

    /// Reads the normalization, which is the usual one if the file states none.
    fn read_normalizer(
        &mut self,
        root: &Node,
        normalize: Option<Part<'_, Vec<NormalizationSource>>>,
    ) {
        let Some(sources) = self.part(root, "normalize", normalize) else { return };
        let normalizer = Normalizer::new(sources).map_err(StepError::new);
        let normalizer = normalizer.map_err(|error| error.within_key("normalize"));
        self.normalizer = self.value(root, normalizer).map(Arc::new);
    }

    /// Returns the entries of a list with their numbers and nodes.
    fn entries<'n, T>(
        &mut self,
        root: &'n Node,
        key: &str,
        entries: Option<Vec<T>>,
    ) -> Vec<(usize, &'n Node, T)> {
        let (Some(entries), Some(node)) = (entries, root.field(key)) else { return Vec::new() };
        let Value::List(nodes) = &node.value else { return Vec::new() };
        if nodes.is_empty() {
            self.error(node.place, format!("{key} must not be empty"));
        }
        (1..).zip(nodes).zip(entries).map(|((number, node), entry)| (number, node, entry)).collect()
    }
}
