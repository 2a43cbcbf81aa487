//! What is checked and said before the first call.

use std::{
    fs,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;

use super::{component, component_of, model, recorder, server::hello, stop};
use crate::support::{
    Sidecar, mynah,
    process::{Output, Process},
    scratch,
};

/// Runs a command that ends, with flags about a folder of components and one of recordings.
fn run(command: &[&str], components: &Path, recordings: &Path) -> Output {
    let [components, recordings] = [components, recordings].map(|it| it.to_str().unwrap());
    let place =
        |text: &&str| text.replace("COMPONENTS", components).replace("RECORDINGS", recordings);
    let mut process = mynah();
    process.args(command.iter().map(place));
    let Output { code, stdout, stderr } = Process::start(&mut process).wait();
    let hide =
        |text: String| text.replace(components, "COMPONENTS").replace(recordings, "RECORDINGS");
    Output { code, stdout: hide(stdout), stderr: hide(stderr) }
}

/// Returns the flags of a mynah on free ports.
fn serve<'f>(flags: &[&'f str]) -> Vec<&'f str> {
    let free = ["--dapr-grpc-port=0", "--dapr-http-port=0", "--enable-metrics=false"];
    [&free[..], &["--resources-path", "COMPONENTS"], flags].concat()
}

/// Records an exchange. Returns the folders of the components and of the recordings.
async fn recording() -> [PathBuf; 2] {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    let components = component_of(&model);
    let sidecar = recorder(&components, &recordings);
    sidecar.converse(hello()).await.unwrap();
    stop(sidecar).await;
    [components, recordings]
}

#[test]
fn metadata_without_effect_is_reported_once() {
    let components = component("http://127.0.0.1:9/v1");
    let file = components.join("gpt.yaml");
    let mut yaml = fs::read_to_string(&file).unwrap();
    yaml += "  - {name: responseCacheTTL, value: 10m}\n  - {name: responseFormat, value: \"{}\"}\n";
    fs::write(&file, yaml).unwrap();
    let path = components.to_str().unwrap();
    let log = Sidecar::start_with(&["--resources-path", path, "--upstream", "openai"]).log();
    assert_snapshot!(log.replace(path, "COMPONENTS"));
    let recordings = scratch("recordings");
    let flags = ["--resources-path", path, "--replay", recordings.to_str().unwrap()];
    let none = Sidecar::start_with(&flags).log();
    assert!(!none.contains("without effect"), "{none}");
}

#[test]
fn a_missing_model_is_reported() {
    let log = Sidecar::start_with(&["--upstream", "openai"]).log();
    assert!(log.contains("no component has a real model"), "{log}");
    let components = component("http://127.0.0.1:9/v1");
    let flags = ["--resources-path", components.to_str().unwrap(), "--upstream", "openai"];
    let log = Sidecar::start_with(&flags).log();
    assert!(!log.contains("no component has a real model"), "{log}");
}

#[test]
fn a_replay_without_components_is_an_error() {
    let recordings = scratch("recordings");
    for flags in [&[][..], &["--record-missing", "--upstream", "openai"]] {
        let mut command = mynah();
        command.args(["serve", "--replay"]).arg(&recordings).args(flags);
        let output = Process::start(&mut command).wait();
        assert_eq!(output.code, Some(1), "{}", output.stderr);
        assert!(output.stderr.contains("--replay has no effect"), "{}", output.stderr);
    }
}

#[tokio::test]
async fn recordings_that_cannot_be_read_are_errors() {
    let (components, recordings) = (component("http://127.0.0.1:9/v1"), scratch("recordings"));
    let file = recordings.join("gpt.yaml");
    let texts =
        ["rules: [{match: {usr: a}, respond: x}]", "rules: [{match: {user: a}, respond: x}]"];
    let mut errors = Vec::new();
    for text in texts {
        fs::write(&file, text).unwrap();
        for flags in [
            &["--upstream", "openai", "--record", "RECORDINGS"][..],
            &["--replay", "RECORDINGS", "--record-missing", "--upstream", "openai"],
        ] {
            let output = run(&serve(flags), &components, &recordings);
            errors.push(format!("{:?} {}", output.code, output.stderr));
        }
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    for flags in [
        &["--replay", "RECORDINGS"][..],
        &["--replay", "RECORDINGS/missing"],
        &["--upstream", "openai", "--record", "RECORDINGS"],
    ] {
        let output = run(&serve(flags), &components, &recordings);
        errors.push(format!("{:?} {}", output.code, output.stderr));
    }
    assert_snapshot!(errors.join("---\n"));
}

#[tokio::test]
async fn check_takes_the_flags_of_serve() {
    let [components, recordings] = recording().await;
    let check = |flags: &[&str]| {
        let output = run(&[&["check", "COMPONENTS"], flags].concat(), &components, &recordings);
        format!("{flags:?} {:?}\n{}{}", output.code, output.stdout, output.stderr)
    };
    let flags: [&[&str]; 7] = [
        &["--upstream", "openai"],
        &["--upstream", "daprd"],
        &["--upstream", "daprd", "--daprd", "127.0.0.1:50002"],
        &["--replay", "RECORDINGS"],
        &["--replay", "RECORDINGS/missing"],
        &["--upstream", "openai", "--record", "RECORDINGS"],
        &["--replay", "RECORDINGS", "--upstream", "openai"],
    ];
    let mut shown: Vec<_> = flags.iter().map(|flags| check(flags)).collect();
    fs::write(recordings.join("gpt.yaml"), "rules: [{match: {usr: a}, respond: x}]").unwrap();
    shown.push(check(flags[3]));
    shown.push(check(flags[5]));
    assert_snapshot!(shown.join("---\n"));
}

/// Rules of other components, and one that calls a tool that its request does not offer.
const SUSPICIOUS: &str = "rules:
- match: {request: {component: gtp, messages: [{role: user, text: hi}]}}
  respond: x
- match: {component: other}
  respond: x
- match: {request: {component: gpt, messages: [{role: user, text: hi}], tools: {known: 0123456789abcdef}}}
  respond: [{tool_call: [{name: known, args: {}}, {name: unknown, args: {}}]}]
";

#[tokio::test]
async fn check_warns_of_rules_that_do_not_fit() {
    let (components, recordings) = (component("http://127.0.0.1:9/v1"), scratch("recordings"));
    fs::write(recordings.join("gpt.yaml"), SUSPICIOUS).unwrap();
    let other = fs::read_to_string(components.join("gpt.yaml")).unwrap();
    fs::write(components.join("other.yaml"), other.replace("name: gpt", "name: other")).unwrap();
    let flags = ["check", "COMPONENTS", "--replay", "RECORDINGS"];
    let with_components = run(&flags, &components, &recordings);
    let alone = run(&["check", "RECORDINGS"], &components, &recordings);
    assert_eq!([with_components.code, alone.code], [Some(0); 2]);
    assert_snapshot!([with_components.stdout, alone.stdout].join("---\n"));
}

/// Returns what a mynah says of who answers.
fn banner(components: &Path, recordings: &Path, flags: &[&str]) -> String {
    let [components, recordings] = [components, recordings].map(|it| it.to_str().unwrap());
    let flags = flags.iter().map(|flag| flag.replace("RECORDINGS", recordings)).collect::<Vec<_>>();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    let sidecar = Sidecar::start_with(&[&["--resources-path", components], &flags[..]].concat());
    let is_about_models = |line: &&str| {
        ["mynah ", "  models ", "  components "].iter().any(|it| line.starts_with(it))
    };
    let printed = || {
        let stdout = sidecar.stdout();
        stdout.contains("Try it").then_some(stdout)
    };
    let text = crate::support::process::poll(printed, "there is no banner");
    let text: Vec<_> = text.lines().filter(is_about_models).collect();
    text.join("\n").replace(recordings, "RECORDINGS").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[tokio::test]
async fn the_banner_says_who_answers() {
    let [components, recordings] = recording().await;
    let flags: [&[&str]; 6] = [
        &["--upstream", "openai"],
        &["--upstream", "openai", "--record", "RECORDINGS"],
        &["--upstream", "daprd", "--daprd", "127.0.0.1:9"],
        &["--replay", "RECORDINGS"],
        &["--replay", "RECORDINGS", "--replay-miss", "fallback"],
        &["--replay", "RECORDINGS", "--record-missing", "--upstream", "openai"],
    ];
    let banners: Vec<_> =
        flags.iter().map(|flags| banner(&components, &recordings, flags)).collect();
    assert_snapshot!(banners.join("\n---\n"));
}

#[tokio::test]
async fn run_says_who_answers() {
    let [components, recordings] = recording().await;
    let command = ["run", "--replay", "RECORDINGS", "--replay-miss", "fallback"];
    let place = ["--resources-path", "COMPONENTS", "--", "true"];
    let output = run(&[&command[..], &place].concat(), &components, &recordings);
    let expected = "mynah: models: the recordings in RECORDINGS, or else chains and echo\n";
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", expected));
    let as_json = ["--log-as-json", "--log-level", "info"];
    let command = [&command[..], &as_json, &place].concat();
    for line in run(&command, &components, &recordings).stderr.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn a_key_with_a_typo_has_a_hint() {
    let components = component("http://127.0.0.1:9/v1");
    let file = components.join("gpt.yaml");
    let yaml = fs::read_to_string(&file).unwrap().replace("name: endpoint", "name: endpont");
    fs::write(&file, yaml + "  - {name: responseCacheTTL, value: 10m}\n").unwrap();
    let path = components.to_str().unwrap();
    let log = Sidecar::start_with(&["--resources-path", path, "--upstream", "openai"]).log();
    let expected = "metadata without effect with --upstream openai: endpont (did you mean endpoint?), \
                    responseCacheTTL";
    assert!(log.contains(expected), "{log}");
}

/// The last rule is the user's own, for what is not recorded.
const CATCH_ALL: &str = "rules:\n- match: {user: a}\n  respond: x\n- respond: y\n";

#[tokio::test]
async fn a_rule_that_hides_what_is_recorded_is_reported() {
    let (model, recordings) = (model("rules: [{respond: Hi.}]"), scratch("recordings"));
    let components = component_of(&model);
    let file = recordings.join("gpt.yaml");
    let expected = "rule 2 matches every call, so exchanges recorded after it are never replayed; \
                    give it a condition, or a priority below 0";
    let flags = ["check", "COMPONENTS", "--upstream", "openai", "--record", "RECORDINGS"];
    let check = || run(&flags, &components, &recordings).stdout;
    fs::write(&file, CATCH_ALL).unwrap();
    assert!(check().contains(expected), "{}", check());
    let sidecar = recorder(&components, &recordings);
    assert!(sidecar.log().contains(expected), "{}", sidecar.log());
    drop(sidecar);
    fs::write(&file, CATCH_ALL.replace("respond: y", "respond: y\n  priority: -1")).unwrap();
    assert!(!check().contains("never replayed"), "{}", check());
    let sidecar = recorder(&components, &recordings);
    sidecar.converse(hello()).await.unwrap();
    assert!(!stop(sidecar).await.contains("never replayed"));
    let answer = super::replay(&components, &recordings).converse(hello()).await.unwrap();
    assert_eq!(answer.content, "Hi.");
}
