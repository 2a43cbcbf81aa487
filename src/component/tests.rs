//! Tests of `load` with whole files.

mod hostile;
mod references;
mod scripted;
mod skipped;
mod stand_in;

use std::{any::Any, fs, path::PathBuf, sync::Arc, time::Duration};

use insta::assert_snapshot;
use tempfile::TempDir;

use super::{
    kinds::scripted::{Fallback, ScriptedSpec},
    spec::ProviderSpec,
    *,
};
use crate::{
    pii::Scrubber,
    provider::{
        echo::{ArgumentStyle, EchoSettings, Mode},
        scripted::ScriptedSettings,
        stream::StreamOptions,
    },
};

/// Returns the YAML of an echo component with the given metadata.
fn echo(name: &str, metadata: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata:\n  name: {name}\n\
         spec:\n  type: conversation.echo\n  version: v1\n  metadata:\n{metadata}"
    )
}

/// Returns the YAML of a component of the given type.
fn component(kind: &str, version: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: c}}\n\
         spec: {{type: {kind}, version: {version}}}\n"
    )
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

fn context() -> Context {
    context_with(&[("NAMESPACE", "prod")])
}

fn context_with(variables: &[(&str, &str)]) -> Context {
    let environment = variables.iter().copied().collect();
    Context { app_id: "shop".into(), environment, ..Context::default() }
}

/// Loads a folder with the given files and formats the result, without the folder's path.
fn outcome(files: &[(&str, &str)]) -> String {
    outcome_in(&context(), files)
}

fn outcome_in(context: &Context, files: &[(&str, &str)]) -> String {
    let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let folder = folder(&files);
    let loaded = load(&[folder.path().to_owned()], context);
    let components = loaded.components.iter().map(|spec| format!("+ {} {}", spec.name, spec.kind));
    let notices = loaded.notices.iter().map(|notice| format!("{:?} {notice}", notice.severity));
    let errors = loaded.errors.iter().map(|error| format!("! {error}"));
    let lines: Vec<_> = components.chain(notices).chain(errors).collect();
    lines.join("\n").replace(&format!("{}/", folder.path().display()), "")
}

/// Returns the settings of a valid echo component.
fn settings(metadata: &str) -> EchoSettings {
    settings_in(&context(), &echo("e", metadata))
}

/// Returns the settings of the first component in a YAML text.
fn settings_in(context: &Context, text: &str) -> EchoSettings {
    let folder = folder(&[("a.yaml", text.as_bytes())]);
    let loaded = load(&[folder.path().to_owned()], context);
    assert_eq!(loaded.errors, []);
    provider::<EchoSettings>(&loaded.components[0]).clone()
}

/// Returns the settings of a component's provider.
fn provider<T: 'static>(spec: &ComponentSpec) -> &T {
    let provider: &dyn Any = &*spec.provider;
    provider.downcast_ref().expect("a component of this type")
}

fn model(value: &str) -> String {
    settings(&format!("  - name: model\n    value: {value}\n")).model
}

#[test]
fn loads_the_samples() {
    let samples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("components");
    let loaded = load(&[samples], &context());
    assert_eq!((&loaded.notices, &loaded.errors), (&vec![], &vec![]));
    let tuned = EchoSettings {
        model: "parrot-1".into(),
        stream: StreamOptions {
            chunk_delay: Duration::from_millis(20),
            ..StreamOptions::default()
        },
        arguments: ArgumentStyle::Literal,
        ..EchoSettings::default()
    };
    let scripted = ScriptedSettings {
        stream: StreamOptions {
            chunk_size: crate::chat::ChunkSize::Words(3.try_into().unwrap()),
            chunk_delay: Duration::from_millis(5),
            time_to_first_chunk: Duration::from_millis(20),
        },
        ..ScriptedSettings::default()
    };
    let scrubbers: Vec<_> = loaded.components.iter().map(|spec| spec.scrubber).collect();
    let dapr = Scrubber::Dapr;
    assert_eq!(scrubbers, [dapr, dapr, Scrubber::Strict, dapr, dapr]);
    let secret = EchoSettings { model: "parrot-2".into(), ..EchoSettings::default() };
    let daprd = EchoSettings { mode: Mode::Daprd, ..EchoSettings::default() };
    let scripted = ScriptedSpec { settings: scripted, fallback: Fallback::Echo, rules: None };
    let expected: [(&str, Arc<dyn ProviderSpec>); 5] = [
        ("echo-daprd", Arc::new(daprd)),
        ("echo-secret", Arc::new(secret)),
        ("echo-tuned", Arc::new(tuned)),
        ("echo", Arc::new(EchoSettings::default())),
        ("scripted", Arc::new(scripted)),
    ];
    let components = loaded.components.into_iter();
    let providers: Vec<_> = components.map(|spec| (spec.name, spec.provider)).collect();
    assert_eq!(providers, expected.map(|(name, provider)| (name.to_owned(), provider)));
}

#[test]
fn keeps_type_and_version_as_written() {
    let folder = folder(&[("a.yaml", component("conversation.ECHO", "V0").as_bytes())]);
    let loaded = load(&[folder.path().to_owned()], &context());
    let spec = &loaded.components[0];
    assert_eq!((spec.kind.as_str(), spec.version.as_str()), ("conversation.ECHO", "V0"));
}

#[test]
fn converts_metadata_values_as_daprd() {
    assert_eq!(model("off"), "false");
    assert_eq!(model("0777"), "511");
    assert_eq!(model("1.10"), "1.1");
    assert_eq!(model("1e3"), "1000");
    assert_eq!(model("'off'"), "off");
    assert_eq!(model("~"), "echo");
    assert_eq!(model("{a: 1, b: [x]}"), r#"{"a":1,"b":["x"]}"#);
    assert_eq!(model("'{appID} in {namespace}'"), "shop in prod.shop");
    assert_eq!(model("'{uuid}'"), model("'{uuid}'"));
}

#[test]
fn ignores_the_case_of_fields_and_keys() {
    let text = "APIVERSION: dapr.io/v1alpha1\nKind: Component\nMetadata: {Name: e}\n\
                Spec: {Type: conversation.echo, METADATA: [{NAME: CHUNKdelay, Value: 5ms}]}\n";
    let folder = folder(&[("a.yaml", text.as_bytes())]);
    let loaded = load(&[folder.path().to_owned()], &context());
    assert_eq!(loaded.errors, []);
    let settings: &EchoSettings = provider(&loaded.components[0]);
    assert_eq!(settings.stream.chunk_delay, Duration::from_millis(5));
}

#[test]
fn reads_yaml_files_in_order_and_skips_others() {
    let (b, a) = (echo("b", ""), echo("a", ""));
    let files = [("z.yml", b.as_str()), ("A.YAML", &a), ("notes.md", "# hello"), ("void.yaml", "")];
    assert_snapshot!(outcome(&files), @r#"
    + a conversation.echo
    + b conversation.echo
    Info notes.md: skipped: not a .yaml or .yml file
    "#);
}

#[test]
fn loads_a_file_with_any_extension() {
    let folder = folder(&[("echo.txt", echo("e", "").as_bytes())]);
    let loaded = load(&[folder.path().join("echo.txt")], &context());
    assert_eq!((loaded.components.len(), loaded.errors), (1, vec![]));
}

#[test]
fn does_not_read_subfolders() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("inner.yaml")).unwrap();
    assert_eq!(load(&[folder.path().to_owned()], &context()), Loaded::default());
}

#[test]
fn reports_missing_path() {
    let loaded = load(&[PathBuf::from("/nowhere/at/all")], &context());
    assert_snapshot!(loaded.errors[0], @"/nowhere/at/all: cannot be read: No such file or directory (os error 2)");
}

#[test]
fn rejects_invalid_names() {
    let missing = echo("e", "").replace("name: e", "labels: {}");
    let text = [missing, echo("a/b", ""), echo("'..'", ""), echo("[x]", "")].join("---\n");
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @r#"
    ! a.yaml:1:1: metadata.name is missing; add one (daprd silently skips components without a name)
    ! a.yaml:13:9: invalid metadata.name "a/b"; it must not be '.' or '..', or contain '/' or '%'
    ! a.yaml:22:9: invalid metadata.name ".."; it must not be '.' or '..', or contain '/' or '%'
    ! a.yaml:31:9: metadata.name must be text, not a list or a mapping
    "#);
}

#[test]
fn rejects_duplicate_names() {
    let (first, second) = (echo("c", ""), component("state.redis", "v1"));
    assert_snapshot!(outcome(&[("a.yaml", &first), ("b.yaml", &second)]), @r#"
    + c conversation.echo
    Info b.yaml:1:1: skipped: component c has type state.redis, which is not a conversation type
    ! b.yaml:3:18: duplicate component name "c"; first used at a.yaml:4:9
    "#);
}

#[test]
fn rejects_unknown_types_and_versions() {
    let kinds = ["conversation.nope", "conversation", "Conversation.echo", "llm.foo", "''"];
    let mut documents: Vec<_> = kinds.iter().map(|kind| component(kind, "v1")).collect();
    documents.push(component("conversation.echo", "v9"));
    let text: Vec<_> = (1..)
        .zip(documents)
        .map(|(n, text)| text.replace("name: c", &format!("name: c{n}")))
        .collect();
    assert_snapshot!(outcome(&[("a.yaml", &text.join("---\n"))]), @r#"
    ! a.yaml:4:14: unknown spec.type "conversation.nope"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo
    ! a.yaml:9:14: unknown spec.type "conversation"; expected one of: conversation.echo, conversation.scripted
    ! a.yaml:14:14: unknown spec.type "Conversation.echo"; expected one of: conversation.echo, conversation.scripted
    ! a.yaml:19:14: unknown spec.type "llm.foo"; expected one of: conversation.echo, conversation.scripted
    ! a.yaml:21:1: spec.type is missing; expected one of: conversation.echo, conversation.scripted
    ! a.yaml:29:42: unknown spec.version "v9" for conversation.echo; expected v1
    "#);
}

#[test]
fn rejects_fields_of_the_wrong_type() {
    let flat = echo("a", "    model: x\n");
    let items = echo("b", "  - word\n  - {value: x}\n  - {name: model, vaule: x}\n");
    let flag = component("conversation.echo, ignoreErrors: 'yes'", "v1");
    assert_snapshot!(outcome(&[("a.yaml", &[flat, items, flag].join("---\n"))]), @r#"
    Warning a.yaml:21:19: unknown field "vaule" in a metadata item; expected one of: name, value, secretKeyRef, envRef
    ! a.yaml:9:5: spec.metadata must be a list of items {name, value}
    ! a.yaml:19:5: an item of spec.metadata must be a mapping {name, value}
    ! a.yaml:20:5: an item of spec.metadata needs a name
    ! a.yaml:26:47: spec.ignoreErrors must be true or false, without quotes
    "#);
}

#[test]
fn rejects_invalid_values() {
    let fast =
        echo("a", "  - {name: chunkDelay, value: fast}\n  - {name: arguments, value: Any}\n");
    let loose = echo("f", "  - {name: piiScrubber, value: loose}\n");
    let negative = echo("b", "  - {name: chunkDelay, value: -1s}\n");
    let long = echo("c", "  - {name: chunkDelay, value: 9999999h}\n");
    let pod =
        echo("d", "  - {name: model, value: 'on {podName}'}\n  - {name: x, value: '{podName}'}\n");
    let infinite = echo("e", "  - {name: model, value: .inf}\n  - {name: mode, value: dapr}\n");
    let text = [fast, negative, long, pod, infinite, loose].join("---\n");
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @r#"
    Warning a.yaml:41:5: unknown metadata key "x" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    ! a.yaml:9:31: chunkDelay: "fast" is not a duration; use Go's format, such as 50ms or 1.5s
    ! a.yaml:10:30: arguments: "Any" is invalid; use schema or literal
    ! a.yaml:20:31: chunkDelay: "-1s" is negative; use a duration of 0s or more
    ! a.yaml:30:31: chunkDelay: "9999999h" is too long; the longest duration is about 292 years (2562047h)
    ! a.yaml:40:26: model: {podName} requires POD_NAME to be set
    ! a.yaml:51:26: .inf is not a number in JSON; quote it
    ! a.yaml:52:25: mode: "dapr" is invalid; use mynah or daprd
    ! a.yaml:62:32: piiScrubber: "loose" is invalid; use dapr or strict
    "#);
}

#[test]
fn reports_duplicate_and_unknown_metadata_keys() {
    let twice = echo("a", "  - {name: model, value: x}\n  - {name: Model, value: y}\n");
    let unknown = echo("b", "  - {name: modle, value: x}\n  - {name: key, envRef: KEY}\n");
    assert_snapshot!(outcome(&[("a.yaml", &[twice, unknown].join("---\n"))]), @r#"
    + b conversation.echo
    Warning a.yaml:20:5: unknown metadata key "modle" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    Warning a.yaml:21:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    ! a.yaml:10:5: key Model is duplicate in the metadata
    "#);
}

#[test]
fn ignore_errors_turns_errors_into_one_warning() {
    let text = echo("e", "  - {name: arguments, value: Any}\n");
    let text = text.replace("version: v1", "version: v9\n  ignoreErrors: true");
    assert_snapshot!(outcome(&[("a.yaml", &text)]).replace(" | ", "\n  | "), @r#"
    Warning a.yaml:1:1: component e is skipped (spec.ignoreErrors): unknown spec.version "v9" for conversation.echo; expected v1
      | arguments: "Any" is invalid; use schema or literal
    "#);
}

#[test]
fn invalid_yaml_does_not_hide_other_errors() {
    let broken = "metadata:\n  name: [unclosed\nspec: {type: conversation.echo\n";
    let text = [echo("a/b", "").as_str(), broken, &echo("good", "")].join("---\n");
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @r#"
    + good conversation.echo
    ! a.yaml:4:9: invalid metadata.name "a/b"; it must not be '.' or '..', or contain '/' or '%'
    ! a.yaml:12:5: not valid YAML: illegal placement of ':' indicator
    "#);
}

#[test]
fn rejects_duplicate_keys_in_conversation_components() {
    let repeated = "  version: v1\n  version: v1\n";
    let echo = echo("e", "").replace("  version: v1\n", repeated);
    let state = echo.replace("conversation.echo", "state.redis").replace("name: e", "name: s");
    assert_snapshot!(outcome(&[("a.yaml", &[echo, state].join("---\n"))]), @r#"
    Info a.yaml:11:1: skipped: component s has type state.redis, which is not a conversation type
    ! a.yaml:8:3: duplicate key "version"; first used in line 7
    "#);
}

#[test]
fn resolves_anchors_and_merge_keys() {
    let metadata =
        "  - &first {name: model, value: &model parrot}\n  - <<: *first\n    name: other\n";
    assert_eq!(settings(metadata).model, "parrot");
    assert_eq!(
        settings("  - {name: arguments, value: &a literal}\n  - {name: model, value: *a}\n").model,
        "literal"
    );
}

#[test]
fn accepts_crlf_and_a_byte_order_mark() {
    let text =
        format!("\u{feff}---\n{}---\n{}", echo("a", ""), echo("b", "  - {name: x, value: y}\n"));
    assert_snapshot!(outcome(&[("a.yaml", &text.replace('\n', "\r\n"))]), @r#"
    + a conversation.echo
    + b conversation.echo
    Warning a.yaml:19:5: unknown metadata key "x" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    "#);
}
