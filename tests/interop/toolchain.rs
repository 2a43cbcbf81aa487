//! Installs what a suite needs, once, under `target/interop`.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
};

use twox_hash::XxHash3_64;

use super::child;

/// What daprd is built from, and what it says it is.
const DAPRD_SOURCES: [&str; 3] = ["go.mod", "go.sum", "main.go"];
const DAPRD_VERSION: &str = "github.com/dapr/dapr/pkg/buildinfo.version=1.18.0";

/// Why a suite cannot run here.
pub(crate) struct Missing(String);

/// Runs a suite, or says why it cannot run here.
pub(crate) fn suite(name: &str, run: impl FnOnce() -> Result<(), Missing>) {
    let Err(Missing(why)) = run() else { return };
    assert!(!required(), "{name} cannot run here: {why}");
    // Not eprintln!, which the test harness would swallow.
    let _ = writeln!(io::stderr(), "skipped: {name}: {why}");
}

#[expect(clippy::disallowed_methods, reason = "a switch for the tests, not for the program")]
fn required() -> bool {
    std::env::var("MYNAH_REQUIRE_INTEROP").is_ok_and(|value| value == "1")
}

/// A program that the machine itself has to have.
pub(crate) fn has(program: &str) -> Result<(), Missing> {
    install(Command::new(program).arg("--version")).map(drop)
}

/// The Python of a virtual environment that holds exactly these requirements.
pub(crate) fn python(name: &str, requirements: &Path) -> Result<PathBuf, Missing> {
    let which = "import sys; print(sys.version, sys.executable)";
    let version = install(Command::new("python3").args(["-c", which]))?;
    let recipe = version + &fs::read_to_string(requirements).expect("requirements");
    let venv = once(name, &recipe, |venv| {
        install(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
        let mut pip = Command::new(venv.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        install(pip.arg("--requirement").arg(requirements))
    })?;
    Ok(venv.join("bin/python"))
}

/// The modules that a Go module requires, in Go's own cache.
pub(crate) fn go_modules(module: &Path) -> Result<(), Missing> {
    install(Command::new("go").args(["mod", "download"]).current_dir(module)).map(drop)
}

/// The crates that a Rust package requires, in Cargo's own cache.
pub(crate) fn crates(package: &Path) -> Result<(), Missing> {
    let mut fetch = Command::new(env!("CARGO"));
    install(fetch.args(["fetch", "--locked"]).current_dir(package)).map(drop)
}

/// The folder of packages that a lock file lists exactly.
pub(crate) fn node_modules(home: &Path) -> Result<PathBuf, Missing> {
    let files = ["package.json", "package-lock.json"];
    let read = |name: &str| fs::read_to_string(home.join(name)).expect("a manifest");
    let folder = once("javascript", &files.map(read).concat(), |folder| {
        fs::create_dir_all(folder).expect("a folder");
        for name in files {
            fs::copy(home.join(name), folder.join(name)).expect("a copy");
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--engine-strict", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(folder);
        install(&mut npm)
    })?;
    Ok(folder.join("node_modules"))
}

/// The folder of libraries that a Maven project requires.
pub(crate) fn jars(project: &Path) -> Result<PathBuf, Missing> {
    install(Command::new("javac").args(["--release", "17", "--version"]))?;
    let pom = |module| fs::read_to_string(project.join(module).join("pom.xml")).expect("a pom.xml");
    let recipe = [".", "dapr-sdk-parent", "suite"].map(pom).concat();
    once("java", &recipe, |folder| {
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "dependency:copy-dependencies"]);
        maven.arg(format!("-DoutputDirectory={}", folder.display()));
        install(maven.current_dir(project))
    })
}

/// grpcurl, built from source.
pub(crate) fn grpcurl() -> Result<PathBuf, Missing> {
    let package = "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4";
    let folder = once("grpcurl", package, |folder| {
        install(Command::new("go").env("GOBIN", folder).args(["install", package]))
    })?;
    Ok(folder.join("grpcurl"))
}

/// daprd itself with `conversation.echo` alone, built from source; minutes at first, since it is
/// large.
pub fn daprd() -> Result<PathBuf, Missing> {
    let module = super::folder("tests/interop/daprd");
    let source = |name: &str| fs::read_to_string(module.join(name)).expect("a source file");
    let recipe = install(Command::new("go").arg("version"))? + &DAPRD_SOURCES.map(source).concat();
    let folder = once("daprd", &recipe, |folder| {
        let mut build = Command::new("go");
        build.args(["build", "-ldflags", &format!("-s -w -X {DAPRD_VERSION}")]);
        build.arg("-o").arg(folder.join("daprd")).arg(".");
        install(build.current_dir(&module).env("CGO_ENABLED", "0"))
    })?;
    Ok(folder.join("daprd"))
}

/// Where all of it lies.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("interop")
}

/// A folder that is filled once, whoever comes first; a new recipe is a new folder.
fn once(
    name: &str,
    recipe: &str,
    fill: impl FnOnce(&Path) -> Result<String, Missing>,
) -> Result<PathBuf, Missing> {
    let root = root();
    fs::create_dir_all(&root).expect("a folder");
    let digest = XxHash3_64::oneshot(recipe.as_bytes());
    let folder = root.join(format!("{name}-{digest:016x}"));
    let complete = folder.join("complete");
    // Held to the end of this function: other tests, and other test runs, wait here.
    let lock = File::create(folder.with_extension("lock")).expect("a lock file");
    lock.lock().expect("a lock");
    if !complete.exists() {
        let _ = fs::remove_dir_all(&folder);
        fill(&folder)?;
        fs::write(complete, recipe).expect("a marker");
    }
    Ok(folder)
}

/// Runs one step of an installation.
fn install(step: &mut Command) -> Result<String, Missing> {
    let ended = child::run(step);
    if ended.success {
        return Ok(ended.stdout);
    }
    let last = ended.stderr.lines().rfind(|line| !line.trim().is_empty());
    Err(Missing(last.unwrap_or("the installation failed").to_owned()))
}
