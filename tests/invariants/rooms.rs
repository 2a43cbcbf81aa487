//! Checks which rooms of `src/` use each other, and that files do not use each other in cycles.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    imports::paths,
    source::{Source, assert_none, sources},
};

/// The rooms. Each room may use the rooms before it but none after it.
const ROOMS: [&str; 11] = [
    "net",
    "pii",
    "wire",
    "client",
    "upstream",
    "component",
    "models",
    "engine",
    "api",
    "server",
    "cli",
];

/// What `lib.rs` imports from other crates, which all rooms may use.
const IMPORTED: [&str; 6] = ["base", "chat", "provider", "tool_loop", "tools", "simulate"];

#[test]
fn rooms_use_only_the_rooms_before_them() {
    let mut violations = Vec::new();
    let all = sources("src");
    let files = all.iter().filter(|s| s.path != "src/lib.rs" && s.path != "src/main.rs");
    for source in files {
        let room = source.path.split('/').nth(1).unwrap_or_default();
        let position = |name: &str| ROOMS.iter().position(|room| *room == name);
        assert!(position(room).is_some(), "{}: {room} is not a room", source.path);
        let paths = paths(source).into_iter().filter(|path| path[0] == "crate");
        for path in paths.filter(|path| !IMPORTED.contains(&path[1].as_str())) {
            if position(&path[1]).is_none_or(|used| Some(used) > position(room)) {
                violations.push(format!("{}: {}", source.path, path.join("::")));
            }
        }
    }
    assert_none("rooms may use only the rooms before them", &violations);
}

#[test]
fn every_room_is_in_the_table_and_in_its_place() {
    let declared = sources("src").into_iter().find(|source| source.path == "src/lib.rs").unwrap();
    let rooms = declared.code().filter_map(|(_, line)| {
        line.strip_prefix("pub mod ").or(line.strip_prefix("mod "))?.strip_suffix(';')
    });
    assert_eq!(rooms.collect::<Vec<_>>(), ROOMS);
}

/// A file uses another file if it names something that the other file defines. Re-exports are
/// resolved to the definition. Tests do not count.
#[test]
fn files_do_not_use_each_other_in_cycles() {
    for root in crate_folders() {
        let mut all = sources(root.trim_end_matches('/'));
        all.iter_mut().for_each(|source| source.path = source.path.replacen(&root, "", 1));
        let modules = Modules::new(&all);
        let uses: BTreeMap<_, BTreeSet<_>> =
            all.iter().map(|source| (module_of(&source.path), modules.used_by(source))).collect();
        let cycles = uses.keys().filter_map(|module| cycle_through(module, &uses));
        let cycles: Vec<_> = cycles.collect();
        assert_none(&format!("files of {root} may not use each other in cycles"), &cycles);
    }
}

/// Returns the folders with the sources of the crates.
fn crate_folders() -> BTreeSet<String> {
    let roots = ["src", "crates"].into_iter().flat_map(sources);
    roots.filter_map(|source| source.path.strip_suffix("lib.rs").map(str::to_owned)).collect()
}

type Module = Vec<String>;

/// The modules of the crate by path, with the paths that each module re-exports.
struct Modules<'s>(BTreeMap<Module, BTreeMap<String, Module>>, &'s [Source]);

impl<'s> Modules<'s> {
    fn new(all: &'s [Source]) -> Self {
        let modules = all.iter().map(|source| {
            let module = module_of(&source.path);
            let reexports = paths_of_reexports(source).into_iter().filter_map(|path| {
                let name = path.last()?.clone();
                Some((name, absolute(&module, &path)?))
            });
            (module.clone(), reexports.collect())
        });
        Self(modules.collect(), all)
    }

    /// Returns the modules that define the items that a file names.
    fn used_by(&self, source: &Source) -> BTreeSet<Module> {
        let module = module_of(&source.path);
        if is_test(&module) {
            return BTreeSet::new();
        }
        let code = Source {
            path: source.path.clone(),
            text: source.text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned(),
        };
        let reexports = paths_of_reexports(source);
        let named = paths(&code).into_iter().filter(|path| !reexports.contains(path));
        let used = named.filter_map(|path| self.definition(&absolute(&module, &path)?, 8));
        used.filter(|used| *used != module && !is_test(used)).collect()
    }

    /// Returns the module that defines the item at a path.
    fn definition(&self, path: &[String], depth: usize) -> Option<Module> {
        let length = (1..=path.len()).rev().find(|n| self.0.contains_key(&path[..*n]))?;
        let (module, rest) = path.split_at(length);
        match rest.first().and_then(|name| self.0[module].get(name)) {
            Some(target) if depth > 0 => self.definition(&[target, &rest[1..]].concat(), depth - 1),
            // A path that ends at a folder's module names the folder and not a definition in it.
            None if rest.is_empty() && self.is_folder(module) => None,
            _ => Some(module.to_vec()),
        }
    }

    fn is_folder(&self, module: &[String]) -> bool {
        let prefix = format!("{}/", module.join("/"));
        self.1.iter().any(|source| source.path.starts_with(&prefix))
    }
}

/// Returns the paths that a file re-exports with `pub use`.
fn paths_of_reexports(source: &Source) -> Vec<Vec<String>> {
    let code: Vec<_> = source.code().map(|(_, line)| line).collect();
    let code = code.join("\n");
    let declarations = code.split(';').filter(|text| {
        let text = text.rsplit('\n').find(|line| line.contains("use ")).unwrap_or_default();
        text.trim_start().starts_with("pub")
    });
    let mut all = Vec::new();
    for declaration in declarations {
        let Some((_, tree)) = declaration.split_once("use ") else { continue };
        let tree = tree.trim_start();
        let is_relative = ["crate", "self", "super"].iter().any(|root| tree.starts_with(root));
        let text = if is_relative { tree.to_owned() } else { format!("self::{tree}") };
        all.extend(paths(&Source { path: source.path.clone(), text }));
    }
    all
}

/// Returns the module of a file: `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module_of(path: &str) -> Module {
    let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
    path.split('/').map(str::to_owned).collect()
}

fn is_test(module: &[String]) -> bool {
    module.iter().any(|name| name == "tests")
}

/// Resolves `crate`, `self` and `super` at the start of a path.
fn absolute(module: &[String], path: &[String]) -> Option<Module> {
    let mut base = if path[0] == "crate" { Vec::new() } else { module.to_vec() };
    let mut rest = path;
    while let Some((first, after)) = rest.split_first() {
        match first.as_str() {
            "crate" | "self" => {}
            "super" => drop(base.pop()?),
            _ => break,
        }
        rest = after;
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// Returns a shortest dependency cycle through a module, if there is one.
fn cycle_through(start: &Module, uses: &BTreeMap<Module, BTreeSet<Module>>) -> Option<String> {
    let mut reached = BTreeMap::new();
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(module) = queue.pop_front() {
        for used in uses.get(module).into_iter().flatten() {
            if used == start {
                let mut cycle = vec![start.join("::"), module.join("::")];
                let mut step = module;
                while step != start {
                    step = reached[step];
                    cycle.push(step.join("::"));
                }
                cycle.reverse();
                return Some(cycle.join(" -> "));
            }
            if !reached.contains_key(used) {
                reached.insert(used, module);
                queue.push_back(used);
            }
        }
    }
    None
}
