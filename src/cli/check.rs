//! `mynah check`: reports errors in components, simulations, rules and tools without running them.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    base::{
        diagnostics::{Diagnostic, Severity},
        environment::Environment,
        text::count,
    },
    cli::{
        args::CheckArgs,
        check_recordings::{check_recordings, read_rules},
        config::{ConfigError, checked_models},
    },
    component::{self, Context, Loaded, StandIn},
    models::SidecarModels,
    provider::scripted::Rules,
    server::{ModelSource, StartError},
    simulate::{self, InvalidSimulation, Plan},
    tools,
};

/// Prints all errors and notices to stdout, followed by a summary. Returns a failure code if there
/// are errors.
///
/// # Errors
///
/// Fails if flags contradict each other.
pub(super) fn check(args: &CheckArgs, environment: Environment) -> Result<ExitCode, ConfigError> {
    let CheckArgs { app_id, stand_in, strict, record, daprd, .. } = args.clone();
    let models = checked_models(&record, stand_in, daprd.as_deref(), &environment)?;
    let real_models = models.clone().map(ModelSource::without_recorder);
    let context = Context {
        app_id,
        environment,
        stand_in,
        real_models,
        has_model_flags: true,
        strict,
        ..Context::default()
    };
    let mut loaded = component::load(&args.paths, &context);
    let recordings = models.and_then(|models| check_recordings(&models, &mut loaded));
    loaded.errors.extend(useless_strict(args, &loaded));
    let others = OtherFiles { recordings, ..check_other_files(&mut loaded, &context) };
    require_named_files(&mut loaded, &others, &args.paths);
    let errors = loaded.errors.iter().map(ToString::to_string);
    let notices = loaded.notices.iter().map(notice_line);
    let lines: Vec<_> = errors.chain(notices).chain([summary(&loaded, &others)]).collect();
    // Ignore write errors: the exit code is still useful.
    let _ = writeln!(io::stdout(), "{}", lines.join("\n"));
    Ok(if loaded.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the error with which mynah would not start with `--strict`.
fn useless_strict(args: &CheckArgs, loaded: &Loaded) -> Option<Diagnostic> {
    let is_checked = args.strict && !loaded.components.is_empty();
    let message = if is_checked && args.stand_in == Some(StandIn::Echo) {
        ConfigError::StrictEcho.to_string()
    } else if is_checked && !loaded.follow_scripts() {
        StartError::UselessStrict.to_string()
    } else {
        return None;
    };
    Some(Diagnostic::error(message).in_file(args.paths.first()?))
}

/// The checked files that are not components.
#[derive(Default)]
struct OtherFiles {
    /// All files, including those with errors.
    files: BTreeSet<PathBuf>,
    // The numbers include files with errors.
    /// The number of files, or `None` if there are no simulations.
    simulations: Option<usize>,
    /// The number of files, or `None` if there are no rules.
    rules: Option<usize>,
    /// The number of files, or `None` if there are no tools.
    tools: Option<usize>,
    /// The number of recordings, or `None` if there is no folder for them.
    recordings: Option<usize>,
}

/// Checks the simulations, the rules and the tools among the files that are not components.
fn check_other_files(loaded: &mut Loaded, context: &Context) -> OtherFiles {
    let mut others = OtherFiles::default();
    others.simulations = others.check(loaded, |_, file| {
        let read = || Plan::read(file, &context.environment, &mut SidecarModels::new(context));
        let plan = simulate::is_simulation(file).then(read)?;
        let warnings = plan.map(|plan| plan.warnings().to_vec());
        Some(warnings.map_err(|InvalidSimulation(errors)| errors))
    });
    others.rules = others.check(loaded, |loaded, file| {
        let warnings = |rules: Rules| {
            let unknown = loaded.unknown_components(&rules);
            [rules.warnings(), &unknown, &rules.unoffered_tools()].concat()
        };
        Some(read_rules(file)?.map(warnings))
    });
    others.tools = others.check(loaded, |_, file| {
        let check = || tools::check_file(file, &context.environment).map(|()| Vec::new());
        tools::is_tools_file(file).then(check)
    });
    others
}

impl OtherFiles {
    /// Checks the files of one kind among those that are not components. Returns their number. `check` returns
    /// warnings or errors, or `None` for files of another kind.
    fn check(
        &mut self,
        loaded: &mut Loaded,
        check: impl Fn(&Loaded, &Path) -> Option<Result<Vec<Diagnostic>, Vec<Diagnostic>>>,
    ) -> Option<usize> {
        let skipped = loaded.notices.iter().filter(|notice| notice.severity == Severity::Info);
        let files: BTreeSet<PathBuf> = skipped.map(|notice| notice.file.clone()).collect();
        let checked = |file: PathBuf| check(loaded, &file).map(|result| (file, result));
        let checked: BTreeMap<_, _> = files.into_iter().filter_map(checked).collect();
        loaded.notices.retain(|notice| !checked.contains_key(&notice.file));
        let number = Some(checked.len()).filter(|number| *number > 0);
        for (file, result) in checked {
            match result {
                Ok(warnings) => add_new(&mut loaded.notices, warnings),
                Err(errors) => add_new(&mut loaded.errors, errors),
            }
            self.files.insert(file);
        }
        number
    }
}

/// Adds diagnostics, unless they are known: a file of rules may belong to a component.
fn add_new(known: &mut Vec<Diagnostic>, diagnostics: Vec<Diagnostic>) {
    let new = diagnostics.into_iter().filter(|diagnostic| !known.contains(diagnostic));
    let new: Vec<_> = new.collect();
    known.extend(new);
}

/// Adds an error for each file on the command line that has nothing to check. In a folder, such
/// files are expected; a file that is named is probably meant to be checked.
fn require_named_files(loaded: &mut Loaded, others: &OtherFiles, paths: &[PathBuf]) {
    let is_checked = |file: &PathBuf| {
        loaded.resource_files.contains(file)
            || others.files.contains(file)
            || loaded.errors.iter().any(|error| error.file == *file)
    };
    let named: BTreeSet<_> = paths.iter().filter(|path| !path.is_dir()).collect();
    let unchecked = named.into_iter().filter(|file| !is_checked(file));
    let message = "nothing to check; expected a Component, a list `scenarios` of a simulation, \
                   a list `rules` or `expect` of a rules file, a list `tools` of a tools file, or \
                   aimock fixtures";
    let errors: Vec<_> = unchecked.map(|file| Diagnostic::error(message).in_file(file)).collect();
    loaded.errors.extend(errors);
}

fn notice_line(notice: &Diagnostic) -> String {
    match notice.severity {
        Severity::Warning => format!("{notice} (warning)"),
        Severity::Error | Severity::Info => notice.to_string(),
    }
}

fn summary(loaded: &Loaded, others: &OtherFiles) -> String {
    let Loaded { components, invalid, errors, notices, .. } = loaded;
    let warnings = notices.iter().filter(|notice| notice.severity == Severity::Warning).count();
    let found = [
        Some(count(components.len() + invalid, "component")),
        others.simulations.map(|number| count(number, "simulation")),
        others.rules.map(|number| count(number, "rules file")),
        others.tools.map(|number| count(number, "tools file")),
        others.recordings.map(|number| count(number, "recording")),
        Some(count(errors.len(), "error")),
        Some(count(warnings, "warning")),
    ];
    found.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
