//! Tests of OpenAI's Python client, and of LangChain and the OpenAI Agents SDK with it.

use std::{path::PathBuf, process::Command};

use mynah_needs::needs;

use super::{
    TOKEN, child,
    examples::prints_readme_output,
    folder, point_at, run_tests,
    toolchain::{self, Missing},
};
use crate::{chains::scripted, support::Sidecar};

#[needs("openai")]
#[test]
fn openai_example_prints_its_readme() {
    toolchain::suite("openai", || {
        let home = folder("examples/openai");
        let mut app = Command::new(python()?);
        app.args(["-B", "app.py"]).current_dir(&home);
        prints_readme_output(&mut app, &Sidecar::start(), &home.join("README.md"));
        Ok(())
    });
}

#[needs("openai")]
#[test]
fn openai_suite_passes() {
    toolchain::suite("openai", || {
        let home = folder("tests/interop/openai");
        let (sidecar, guarded) =
            (scripted(""), Sidecar::start_in(&[("DAPR_API_TOKEN", TOKEN)], &[]));
        let mut tests = Command::new(python()?);
        tests.args(["-B", "-W", "error", "-m", "unittest", "--verbose"]).current_dir(home);
        point_at(&mut tests, &sidecar);
        tests
            .env("GUARDED_HTTP_PORT", guarded.http.port().to_string())
            .env("GUARDED_API_TOKEN", TOKEN);
        child::run(&mut tests).expect_success("openai");
        Ok(())
    });
}

#[needs("langchain")]
#[test]
fn langchain_suite_passes() {
    toolchain::suite("langchain", || {
        let home = folder("tests/interop/langchain");
        let mut tests =
            Command::new(toolchain::python("langchain", &home.join("requirements.txt"))?);
        tests.args(["-B", "-W", "error", "-m", "unittest", "--verbose"]).current_dir(home);
        run_tests("langchain", &mut tests);
        Ok(())
    });
}

#[needs("openai-agents")]
#[test]
fn openai_agents_suite_passes() {
    toolchain::suite("openai-agents", || {
        let home = folder("tests/interop/openai_agents");
        let python = toolchain::python("openai-agents", &home.join("requirements.txt"))?;
        let sidecar = scripted("");
        let mut tests = Command::new(python);
        tests.args(["-B", "-W", "error", "-m", "unittest", "--verbose"]).current_dir(home);
        point_at(&mut tests, &sidecar);
        child::run(&mut tests).expect_success("openai-agents");
        Ok(())
    });
}

fn python() -> Result<PathBuf, Missing> {
    toolchain::python("openai", &folder("tests/interop/openai/requirements.txt"))
}
