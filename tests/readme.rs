//! README.md, word for word: every command in it is run, and must print what is shown.
//!
//! A fenced `console` block is what a terminal shows: `$ ` begins a command, which goes on while
//! a quote is open or a line ends in `\`; the lines after it are its standard output. All commands
//! run in the folder of the repository, in the order of the README, and must succeed. The default
//! ports are replaced by those of the mynah at hand, in commands and in output. Exceptions:
//!
//! - `cargo run` starts the program that cargo has built already, with the same arguments, and it
//!   serves until the next one. Shown is its banner.
//! - `cargo run -- check` runs it to its end, which may be a failure: that is what it is for.
//! - `cargo run -- converse` asks that mynah, by the program that cargo has built already.
//! - `cargo run --example` is run as it stands.
//! - `cargo test` is not run, since this is it.
//! - A command with grpcurl, python or go in it runs only if `MYNAH_INTEROP` selects that suite, one
//!   with curl only if curl is installed. Python and pip are those of an environment under
//!   `target/interop`.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use mynah::component;

use crate::{
    interop::{
        child, folder, point_at,
        toolchain::{self, Missing},
    },
    parity::differences,
    support::{Sidecar, mynah, scratch},
};

/// A command, and what it prints.
#[derive(Debug, PartialEq, Eq)]
struct Step {
    command: String,
    printed: String,
}

/// One that the machine may lack, and how to get it; the path is of a program to find first.
type Tool = (&'static str, fn() -> Result<Option<PathBuf>, Missing>);

const TOOLS: [Tool; 3] = [
    ("grpcurl", || toolchain::grpcurl().map(Some)),
    ("python", || {
        let requirements = folder("tests/interop/python/requirements.txt");
        toolchain::python("python", &requirements).map(Some)
    }),
    ("go", || toolchain::go_modules(&folder("examples/go")).map(|()| None)),
];

#[test]
fn the_readme_shows_what_happens() {
    let mut terminal = Terminal::open();
    let steps: Vec<_> = blocks(&readme(), "console").into_iter().flat_map(transcript).collect();
    assert!(!steps.is_empty(), "README.md shows no command");
    steps.iter().for_each(|step| terminal.run(step));
}

#[test]
fn commands_stand_where_they_are_run() {
    for language in ["sh", "bash", "shell"] {
        assert!(blocks(&readme(), language).is_empty(), "write ```console, not ```{language}");
    }
}

#[test]
fn the_components_of_the_readme_serve() {
    let readme = readme();
    let shown = blocks(&readme, "yaml");
    assert!(!shown.is_empty(), "README.md shows no component");
    for yaml in shown {
        let file = scratch("readme").join("shown.yaml");
        fs::write(&file, yaml).expect("a file");
        let loaded = component::load(&[file], &component::Context::default());
        assert!(loaded.errors.is_empty() && loaded.notices.is_empty(), "{loaded:?}\n{yaml}");
        assert!(!loaded.components.is_empty(), "{yaml}");
    }
}

#[test]
fn links_within_the_readme_lead_somewhere() {
    let readme = readme();
    let anchor = |title: &str| {
        let title = title.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
        title.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect::<String>()
    };
    let anchors: Vec<_> = readme.lines().filter(|l| l.starts_with('#')).map(anchor).collect();
    let links = readme.split("](#").skip(1).filter_map(|rest| rest.split(')').next());
    let dead: Vec<_> = links.filter(|link| !anchors.iter().any(|a| a == link)).collect();
    assert!(dead.is_empty(), "README.md links to {dead:?}");
}

#[test]
fn every_difference_from_daprd_is_in_the_readme() {
    let readme = readme();
    let missing: Vec<_> = differences::reasons().filter(|why| !readme.contains(why)).collect();
    assert!(missing.is_empty(), "README.md does not explain {missing:?}");
}

#[test]
fn every_flag_is_in_the_readme() {
    let help = |command: Option<&str>| {
        child::run(mynah().args(command).arg("--help")).expect_success("--help")
    };
    let general = help(None);
    let (_, commands) = general.split_once("\nCommands:\n").expect("commands");
    let (commands, _) = commands.split_once("\n\n").expect("an end of the commands");
    let commands = commands.lines().filter_map(|line| line.split_whitespace().next());
    let helps: String =
        commands.filter(|name| *name != "help").map(|name| help(Some(name))).collect();
    let all = general.clone() + &helps;
    let words = all.split(|c: char| c.is_whitespace() || matches!(c, '[' | ','));
    let readme = readme();
    let missing: Vec<_> = words
        .filter(|word| word.starts_with("--") && !readme.contains(&format!("`{word}`")))
        .collect();
    assert!(missing.is_empty(), "README.md does not explain {missing:?}");
}

#[test]
fn a_transcript_is_cut_into_commands() {
    let block = "$ one 'a\nb' \\\n  c\nout\n\nmore\n$ two\n$ three\nend";
    let steps = [("one 'a\nb' \\\n  c", "out\n\nmore\n"), ("two", ""), ("three", "end\n")];
    let step = |(command, printed): (&str, &str)| Step {
        command: command.to_owned(),
        printed: printed.to_owned(),
    };
    assert_eq!(transcript(block), steps.map(step));
}

fn readme() -> String {
    fs::read_to_string(folder("README.md")).expect("README.md")
}

/// The fenced blocks of one language.
fn blocks<'t>(text: &'t str, language: &str) -> Vec<&'t str> {
    let opening = format!("```{language}\n");
    let after = text.split(&opening).skip(1);
    after.filter_map(|rest| rest.split("\n```").next()).collect()
}

fn transcript(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), printed: String::new() });
            }
            (None, Some(step)) if step.goes_on() => step.command += &format!("\n{line}"),
            (None, Some(step)) => step.printed += &format!("{line}\n"),
            (None, None) => panic!("a console block begins with a command, not with {line:?}"),
        }
    }
    steps
}

impl Step {
    /// Whether the next line belongs to the command.
    fn goes_on(&self) -> bool {
        let quoted = self.command.matches('\'').count() % 2 == 1;
        self.printed.is_empty() && (quoted || self.command.ends_with('\\'))
    }

    fn uses(&self, program: &str) -> bool {
        self.command.split_whitespace().any(|word| word == program)
    }
}

/// Where the commands are run.
struct Terminal {
    /// Folders of programs to find first.
    programs: Vec<PathBuf>,
    missing: Vec<&'static str>,
    sidecar: Option<Sidecar>,
}

impl Terminal {
    fn open() -> Self {
        // The README writes a file there, where `cargo run` has made the folder.
        fs::create_dir_all(folder("target")).expect("a folder");
        let mynah = Path::new(env!("CARGO_BIN_EXE_mynah")).parent().expect("a folder");
        let programs = vec![mynah.to_owned()];
        let mut terminal = Self { programs, missing: Vec::new(), sidecar: None };
        terminal.missing.extend((!toolchain::has("curl")).then_some("curl"));
        for (name, find) in TOOLS {
            let mut found = None;
            toolchain::suite(name, || {
                found = Some(find()?);
                Ok(())
            });
            match found {
                Some(program) => {
                    let folder = program.as_deref().and_then(Path::parent);
                    terminal.programs.extend(folder.map(Path::to_path_buf));
                }
                None => terminal.missing.push(name),
            }
        }
        terminal
    }

    fn run(&mut self, step: &Step) {
        let words: Vec<_> = step.command.split_whitespace().collect();
        match words.as_slice() {
            ["cargo", "test"] => {}
            ["cargo", "run", "--", "check", paths @ ..] => {
                let ended = child::run(mynah().arg("check").args(paths));
                self.compare(step, &ended.stdout);
            }
            ["cargo", "run", "--", "converse", ..] | ["cargo", "run", "--example", ..] => {
                self.execute(step);
            }
            ["cargo", "run"] => self.serve(step, &[]),
            ["cargo", "run", "--", flags @ ..] => self.serve(step, flags),
            _ if self.missing.iter().any(|program| step.uses(program)) => {}
            _ => self.execute(step),
        }
    }

    fn execute(&self, step: &Step) {
        let ended = child::run(&mut self.shell(&step.command));
        self.compare(step, &ended.expect_success(&step.command));
    }

    /// Starts mynah, in the place of the one before.
    fn serve(&mut self, step: &Step, flags: &[&str]) {
        let sidecar = self.sidecar.insert(Sidecar::start_with(flags));
        // It serves a moment before it says so.
        for _ in 0..500 {
            if sidecar.stdout().ends_with("\n\n") {
                break;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let printed = sidecar.stdout();
        self.compare(step, &printed);
    }

    fn compare(&self, step: &Step, printed: &str) {
        let shown = self.at_hand(&step.printed);
        assert_eq!(printed.trim_end(), shown.trim_end(), "$ {}", step.command);
    }

    /// The text with the ports of the mynah at hand.
    fn at_hand(&self, text: &str) -> String {
        let Some(Sidecar { grpc, http, metrics, .. }) = &self.sidecar else {
            return text.to_owned();
        };
        let metrics = metrics.expect("an address for metrics");
        text.replace("127.0.0.1:50001", &grpc.to_string())
            .replace("127.0.0.1:3500", &http.to_string())
            .replace("127.0.0.1:9090", &metrics.to_string())
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = Command::new("sh");
        let built = concat!(env!("CARGO_BIN_EXE_mynah"), " converse");
        let command = command.replace("cargo run -- converse", built);
        shell.args(["-c", &self.at_hand(&command)]).current_dir(folder("."));
        shell.env("PATH", search_path(&self.programs)).env("PYTHONDONTWRITEBYTECODE", "1");
        shell.env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        if let Some(sidecar) = &self.sidecar {
            point_at(&mut shell, sidecar);
        }
        shell
    }
}

#[expect(clippy::disallowed_methods, reason = "a search path is made from the one at hand")]
fn search_path(first: &[PathBuf]) -> std::ffi::OsString {
    let inherited = env::var_os("PATH").unwrap_or_default();
    let folders = first.iter().cloned().chain(env::split_paths(&inherited));
    env::join_paths(folders).expect("a search path")
}
