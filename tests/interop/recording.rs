//! Tests that the answers of a model are recorded and replayed, with the application in
//! `examples/recording`.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use mynah_needs::needs;

use super::{
    applications::{pytest, python},
    child, folder, prepare,
    toolchain::{self, Missing},
};
use crate::support::{mynah, scratch};

const EXAMPLE: &str = "examples/recording";
const KEY: &str = "key-of-the-recorded-model";
/// The endpoint in the component of the example.
const ENDPOINT: &str = "http://127.0.0.1:8000/v1";

/// The server that stands for a real model. It ends with the value.
struct Model {
    process: Child,
    url: String,
}

impl Model {
    fn start(python: &Path) -> Self {
        let mut server = Command::new(python);
        server.args(["-B", "model_server.py", "0"]).current_dir(folder(EXAMPLE));
        let mut process = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        Self { process, url: url.trim_end().to_owned() }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[needs("python")]
#[test]
fn recorded_answers_are_replayed_without_the_model() {
    toolchain::suite("python", || {
        let python = environment()?;
        let recordings = scratch("recordings");
        let model = Model::start(&python);
        record(&python, &model, &recordings);
        drop(model);
        let recording = fs::read_to_string(recordings.join("model.yaml")).unwrap();
        assert!(!recording.contains(KEY), "{recording}");
        replay(&python, &recordings);
        replay(&python, &folder(EXAMPLE).join("recordings"));
        Ok(())
    });
}

#[needs("python")]
#[test]
fn recording_the_same_answers_again_changes_no_byte() {
    toolchain::suite("python", || {
        let python = environment()?;
        let committed = fs::read_to_string(folder(EXAMPLE).join("recordings/model.yaml")).unwrap();
        let recordings = scratch("recordings");
        fs::write(recordings.join("model.yaml"), &committed).unwrap();
        record(&python, &Model::start(&python), &recordings);
        let recorded = fs::read_to_string(recordings.join("model.yaml")).unwrap();
        assert_eq!(recorded, committed);
        Ok(())
    });
}

/// Returns the Python interpreter with the requirements of the example.
fn environment() -> Result<PathBuf, Missing> {
    python("python", "tests/interop/python", "examples/recording/requirements.txt")
}

/// Runs the tests with the model, and records its answers to a folder.
fn record(python: &Path, model: &Model, recordings: &Path) {
    let mut run = run();
    run.args(["--upstream", "openai", "--record"]).arg(recordings);
    run.env("MODEL_KEY", KEY);
    passes(run, &components(&model.url), python);
}

/// Runs the tests with the answers in a folder.
fn replay(python: &Path, recordings: &Path) {
    let mut run = run();
    run.arg("--replay").arg(recordings);
    passes(run, &folder(EXAMPLE).join("components"), python);
}

fn run() -> Command {
    let mut run = mynah();
    prepare(&mut run);
    run.arg("run").env_remove("MODEL_KEY");
    run
}

/// Asserts that the tests pass next to mynah.
fn passes(mut run: Command, components: &Path, python: &Path) {
    let tests = pytest(python);
    run.arg("--resources-path").arg(components).arg("--");
    run.arg(tests.get_program()).args(tests.get_args()).current_dir(folder(EXAMPLE));
    child::run(&mut run).expect_success("the tests of the recording");
}

/// Returns a folder with the component of the example, at the address of the model.
fn components(url: &str) -> PathBuf {
    let component = fs::read_to_string(folder(EXAMPLE).join("components/model.yaml")).unwrap();
    assert!(component.contains(ENDPOINT), "{component}");
    let components = scratch("components");
    fs::write(components.join("model.yaml"), component.replace(ENDPOINT, url)).unwrap();
    components
}
