//! Tests of the sources of metadata values, of skipped components, and of stand-ins for other
//! providers.

use std::{fs, path::Path};

use insta::assert_snapshot;
use mynah::internals::wire::proto::{ConversationRequestAlpha2, GetMetadataRequest};
use tonic::Code;

use crate::support::{
    Sidecar,
    messages::{request, user},
    mynah,
    process::{Output, Process},
    scratch,
};

const SECRET: &str = "hush-hush";

/// Returns a component with these metadata lines. Appends `tail`.
fn component(name: &str, kind: &str, metadata: &str, tail: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec:\n  type: {kind}\n  version: v1\n  metadata:\n{metadata}{tail}---\n"
    )
}

/// Returns an echo component. `model` is the source of the model name.
fn echo(name: &str, model: &str, tail: &str) -> String {
    let metadata = format!("  - {{name: model, {model}}}\n");
    component(name, "conversation.echo", &metadata, tail)
}

fn start(variables: &[(&str, &str)], yaml: &str, flags: &[&str]) -> Sidecar {
    let folder = scratch("components");
    fs::write(folder.join("components.yaml"), yaml).unwrap();
    let resources = ["--resources-path", folder.to_str().unwrap()];
    Sidecar::start_in(variables, &[&resources, flags].concat())
}

/// Runs `mynah check` on a file with this text. Removes the file's path from the output.
fn checked(variables: &[(&str, &str)], yaml: &str, flags: &[&str]) -> String {
    let file = scratch("checked").join("a.yaml");
    fs::write(&file, yaml).unwrap();
    let mut check = mynah();
    check.arg("check").arg(&file).args(flags).envs(variables.iter().copied());
    let Output { code, stdout, stderr } = Process::start(&mut check).wait();
    assert_eq!(stderr, "");
    let code = code.unwrap();
    stdout.replace(file.to_str().unwrap(), "a.yaml") + &format!("-- exit {code}")
}

/// Returns the name, type and version of each served component.
async fn served(sidecar: &Sidecar) -> Vec<String> {
    let metadata = sidecar.client().await.get_metadata(GetMetadataRequest {}).await.unwrap();
    let components = metadata.into_inner().registered_components.into_iter();
    components.map(|c| format!("{} {} {}", c.name, c.r#type, c.version)).collect()
}

/// Returns the model name in an answer from the component.
async fn model(sidecar: &Sidecar, component: &str) -> String {
    let asked = request([user("Hello, world!")]);
    let asked = ConversationRequestAlpha2 { name: component.to_owned(), ..asked };
    let answer = sidecar.converse(asked).await.unwrap();
    assert_eq!(answer.content, "Hello, world!");
    answer.response.outputs[0].model.clone().unwrap_or_default()
}

#[tokio::test]
async fn serves_components_of_its_namespace_and_scope() {
    let within = |name: &str, namespace: &str| {
        let name = format!("{name}, namespace: {namespace}");
        component(&name, "conversation.echo", "", "")
    };
    let yaml = [
        within("tested", "test"),
        within("sold", "shop"),
        component("everywhere", "conversation.echo", "", ""),
        component("till-only", "conversation.echo", "", "scopes: [till]\n"),
    ]
    .concat();
    let shop = start(&[("NAMESPACE", "shop")], &yaml, &["--app-id", "till"]);
    let echoes = |names: &[&str]| -> Vec<_> {
        names.iter().map(|name| format!("{name} conversation.echo v1")).collect()
    };
    assert_eq!(served(&shop).await, echoes(&["everywhere", "sold", "till-only"]));
    let anywhere = start(&[], &yaml, &["--app-id", "stock"]);
    assert_eq!(served(&anywhere).await, echoes(&["everywhere", "sold", "tested"]));
    let flags = ["--app-id", "stock"];
    assert_snapshot!(checked(&[("NAMESPACE", "shop")], &yaml, &flags), @r#"
    a.yaml:1:1: skipped: component tested is in namespace test, not shop
    a.yaml:25:1: skipped: component till-only is scoped to other applications: till; --app-id is "stock" (warning)
    2 components, 0 errors, 1 warning
    -- exit 0
    "#);
}

#[tokio::test]
async fn reads_values_from_environment_variables() {
    let yaml = [
        echo("allowed", "envRef: PARROT", ""),
        echo("denied", "envRef: DAPR_PARROT", ""),
        echo("unset", "envRef: NOWHERE", ""),
    ]
    .concat();
    let variables = [("PARROT", "parrot-1"), ("DAPR_PARROT", SECRET)];
    let sidecar = start(&variables, &yaml, &[]);
    let models = async |sidecar: &Sidecar| {
        [
            model(sidecar, "allowed").await,
            model(sidecar, "denied").await,
            model(sidecar, "unset").await,
        ]
    };
    assert_eq!(models(&sidecar).await, ["parrot-1", "echo", "echo"]);
    assert_snapshot!(checked(&variables, &yaml, &[]), @r#"
    a.yaml:17:27: model: components may not read the environment variable "DAPR_PARROT"; APP_API_TOKEN, DAPR_* and names with spaces are not allowed (warning)
    a.yaml:26:27: model: the environment variable "NOWHERE" is not set (warning)
    3 components, 0 errors, 2 warnings
    -- exit 0
    "#);

    let listed = |keys| [&variables[..], &[("DAPR_ENV_KEYS", keys)]].concat();
    let sidecar = start(&listed("OTHER PARROT"), &yaml, &[]);
    assert_eq!(models(&sidecar).await, ["parrot-1", "echo", "echo"]);
    let sidecar = start(&listed("OTHER"), &yaml, &[]);
    assert_eq!(models(&sidecar).await, ["echo", "echo", "echo"]);
    assert_snapshot!(checked(&listed("OTHER"), &yaml, &[]), @r#"
    a.yaml:8:27: model: components may not read the environment variable "PARROT"; add it to DAPR_ENV_KEYS (warning)
    a.yaml:17:27: model: components may not read the environment variable "DAPR_PARROT"; APP_API_TOKEN, DAPR_* and names with spaces are not allowed (warning)
    a.yaml:26:27: model: components may not read the environment variable "NOWHERE"; add it to DAPR_ENV_KEYS (warning)
    3 components, 0 errors, 3 warnings
    -- exit 0
    "#);
}

/// Writes a secrets file and returns a secret store that reads it.
fn store_of(folder: &Path) -> String {
    let file = folder.join("secrets.json");
    fs::write(&file, r#"{"parrot": "parrot-2", "kept": "hush-hush"}"#).unwrap();
    let item = format!("  - {{name: secretsFile, value: {}}}\n", file.display());
    component("file", "secretstores.local.file", &item, "")
}

#[tokio::test]
async fn reads_values_from_secret_stores() {
    let prefix = "  - {name: prefix, value: MY_}\n";
    let yaml = [
        echo("one", "secretKeyRef: {name: PARROT}", "auth: {secretStore: variables}\n"),
        echo("two", "secretKeyRef: {name: parrot, key: parrot}", "auth: {secretStore: file}\n"),
        component("variables", "secretstores.local.env", prefix, ""),
        store_of(&scratch("secrets")),
    ]
    .concat();
    let sidecar = start(&[("MY_PARROT", "parrot-1"), ("PARROT", "wrong")], &yaml, &[]);
    assert_eq!(model(&sidecar, "one").await, "parrot-1");
    assert_eq!(model(&sidecar, "two").await, "parrot-2");
    let served = served(&sidecar).await;
    assert_eq!(served, ["one conversation.echo v1", "two conversation.echo v1"]);
}

#[tokio::test]
async fn serves_without_a_missing_secret() {
    let yaml = [
        echo("echo", "secretKeyRef: {name: nothing}", "auth: {secretStore: file}\n"),
        echo("storeless", "secretKeyRef: {name: nothing}", ""),
        store_of(&scratch("secrets")),
    ]
    .concat();
    let sidecar = start(&[], &yaml, &[]);
    assert_eq!(model(&sidecar, "echo").await, "echo");
    assert_snapshot!(checked(&[], &yaml, &[]), @r#"
    a.yaml:8:40: model: secret store "file": secret "nothing" does not exist (warning)
    a.yaml:18:40: model: secret "nothing" has no store; set auth.secretStore (warning)
    2 components, 0 errors, 2 warnings
    -- exit 0
    "#);
}

#[test]
fn rejects_missing_and_unsupported_secret_stores() {
    let yaml = [
        echo("a", "secretKeyRef: {name: key}", "auth: {secretStore: vault}\n"),
        echo("b", "secretKeyRef: {name: key}", "auth: {secretStore: missing}\n"),
        component("vault", "secretstores.hashicorp.vault", "", ""),
    ]
    .concat();
    assert_snapshot!(checked(&[], &yaml, &[]), @r#"
    a.yaml:8:40: model: secret store "vault" has type secretstores.hashicorp.vault, which is not supported; use secretstores.local.env or secretstores.local.file, version v1
    a.yaml:18:40: model: secret store "missing" is not loaded; add a component with this name and type secretstores.local.env or secretstores.local.file
    a.yaml:21:1: skipped: component vault has type secretstores.hashicorp.vault, which is not a conversation type
    2 components, 2 errors, 0 warnings
    -- exit 1
    "#);
}

/// Starts a sidecar with log level debug and stops it.
fn log(variables: &[(&str, &str)], yaml: &str) -> Output {
    let folder = scratch("logged");
    let addresses = folder.join("addresses.json");
    fs::write(folder.join("a.yaml"), yaml).unwrap();
    let mut serve = mynah();
    serve.args(["--dapr-grpc-port=0", "--dapr-http-port=0", "--metrics-port=0"]);
    serve.args(["--log-level=debug", "--resources-path"]).arg(&folder);
    serve.arg("--addresses-file").arg(&addresses).envs(variables.iter().copied());
    Process::start(&mut serve).stop(&addresses)
}

#[test]
fn never_prints_secrets() {
    let using = |key: &str, reference: &str| {
        let metadata = format!("  - {{name: {key}, {reference}}}\n");
        let tail = "auth: {secretStore: file}\n";
        component(key, "conversation.echo", &metadata, tail)
    };
    let store = store_of(&scratch("secrets"));
    let (kept, variable) = ("secretKeyRef: {name: kept}", "envRef: KEPT");
    let variables = [("KEPT", SECRET)];

    let bad = using("mode", kept) + &using("chunkDelay", variable) + &store;
    let output = checked(&variables, &bad, &[]);
    assert_snapshot!(output, @"
    a.yaml:8:39: mode: the secret is invalid; use mynah or daprd
    a.yaml:18:32: chunkDelay: the value of KEPT is not a duration; use Go's format, such as 50ms or 1.5s
    2 components, 2 errors, 0 warnings
    -- exit 1
    ");
    let scripted = |yaml: String| yaml.replace("conversation.echo", "conversation.scripted");
    let lost = scripted(using("fallback", kept)) + &store;
    assert_snapshot!(checked(&variables, &lost, &[]), @"
    a.yaml:8:43: fallback: the secret is not a component; expected echo, error or one of: fallback
    1 component, 1 error, 0 warnings
    -- exit 1
    ");
    let mut hidden = scripted(using("fallback", variable)) + &store;
    assert_snapshot!(checked(&variables, &hidden, &[]), @"
    a.yaml:8:30: fallback: the value of KEPT is not a component; expected echo, error or one of: fallback
    1 component, 1 error, 0 warnings
    -- exit 1
    ");
    hidden = hidden.replace("spec:\n", "spec:\n  ignoreErrors: true\n");
    assert_snapshot!(checked(&variables, &hidden, &[]), @"
    a.yaml:9:30: component fallback is skipped (spec.ignoreErrors): fallback: the value of KEPT is not a component; expected echo, error or one of: fallback (warning)
    1 component, 0 errors, 1 warning
    -- exit 0
    ");
    let good = using("model", kept) + &using("other", variable) + &store;
    for (yaml, code) in [(bad, 1), (lost, 1), (hidden, 0), (good, 0)] {
        let ended = log(&variables, &yaml);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(!format!("{ended:?}").contains(SECRET), "{ended:?}");
    }
}

/// Returns an application's resources. Their secrets and secret store are not available here.
fn resources_of_other_providers() -> String {
    let metadata = |model: &str| {
        format!(
            "  - {{name: key, secretKeyRef: {{name: api-key, key: api-key}}}}\n  \
             - {{name: endpoint, envRef: ENDPOINT}}\n{model}"
        )
    };
    let other = |name: &str, kind: &str, model: &str| {
        let tail = "auth: {secretStore: vault}\n";
        component(name, &format!("conversation.{kind}"), &metadata(model), tail)
    };
    [
        other("gpt", "openai", "  - {name: model, value: gpt-5-nano}\n"),
        other("claude", "anthropic", "  - {name: MODEL, value: claude-sonnet-4}\n"),
        other("mistral", "mistral", "  - {name: model, envRef: MODEL}\n").replace("v1\n", "v2\n"),
        component("vault", "secretstores.hashicorp.vault", "", ""),
    ]
    .concat()
}

#[tokio::test]
async fn stand_in_answers_for_other_providers() {
    let sidecar = start(&[], &resources_of_other_providers(), &["--stand-in", "echo"]);
    assert_eq!(model(&sidecar, "gpt").await, "gpt-5-nano");
    assert_eq!(model(&sidecar, "claude").await, "claude-sonnet-4");
    assert_eq!(model(&sidecar, "mistral").await, "echo");
    let expected = [
        "claude conversation.anthropic v1",
        "gpt conversation.openai v1",
        "mistral conversation.mistral v2",
    ];
    assert_eq!(served(&sidecar).await, expected);
    assert_snapshot!(checked(&[], &resources_of_other_providers(), &["--stand-in=echo"]), @"
    a.yaml:37:1: skipped: component vault has type secretstores.hashicorp.vault, which is not a conversation type
    3 components, 0 errors, 0 warnings
    -- exit 0
    ");
}

#[tokio::test]
async fn stand_ins_have_the_faults_of_their_components() {
    let fault = r#"  - {name: faults, value: '{"fail_first": 1, "error": {"code": "ABORTED"}}'}"#;
    let yaml = component("gpt", "conversation.openai", &format!("{fault}\n"), "");
    let sidecar = start(&[], &yaml, &["--stand-in", "echo"]);
    let asked = request([user("Hello, world!")]);
    let asked = ConversationRequestAlpha2 { name: "gpt".to_owned(), ..asked };
    assert_eq!(sidecar.converse(asked).await.unwrap_err().code(), Code::Aborted);
    model(&sidecar, "gpt").await;
}

#[test]
fn rejects_other_providers_without_a_stand_in() {
    assert_snapshot!(checked(&[], &resources_of_other_providers(), &[]), @r#"
    a.yaml:5:9: unknown spec.type "conversation.openai"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    a.yaml:17:9: unknown spec.type "conversation.anthropic"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    a.yaml:29:9: unknown spec.type "conversation.mistral"; expected one of: conversation.echo, conversation.scripted; or use --stand-in echo, --replay or --upstream
    a.yaml:37:1: skipped: component vault has type secretstores.hashicorp.vault, which is not a conversation type
    3 components, 3 errors, 0 warnings
    -- exit 1
    "#);
}

/// As in daprd, the path of a secrets file is relative to the working directory.
#[test]
fn warns_with_the_folder_if_a_relative_secrets_file_is_missing() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/components/echo-secret.yaml");
    let folder = scratch("elsewhere");
    let output = Process::start(mynah().current_dir(&folder).args(["check", sample])).wait();
    let stdout = output.stdout.replace(sample, "[sample]");
    assert_snapshot!(stdout.replace(folder.to_str().unwrap(), "[folder]"), @r#"
    [sample]:27:15: model: secret store "local-secrets": components/secrets/local.json (relative to [folder]) cannot be read: No such file or directory (os error 2) (warning)
    1 component, 0 errors, 1 warning
    "#);
}

/// A file can be given with the folder that it is in.
#[test]
fn reads_a_file_of_several_paths_once() {
    let folder = scratch("checked");
    let file = folder.join("a.yaml");
    fs::write(&file, component("echo", "conversation.echo", "", "")).unwrap();
    let output = Process::start(mynah().arg("check").args([&file, &folder, &file])).wait();
    assert_eq!(output.stdout, "1 component, 0 errors, 0 warnings\n");
}
