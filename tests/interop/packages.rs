//! Installs and runs the packages that `packaging/build` makes from the tested binary.

mod image;
mod workflows;

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use mynah_needs::needs;
use serde_json::Value;

use super::{child, folder, toolchain};
use crate::support::{mynah, report, scratch};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What the program prints.
const PRINTED_VERSION: &str = concat!("mynah ", env!("CARGO_PKG_VERSION"), "\n");

/// Validates a file against the schema of CycloneDX.
const VALIDATE: &str = "
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read()))
";

/// Returns the command that packs the tested binary.
fn packaging(out: &Path) -> Command {
    let mut build = Command::new(folder("packaging/build"));
    build.arg("--fast").arg("--binary").arg(mynah().get_program()).arg("--out").arg(out);
    build
}

/// Returns the folder with all packages, which are made once.
fn packages() -> &'static Path {
    static PACKAGES: LazyLock<PathBuf> = LazyLock::new(|| {
        let out = scratch("dist");
        let sizes = child::run(&mut packaging(&out)).expect_success("packaging/build");
        report(&sizes);
        out
    });
    &PACKAGES
}

/// Returns the platform in the names of npm.
fn npm_platform() -> String {
    let arch = if env::consts::ARCH == "aarch64" { "arm64" } else { "x64" };
    format!("linux-{arch}")
}

/// Returns the only package whose name starts and ends like this.
fn package(start: &str, end: &str) -> PathBuf {
    let files = fs::read_dir(packages()).unwrap().map(|file| file.unwrap());
    let found: Vec<_> = files
        .filter(|file| {
            let name = file.file_name().into_string().unwrap();
            name.starts_with(start) && name.ends_with(end)
        })
        .collect();
    assert_eq!(found.len(), 1, "{start}…{end}: {found:?}");
    found[0].path()
}

fn unpack(archive: &Path, out: &Path) {
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(archive).arg("-C").arg(out);
    child::run(&mut tar).expect_success("tar");
}

/// Returns `PATH` without the folders that contain Rust.
#[expect(clippy::disallowed_methods, reason = "finds the programs of other languages")]
fn path_without_rust() -> Vec<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).filter(|folder| !folder.join("cargo").exists()).collect()
}

/// Returns a command that finds the programs in a folder first and no Rust.
fn clean_command(program: &str, first: &Path) -> Command {
    let mut path = vec![first.to_owned()];
    path.extend(path_without_rust());
    let mut command = Command::new(program);
    command.env("PATH", env::join_paths(path).unwrap());
    command
}

#[needs("packages")]
#[test]
fn the_wheel_installs_the_command_and_the_module() {
    toolchain::suite("packages", || {
        let lock = folder("tests/interop/packages/requirements.txt");
        let tools = toolchain::python("packages", &lock)?;
        let wheel = package("mynah_dapr-", ".whl");
        let twine = ["-m", "twine", "check", "--strict"];
        child::run(Command::new(tools).args(twine).arg(&wheel)).expect_success("twine check");
        let venv = scratch("wheel").join("venv");
        child::run(Command::new("python3").args(["-m", "venv"]).arg(&venv)).expect_success("venv");
        let bin = venv.join("bin");
        let run = |program: &str, args: &[&str]| {
            let mut command = clean_command(bin.join(program).to_str().unwrap(), &bin);
            child::run(command.current_dir(&venv).args(args)).expect_success(program)
        };
        run("pip", &["install", "--quiet", "--no-index", wheel.to_str().unwrap()]);
        assert_eq!(run("pip", &["check"]), "No broken requirements found.\n");
        assert_eq!(run("mynah", &["--version"]), PRINTED_VERSION);
        assert_eq!(run("python", &["-m", "mynah", "--version"]), PRINTED_VERSION);
        let plugin = "from importlib.metadata import *; print(version('mynah-dapr'), \
                      *entry_points(group='pytest11'))";
        let expected = "EntryPoint(name='mynah', value='mynah.pytest_plugin', group='pytest11')";
        assert_eq!(run("python", &["-c", plugin]), format!("{VERSION} {expected}\n"));
        run("pip", &["uninstall", "--quiet", "--yes", "mynah-dapr"]);
        assert!(!bin.join("mynah").exists());
        Ok(())
    });
}

#[needs("packages")]
#[test]
fn the_npm_packages_install_the_command() {
    toolchain::suite("packages", || {
        toolchain::find("npm")?;
        let home = scratch("npm");
        let platform = npm_platform();
        let packages = [format!("mynah-dapr-{VERSION}"), format!("mynah-dapr-{platform}-")]
            .map(|name| package(&name, ".tgz"));
        fs::write(home.join("package.json"), r#"{"private": true}"#).unwrap();
        let run = |program: &str, args: &[&str], at: &Path| {
            let mut command = clean_command(program, Path::new("."));
            command.env("npm_config_cache", home.join("cache")).current_dir(at);
            child::run(command.args(args)).expect_success(program)
        };
        let [main, binary] = packages.each_ref().map(|path| path.to_str().unwrap());
        run("npm", &["install", "--offline", "--no-audit", "--no-fund", main, binary], &home);
        assert_eq!(run("npx", &["--no-install", "mynah", "--version"], &home), PRINTED_VERSION);
        let contents = |name: &str| {
            let at = home.join("node_modules").join(name);
            let list = run("npm", &["pack", "--dry-run", "--json"], &at);
            let list: Value = serde_json::from_str(&list).unwrap();
            assert_eq!(list[0]["version"], VERSION);
            let files = list[0]["files"].as_array().unwrap().iter();
            files.map(|file| file["path"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
        };
        let expected = ["LICENSE", "README.md", "bin/mynah", "package.json"].map(str::to_owned);
        assert_eq!(contents(&format!("@mynah-dapr/{platform}")), expected.into());
        assert!(contents("mynah-dapr").contains("bin/mynah.js"));
        Ok(())
    });
}

#[needs("packages")]
#[test]
fn the_archive_contains_the_program_with_its_pages_and_completions() {
    let home = scratch("archive");
    let name = format!("mynah-{VERSION}-{}-unknown-linux-gnu", env::consts::ARCH);
    unpack(&package(&name, ".tar.gz"), &home);
    let root = home.join(name);
    let version = child::run(Command::new(root.join("mynah")).arg("--version"));
    assert_eq!(version.expect_success("mynah"), PRINTED_VERSION);
    let scripts = ["_mynah", "_mynah.ps1", "mynah.bash", "mynah.elv", "mynah.fish"];
    let scripts = scripts.map(|name| format!("completions/{name}"));
    let pages = ["mynah.1", "mynah-serve.1", "mynah-verify.1"].map(|name| format!("man/{name}"));
    let documents = ["LICENSE", "README.md"].map(str::to_owned);
    for name in [&scripts[..], &pages, &documents].concat() {
        assert!(fs::metadata(root.join(&name)).is_ok_and(|file| file.len() > 0), "{name}");
    }
}

#[needs("packages")]
#[test]
fn the_checksums_cover_all_packages() {
    let mut check = Command::new("sha256sum");
    check.args(["--check", "SHA256SUMS"]).current_dir(packages());
    let checked = child::run(&mut check).expect_success("sha256sum");
    let checked: BTreeSet<_> =
        checked.lines().filter_map(|line| line.strip_suffix(": OK")).collect();
    let files = fs::read_dir(packages()).unwrap();
    let files: Vec<_> = files.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    let files = files.iter().map(String::as_str).filter(|name| *name != "SHA256SUMS");
    assert_eq!(checked, files.collect());
    assert!(checked.iter().all(|name| name.contains(VERSION)), "{checked:?}");
}

#[needs("packages")]
#[test]
fn the_bill_of_materials_is_valid() {
    toolchain::suite("packages", || {
        let lock = folder("tests/interop/packages/requirements.txt");
        let python = toolchain::python("packages", &lock)?;
        let file = package("mynah-", ".sbom.json");
        child::run(Command::new(python).args(["-c", VALIDATE]).arg(&file)).expect_success("valid");
        let document: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        assert_eq!(document["metadata"]["component"]["version"], VERSION);
        let components = document["components"].as_array().unwrap();
        let names: BTreeSet<_> = components.iter().map(|it| it["name"].as_str().unwrap()).collect();
        // Linked crates are listed; those of the build script, macros and tests are not.
        assert!(
            ["clap", "mimalloc", "mynah-core", "tokio"].iter().all(|name| names.contains(name))
        );
        assert!(["clap_derive", "insta", "protox"].iter().all(|name| !names.contains(name)));
        Ok(())
    });
}

#[needs("packages")]
#[test]
fn the_same_binary_gives_the_same_bytes() {
    let again = scratch("again");
    child::run(packaging(&again).arg("--only=npm,sbom")).expect_success("packaging/build");
    for file in fs::read_dir(&again).unwrap().map(|file| file.unwrap()) {
        if file.file_name() != "SHA256SUMS" {
            let first = fs::read(packages().join(file.file_name())).unwrap();
            assert!(first == fs::read(file.path()).unwrap(), "{}", file.path().display());
        }
    }
}

#[needs("packages")]
#[test]
fn rejects_a_package_with_another_version() {
    let python = scratch("python");
    fs::write(python.join("pyproject.toml"), "project = {name = 'mynah-dapr', version = '9.9.9'}")
        .unwrap();
    let output =
        child::run(packaging(&scratch("out")).args(["--only=wheel", "--python"]).arg(&python));
    let expected = format!("the version is 9.9.9; expected {VERSION}, as in Cargo.toml\n");
    assert!(!output.success && output.stderr.ends_with(&expected), "{output:?}");
}
