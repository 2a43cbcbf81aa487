//! Finds the modules that a source file uses in its `use` declarations and inline paths.

use super::source::Source;

/// The segments of a path in the code. The first segment is `crate`, `self` or `super`.
pub(super) type CodePath = Vec<String>;

/// Returns every path in a file that starts with `crate`, `self` or `super`.
pub(super) fn paths(source: &Source) -> Vec<CodePath> {
    let code: Vec<_> = source.code().map(|(_, line)| line).collect();
    let code = code.join("\n");
    let mut paths = Vec::new();
    for root in ["crate", "self", "super"] {
        let start = format!("{root}::");
        for (at, _) in code.match_indices(&start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|char| char.is_alphanumeric() || "_:".contains(char)) {
                continue;
            }
            expand(vec![root.to_owned()], &code[at + start.len()..], &mut paths);
        }
    }
    paths
}

/// Adds the paths in a `use` tree, which may have groups. Returns the code after the tree.
fn expand<'c>(mut path: CodePath, code: &'c str, paths: &mut Vec<CodePath>) -> &'c str {
    let code = code.trim_start();
    if let Some(mut group) = code.strip_prefix('{') {
        loop {
            group = group.trim_start().trim_start_matches(',').trim_start();
            if group.is_empty() || group.starts_with('}') {
                return group.strip_prefix('}').unwrap_or_default();
            }
            let rest = expand(path.clone(), group, paths);
            // Anything but a path ends the group, because the code is not a `use` declaration.
            if rest.len() == group.len() {
                return rest;
            }
            group = rest.trim_start();
            if let Some(alias) = group.strip_prefix("as ") {
                group =
                    alias.trim_start_matches(|char: char| char.is_alphanumeric() || char == '_');
            }
        }
    }
    let end = code.find(|char: char| !char.is_alphanumeric() && char != '_' && char != '*');
    let (name, rest) = code.split_at(end.unwrap_or(code.len()));
    path.push(name.to_owned());
    match rest.strip_prefix("::") {
        Some(rest) => expand(path, rest, paths),
        None => {
            paths.push(path);
            rest
        }
    }
}
