//! Tests of values from environment variables and secret stores.

use std::path::Path;

use super::*;

const VARIABLES: &[(&str, &str)] = &[
    ("MODEL", "parrot"),
    ("KEPT", "hush-hush"),
    ("EMPTY", ""),
    ("DAPR_MODEL", "hush-hush"),
    ("APP_MODEL", "magpie"),
];

fn store(name: &str, kind: &str, metadata: &str) -> String {
    let store = echo(name, metadata).replace("conversation.echo", &format!("secretstores.{kind}"));
    format!("{store}---\n")
}

/// Returns the YAML of an echo component that uses a secret store.
fn with_secrets(store: &str, metadata: &str) -> String {
    echo("e", metadata) + &format!("auth: {{secretStore: {store}}}\n")
}

fn model_with(store: &str, metadata: &str) -> String {
    settings_in(&context_with(VARIABLES), &(store.to_owned() + metadata)).model
}

/// Writes a file of secrets. Returns its folder and the metadata item that names the file.
fn secrets_file(json: &str) -> (TempDir, String) {
    let folder = folder(&[("secrets.json", json.as_bytes())]);
    let item = item(&folder.path().join("secrets.json"));
    (folder, item)
}

fn item(file: &Path) -> String {
    format!("  - {{name: secretsFile, value: {}}}\n", file.display())
}

#[test]
fn reads_environment_variables() {
    let model = |item: &str| settings_in(&context_with(VARIABLES), &echo("e", item)).model;
    assert_eq!(model("  - {name: model, envRef: MODEL}\n"), "parrot");
    assert_eq!(model("  - {name: model, value: ~, ENVREF: MODEL}\n"), "parrot");
    assert_eq!(model("  - {name: model, value: x, envRef: MODEL}\n"), "x");
    assert_eq!(model("  - {name: model, value: '', envRef: MODEL}\n"), "echo", "as daprd");
    assert_eq!(model("  - {name: model, envRef: MODEL, secretKeyRef: {name: s}}\n"), "parrot");
}

#[test]
fn warns_of_unreadable_variables() {
    let text = echo(
        "e",
        "  - {name: model, envRef: DAPR_MODEL}\n  - {name: mode, envRef: NOWHERE}\n  \
         - {name: arguments, envRef: EMPTY}\n  - {name: key, envRef: APP_API_TOKEN}\n",
    );
    let context = context_with(VARIABLES);
    assert_snapshot!(outcome_in(&context, &[("a.yaml", &text)]), @r#"
    + e conversation.echo
    Warning a.yaml:9:27: model: components may not read the environment variable "DAPR_MODEL"; APP_API_TOKEN, DAPR_* and names with spaces are not allowed
    Warning a.yaml:10:26: mode: the environment variable "NOWHERE" is not set
    Warning a.yaml:12:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    "#);
    let context = context_with(&[("DAPR_ENV_KEYS", "EMPTY"), ("NOWHERE", "x"), ("EMPTY", "")]);
    assert_snapshot!(outcome_in(&context, &[("a.yaml", &text)]), @r#"
    + e conversation.echo
    Warning a.yaml:9:27: model: components may not read the environment variable "DAPR_MODEL"; APP_API_TOKEN, DAPR_* and names with spaces are not allowed
    Warning a.yaml:10:26: mode: components may not read the environment variable "NOWHERE"; add it to DAPR_ENV_KEYS
    Warning a.yaml:12:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    "#);
}

#[test]
fn reads_secrets_from_environment_variables() {
    let store = store("s", "local.ENV", "  - {name: Prefix, value: APP_}\n");
    let metadata = "  - {name: model, secretKeyRef: {name: MODEL}}\n";
    assert_eq!(model_with(&store, &with_secrets("s", metadata)), "magpie");
    // The order of components and stores does not matter.
    let (first, second) = (with_secrets("s", metadata) + "---\n", store);
    assert_eq!(model_with(&first, &second), "magpie");
}

#[test]
fn reads_secrets_from_a_file() {
    let (_folder, file) = secrets_file(r#"{"model": "jay", "deep": {"model": "crow"}}"#);
    let single = store("s", "local.file", &file);
    for (secret, model) in [("{name: model}", "jay"), ("{name: 'deep:model'}", "crow")] {
        let metadata = format!("  - {{name: model, secretKeyRef: {secret}}}\n");
        assert_eq!(model_with(&single, &with_secrets("s", &metadata)), model);
    }
    let multiple = store("s", "local.file", &(file + "  - {name: multiValued, value: 'yes'}\n"));
    let metadata = "  - {name: model, secretKeyRef: {name: deep, key: model}}\n";
    assert_eq!(model_with(&multiple, &with_secrets("s", metadata)), "crow");
}

/// As in daprd. Over an `envRef`, by contrast, the value takes precedence.
#[test]
fn secret_takes_precedence_over_value() {
    let metadata = |secret: &str| {
        with_secrets("s", &format!("  - {{name: model, value: x, secretKeyRef: {{{secret}}}}}\n"))
    };
    let store = store("s", "local.env", "");
    assert_eq!(model_with(&store, &metadata("name: MODEL")), "parrot");
    assert_eq!(model_with(&store, &metadata("name: NOWHERE")), "x");
    assert_eq!(model_with(&store, &metadata("key: MODEL")), "x");
}

#[test]
fn warns_of_missing_secrets() {
    let keys = ["model", "mode", "chunkDelay", "arguments"];
    let items = |secrets: [&str; 4]| {
        let item = |(key, secret)| format!("  - {{name: {key}, secretKeyRef: {{{secret}}}}}\n");
        keys.into_iter().zip(secrets).map(item).collect::<String>()
    };
    let variables = items(["name: NOWHERE", "name: DAPR_MODEL", "name: MODEL, key: x", "key: x"]);
    let (_folder, file) = secrets_file(r#"{"a": 42, "b": "", "c": "d"}"#);
    let in_file = items(["name: a", "name: b", "name: c, key: x", "name: d"]);
    let text = [
        store("variables", "local.env", "") + &with_secrets("variables", &variables),
        store("file", "local.file", &file)
            + &with_secrets("file", &in_file).replace("name: e\n", "name: f\n"),
        echo("g", "  - {name: model, secretKeyRef: {name: x}}\n"),
    ];
    let context = context_with(VARIABLES);
    assert_snapshot!(outcome_in(&context, &[("a.yaml", &text.join("---\n"))]), @r#"
    + e conversation.echo
    + f conversation.echo
    + g conversation.echo
    Warning a.yaml:18:40: model: secret store "variables": the environment variable "NOWHERE" is not set
    Warning a.yaml:19:39: mode: secret store "variables": components may not read the environment variable "DAPR_MODEL"; APP_API_TOKEN and DAPR_* are not allowed
    Warning a.yaml:20:45: chunkDelay: secret store "variables": secret "MODEL" has no key "x"
    Warning a.yaml:21:37: secretKeyRef is ignored: it has no name
    Warning a.yaml:42:40: model: secret store "file": secret "a" is not text; quote it
    Warning a.yaml:43:39: mode: secret store "file": secret "b" is empty
    Warning a.yaml:44:45: chunkDelay: secret store "file": secret "c" has no key "x"
    Warning a.yaml:45:44: arguments: secret store "file": secret "d" does not exist
    Warning a.yaml:56:40: model: secret "x" has no store; set auth.secretStore
    "#);
}

#[test]
fn warns_of_a_broken_store_where_it_is_used() {
    let large = vec![b' '; (4 << 20) + 1];
    let folder = folder(&[
        ("large.json", &large),
        ("list.json", b"[\"hush-hush\"]"),
        ("torn.json", b"{\"hush-hush\""),
    ]);
    let file = |name: &str| item(&folder.path().join(name));
    let stores = [
        ("folder", item(folder.path())),
        ("large", file("large.json")),
        ("list", file("list.json")),
        ("nothing", file("nothing.json")),
        ("looked-up", "  - {name: secretsFile, envRef: NAMESPACE}\n".to_owned()),
        ("pod", "  - {name: secretsFile, value: '{podName}'}\n".to_owned()),
        ("torn", file("torn.json")),
        ("unset", String::new()),
        ("unused", file("nothing.json")),
    ];
    let text: Vec<_> = stores
        .iter()
        .map(|(name, metadata)| store(name, "local.file", metadata))
        .chain(stores.iter().take(8).map(|(name, _)| {
            let metadata = "  - {name: model, secretKeyRef: {name: x}}\n";
            with_secrets(name, metadata).replace("name: e\n", &format!("name: e-{name}\n"))
        }))
        .collect();
    let text = text.join("---\n");
    let report =
        outcome(&[("a.yaml", &text)]).replace(&folder.path().display().to_string(), "[dir]");
    assert_snapshot!(report, @r#"
    + e-folder conversation.echo
    + e-large conversation.echo
    + e-list conversation.echo
    + e-nothing conversation.echo
    + e-looked-up conversation.echo
    + e-pod conversation.echo
    + e-torn conversation.echo
    + e-unset conversation.echo
    Warning a.yaml:107:40: model: secret store "folder": [dir] cannot be read: not a regular file
    Warning a.yaml:118:40: model: secret store "large": [dir]/large.json cannot be read: larger than 4 MiB
    Warning a.yaml:129:40: model: secret store "list": [dir]/list.json is not a JSON object
    Warning a.yaml:140:40: model: secret store "nothing": [dir]/nothing.json cannot be read: No such file or directory (os error 2)
    Warning a.yaml:151:40: model: secret store "looked-up": secretsFile cannot be read: No such file or directory (os error 2)
    Warning a.yaml:162:40: model: secret store "pod": secretsFile: {podName} requires POD_NAME to be set
    Warning a.yaml:173:40: model: secret store "torn": [dir]/torn.json is not valid JSON: EOF while parsing an object at line 1 column 12
    Warning a.yaml:184:40: model: secret store "unset": secretsFile is missing
    "#);
}

#[test]
fn rejects_missing_and_unsupported_stores() {
    let metadata = "  - {name: model, secretKeyRef: {name: x}}\n";
    let using = |store: &str| {
        with_secrets(store, metadata).replace("name: e\n", &format!("name: e-{store}\n"))
    };
    let others = store("others", "local.env", "").replace("---\n", "scopes: [till]\n---\n");
    let text = [
        store("vault", "hashicorp.vault", ""),
        others,
        store("late", "local.env", "").replace("version: v1", "version: v2"),
        ["vault", "others", "late", "missing"].map(using).join("---\n"),
    ];
    assert_snapshot!(outcome(&[("a.yaml", &text.concat())]), @r#"
    Info a.yaml:1:1: skipped: component vault has type secretstores.hashicorp.vault, which is not a conversation type
    Info a.yaml:10:1: skipped: component others is scoped to other applications: till
    Info a.yaml:20:1: skipped: component late has type secretstores.local.env, which is not a conversation type
    ! a.yaml:37:40: model: secret store "vault" has type secretstores.hashicorp.vault, which is not supported; use secretstores.local.env or secretstores.local.file, version v1
    ! a.yaml:48:40: model: secret store "others" is not loaded; add a component with this name and type secretstores.local.env or secretstores.local.file
    ! a.yaml:59:40: model: secret store "late" has type secretstores.local.env, which is not supported; use secretstores.local.env or secretstores.local.file, version v1
    ! a.yaml:70:40: model: secret store "missing" is not loaded; add a component with this name and type secretstores.local.env or secretstores.local.file
    "#);
}

/// Secrets are looked up only for the keys of the component's type.
#[test]
fn does_not_resolve_unknown_keys() {
    let text = with_secrets("missing", "  - {name: key, secretKeyRef: {name: x}}\n");
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @r#"
    + e conversation.echo
    Warning a.yaml:9:5: unknown metadata key "key" for conversation.echo; expected one of: mode, model, chunkDelay, arguments, optional, chains, piiScrubber, tools, maxTurns, toolMemory, faults, history
    "#);
}

#[test]
fn rejects_references_of_the_wrong_type() {
    let text = with_secrets(
        "[s]",
        "  - {name: model, secretKeyRef: s}\n  - {name: mode, secretKeyRef: {nmae: s}}\n  \
         - {name: arguments, envRef: [a]}\n",
    );
    assert_snapshot!(outcome(&[("a.yaml", &text)]), @r#"
    Warning a.yaml:10:32: secretKeyRef is ignored: it has no name
    Warning a.yaml:11:31: arguments: the environment variable "[\"a\"]" is not set
    ! a.yaml:9:33: secretKeyRef must be a mapping {name, key}
    ! a.yaml:11:31: envRef must be text, not a list or a mapping
    ! a.yaml:12:21: auth.secretStore must be text, not a list or a mapping
    "#);
}

#[test]
fn errors_do_not_show_secrets() {
    let metadata = "  - {name: mode, secretKeyRef: {name: KEPT}}\n  - {name: arguments, envRef: KEPT}\n  \
                    - {name: chunkDelay, envRef: KEPT}\n  - {name: piiScrubber, envRef: KEPT}\n";
    let text = store("s", "local.env", "") + &with_secrets("s", metadata);
    let context = context_with(VARIABLES);
    let report = outcome_in(&context, &[("a.yaml", &text)]);
    assert!(!report.contains("hush"), "{report}");
    assert!(!format!("{context:?}").contains("hush"));
    assert_snapshot!(report, @"
    ! a.yaml:18:39: mode: the secret is invalid; use mynah or daprd
    ! a.yaml:19:31: arguments: the value of KEPT is invalid; use schema or literal
    ! a.yaml:20:32: chunkDelay: the value of KEPT is not a duration; use Go's format, such as 50ms or 1.5s
    ! a.yaml:21:33: piiScrubber: the value of KEPT is invalid; use dapr or strict
    ");
}
