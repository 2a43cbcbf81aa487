//! Tests with Dapr's SDKs, OpenAI's client, LangChain and Dapr Agents.

use std::{fs, process::Command};

use mynah_needs::needs;

use super::Recording;
use crate::interop::{
    child,
    examples::{go_example, python_example},
    folder, point_at,
    toolchain::{self, Missing},
};

/// Time zones whose dates always differ: one is 26 hours ahead of the other.
const YESTERDAY: &str = "WEST12";
const TODAY: &str = "EAST-14";

#[needs("python")]
#[test]
fn python_sdk_prints_the_same() {
    toolchain::suite("python", || {
        let mut client = python_example()?;
        Recording::of(&mut client).is_repeated(&mut client);
        Ok(())
    });
}

#[needs("go")]
#[test]
fn go_sdk_prints_the_same() {
    toolchain::suite("go", || {
        let mut client = go_example()?;
        Recording::of(&mut client).is_repeated(&mut client);
        Ok(())
    });
}

/// The transcript has all answers, in whole and as chunks.
#[needs("openai")]
#[test]
fn openai_client_prints_the_same() {
    toolchain::suite("openai", || {
        let mut client = transcript("openai", "openai")?;
        Recording::of(&mut client).is_repeated(&mut client);
        Ok(())
    });
}

#[needs("langchain")]
#[test]
fn langchain_prints_the_same() {
    toolchain::suite("langchain", || {
        let mut client = transcript("langchain", "langchain")?;
        Recording::of(&mut client).is_repeated(&mut client);
        Ok(())
    });
}

/// Its prompt has the date of the day, which is another one when the answers are replayed.
#[needs("dapr-agents")]
#[test]
fn dapr_agents_print_the_same_on_another_day() {
    toolchain::suite("dapr-agents", || {
        let mut client = transcript("dapr-agents", "dapr_agents")?;
        let recording = Recording::of(client.env("TZ", YESTERDAY));
        recording.is_repeated(&mut client);

        let failure = missed(&recording, client.env("TZ", TODAY));
        let hint = "the requests would be equal with normalize: [uuid, datetime, date]";
        assert!(failure.contains(hint), "{failure}");
        let text = fs::read_to_string(recording.file()).unwrap();
        fs::write(recording.file(), format!("normalize: [uuid, datetime, date]\n{text}")).unwrap();
        recording.is_repeated(&mut client);
        Ok(())
    });
}

/// Returns what a client that gets no answer prints to stderr.
fn missed(recording: &Recording, client: &mut Command) -> String {
    let replay = recording.replay();
    point_at(client, &replay);
    let output = child::run(client);
    assert!(!output.success, "{output:?}");
    output.stderr
}

/// Returns the command that prints a transcript with the client of a suite.
fn transcript(environment: &str, suite: &str) -> Result<Command, Missing> {
    let home = folder("tests/interop").join(suite);
    let python = toolchain::python(environment, &home.join("requirements.txt"))?;
    let mut client = Command::new(python);
    client.args(["-B", "transcript.py"]).current_dir(home);
    Ok(client)
}
