//! Installs what the client suites need under `target/interop`.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use twox_hash::XxHash3_64;

use super::child;

/// The files and folders in `daprd/` that daprd is built from.
const DAPRD_SOURCES: [&str; 8] = [
    "go.mod",
    "go.sum",
    "main.go",
    "configure.go",
    "components.go",
    "pluggable.go",
    "adaptor",
    "proto",
];
const WHICH_PYTHON: &str = "import sys; print(sys.version, sys.executable)";
const DAPRD_VERSION: &str = "github.com/dapr/dapr/pkg/buildinfo.version=1.18.0";

/// The reason why a suite cannot run.
#[derive(Debug)]
pub(crate) struct Missing(String);

/// Runs a test of a client suite. Panics if the suite cannot be installed.
pub(crate) fn suite(name: &str, run: impl FnOnce() -> Result<(), Missing>) {
    if let Err(Missing(reason)) = run() {
        panic!("cannot install the suite `{name}`: {reason}");
    }
}

/// Fails if a program is not installed.
pub(crate) fn find(program: &str) -> Result<(), Missing> {
    install(Command::new(program).arg("--version")).map(drop)
}

/// Returns the Python interpreter of a virtual environment with exactly these requirements.
pub(crate) fn python(name: &str, requirements: &Path) -> Result<PathBuf, Missing> {
    let version = install(Command::new("python3").args(["-c", WHICH_PYTHON]))?;
    let recipe = version + &fs::read_to_string(requirements).unwrap();
    let venv = once(name, &recipe, |venv| {
        install(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
        install(pip(venv).arg("--requirement").arg(requirements))
    })?;
    Ok(venv.join("bin/python"))
}

/// Returns the Python interpreter of a virtual environment with the requirements of a suite, those of
/// the helper's tests, and the helper, whose source is used where it is.
pub(crate) fn python_with_helper(suite: &str) -> Result<PathBuf, Missing> {
    let helper = super::folder("python");
    let requirements = [format!("tests/interop/{suite}"), "python/tests".to_owned()]
        .map(|home| super::folder(&home).join("requirements.txt"));
    let version = install(Command::new("python3").args(["-c", WHICH_PYTHON]))?;
    let texts = requirements.each_ref().map(|file| fs::read_to_string(file).unwrap());
    let project = fs::read_to_string(helper.join("pyproject.toml")).unwrap();
    let recipe = [version, helper.display().to_string(), project, texts.concat()].concat();
    let venv = once(&format!("{suite}-helper"), &recipe, |venv| {
        install(Command::new("python3").args(["-m", "venv"]).arg(venv))?;
        let mut pip = pip(venv);
        for file in requirements {
            pip.arg("--requirement").arg(file);
        }
        install(&mut pip)?;
        install(self::pip(venv).arg("--no-deps").arg("--editable").arg(&helper))
    })?;
    Ok(venv.join("bin/python"))
}

/// Returns a command that installs packages into a virtual environment.
fn pip(venv: &Path) -> Command {
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

/// Downloads the modules that a Go module requires into Go's cache.
pub(crate) fn go_modules(module: &Path) -> Result<(), Missing> {
    install(Command::new("go").args(["mod", "download"]).current_dir(module)).map(drop)
}

/// Downloads the crates that a Rust package requires into Cargo's cache.
pub(crate) fn crates(package: &Path) -> Result<(), Missing> {
    let mut fetch = Command::new(env!("CARGO"));
    install(fetch.args(["fetch", "--locked"]).current_dir(package)).map(drop)
}

/// Returns the folder with the packages that the lock file in `home` lists.
pub(crate) fn node_modules(home: &Path) -> Result<PathBuf, Missing> {
    let files = ["package.json", "package-lock.json"];
    let read = |name: &str| fs::read_to_string(home.join(name)).unwrap();
    let folder = once("javascript", &files.map(read).concat(), |folder| {
        fs::create_dir_all(folder).unwrap();
        for name in files {
            fs::copy(home.join(name), folder.join(name)).unwrap();
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--engine-strict", "--ignore-scripts", "--no-audit", "--no-fund"])
            .current_dir(folder);
        install(&mut npm)
    })?;
    Ok(folder.join("node_modules"))
}

/// Returns the folder with the libraries that a Maven project requires.
pub(crate) fn jars(project: &Path) -> Result<PathBuf, Missing> {
    install(Command::new("javac").args(["--release", "17", "--version"]))?;
    let pom = |module| fs::read_to_string(project.join(module).join("pom.xml")).unwrap();
    let recipe = [".", "dapr-sdk-parent", "suite"].map(pom).concat();
    once("java", &recipe, |folder| {
        let mut maven = Command::new("mvn");
        maven.args(["--quiet", "--batch-mode", "dependency:copy-dependencies"]);
        maven.arg(format!("-DoutputDirectory={}", folder.display()));
        install(maven.current_dir(project))
    })
}

/// Returns the path of grpcurl, built from source.
pub(crate) fn grpcurl() -> Result<PathBuf, Missing> {
    go_program("grpcurl", "github.com/fullstorydev/grpcurl/cmd/grpcurl@v1.9.4")
}

/// Returns the path of actionlint, built from source.
pub(crate) fn actionlint() -> Result<PathBuf, Missing> {
    go_program("actionlint", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12")
}

fn go_program(name: &str, package: &str) -> Result<PathBuf, Missing> {
    let folder = once(name, package, |folder| {
        install(Command::new("go").env("GOBIN", folder).args(["install", package]))
    })?;
    Ok(folder.join(name))
}

/// Returns the path of daprd without pluggable conversation components, built from source. The first
/// build takes minutes.
pub fn daprd() -> Result<PathBuf, Missing> {
    build_daprd("daprd", &["-tags", "unmodified"])
}

/// Returns the path of daprd with pluggable conversation components, built from source.
pub fn daprd_with_adaptor() -> Result<PathBuf, Missing> {
    build_daprd("daprd-adaptor", &[])
}

fn build_daprd(name: &str, flags: &[&str]) -> Result<PathBuf, Missing> {
    let module = super::folder("daprd");
    let mut recipe = install(Command::new("go").arg("version"))?;
    for source in DAPRD_SOURCES {
        append_sources(&module.join(source), &mut recipe);
    }
    let folder = once(name, &recipe, |folder| {
        let mut build = Command::new("go");
        build.arg("build").args(flags).args(["-ldflags", &format!("-s -w -X {DAPRD_VERSION}")]);
        build.arg("-o").arg(folder.join("daprd")).arg(".");
        install(build.current_dir(&module).env("CGO_ENABLED", "0"))
    })?;
    Ok(folder.join("daprd"))
}

/// Returns the folder of `placement` and `scheduler`, the services that workflows need, built from
/// source.
pub(super) fn control_plane() -> Result<PathBuf, Missing> {
    let module = super::folder("tests/interop/control_plane");
    let mut recipe = install(Command::new("go").arg("version"))?;
    append_sources(&module.join("go.sum"), &mut recipe);
    once("control-plane", &recipe, |folder| {
        let packages =
            ["placement", "scheduler"].map(|it| format!("github.com/dapr/dapr/cmd/{it}"));
        let mut build = Command::new("go");
        build.args(["build", "-ldflags", "-s -w", "-o"]).arg(folder.join("")).args(packages);
        install(build.current_dir(&module).env("CGO_ENABLED", "0"))
    })
}

/// Appends a file, or the files of a folder in the order of their names.
fn append_sources(path: &Path, recipe: &mut String) {
    if !path.is_dir() {
        recipe.push_str(&fs::read_to_string(path).unwrap());
        return;
    }
    let mut files: Vec<_> = fs::read_dir(path).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().for_each(|file| append_sources(file, recipe));
}

/// Returns the folder that contains all installations.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("interop")
}

/// Returns a folder that is filled only once for each recipe.
fn once(
    name: &str,
    recipe: &str,
    fill: impl FnOnce(&Path) -> Result<String, Missing>,
) -> Result<PathBuf, Missing> {
    let root = root();
    fs::create_dir_all(&root).unwrap();
    let digest = XxHash3_64::oneshot(recipe.as_bytes());
    let folder = root.join(format!("{name}-{digest:016x}"));
    let complete = folder.join("complete");
    // The lock is held until this function returns. Other tests and other test runs wait here.
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !complete.exists() {
        let _ = fs::remove_dir_all(&folder);
        fill(&folder)?;
        fs::write(complete, recipe).unwrap();
    }
    Ok(folder)
}

/// Runs one installation step and returns its output.
fn install(step: &mut Command) -> Result<String, Missing> {
    let output = child::run(step);
    if output.success {
        return Ok(output.stdout);
    }
    let last = output.stderr.lines().rfind(|line| !line.trim().is_empty());
    Err(Missing(last.unwrap_or("the installation failed").to_owned()))
}
