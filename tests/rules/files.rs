//! Rules in several files and folders.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::{ask, component};
use crate::support::{
    Sidecar,
    http::direct_client,
    process::{run, wait_until},
    scratch,
};

/// Writes files into a new folder.
fn folder(files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch("files");
    for (name, text) in files {
        let file = folder.join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    folder
}

/// Starts a sidecar with the rules at these paths of a folder.
fn serve(folder: &Path, paths: &[&str], flags: &[&str]) -> Sidecar {
    let paths: Vec<_> = paths.iter().map(|path| folder.join(path).display().to_string()).collect();
    let rules = paths.iter().flat_map(|path| ["--rules", path]);
    Sidecar::start_with(&rules.chain(flags.iter().copied()).collect::<Vec<_>>())
}

/// Returns a rule that answers with a text.
fn rule(user: &str, answer: &str) -> String {
    format!("rules:\n- {{match: {{user: {user}}}, respond: {answer}}}\n")
}

const FIXTURES: &str = r#"{"fixtures": [
  {"match": {"userMessage": "shared"}, "response": {"content": "from fixtures"}},
  {"match": {"userMessage": "lamp"}, "response": {"content": "The lamp is dimmed."}}
]}"#;

#[tokio::test]
async fn files_are_tried_in_the_order_of_the_flags() {
    let second = rule("shared", "second") + "- {match: {user: only}, respond: only second}\n";
    let folder = folder(&[("z.yaml", &rule("shared", "first")), ("a.yaml", &second)]);
    let sidecar = serve(&folder, &["z.yaml", "a.yaml"], &[]);
    assert_eq!(ask(&sidecar, "shared").await, "first");
    assert_eq!(ask(&sidecar, "only").await, "only second");
    assert_eq!(ask(&sidecar, "other").await, "other");
}

#[tokio::test]
async fn a_priority_counts_in_all_files() {
    let urgent = rule("shared", "urgent") + "  priority: 2\n";
    let urgent = urgent.replace(
        "- {match: {user: shared}, respond: urgent}",
        "- match: {user: shared}\n  respond: urgent",
    );
    let folder = folder(&[("a.yaml", &rule("shared", "first")), ("b.yaml", &urgent)]);
    let sidecar = serve(&folder, &["a.yaml", "b.yaml"], &[]);
    assert_eq!(ask(&sidecar, "shared").await, "urgent");
}

#[tokio::test]
async fn folders_are_read_in_the_order_of_names_and_subfolders_last() {
    let folder = folder(&[
        ("all/b.json", FIXTURES),
        ("all/c.yml", &rule("shared", "from c")),
        (
            "all/a/deep/first.yaml",
            &(rule("shared", "from deep") + "- {match: {user: deep}, respond: deep}\n"),
        ),
        ("all/.hidden/x.yaml", &rule("hidden", "found")),
        ("all/.x.yaml", &rule("hidden", "found")),
        ("all/notes.md", "rules:\n"),
        ("all/package.json", r#"{"name": "fixtures"}"#),
        (
            "all/embeddings.json",
            r#"{"fixtures": [{"match": {"inputText": "x"}, "response": {"embedding": [1]}}]}"#,
        ),
    ]);
    // A link to what has been read already.
    symlink("..", folder.join("all/a/up")).unwrap();
    let sidecar = serve(&folder, &["all"], &[]);
    assert_eq!(ask(&sidecar, "shared").await, "from fixtures");
    assert_eq!(ask(&sidecar, "the lamp").await, "The lamp is dimmed.");
    assert_eq!(ask(&sidecar, "deep").await, "deep");
    assert_eq!(ask(&sidecar, "hidden").await, "hidden");
    let log = sidecar.log().replace(folder.to_str().unwrap(), "[folder]");
    assert_snapshot!(log, @"
    INFO [folder]/all/notes.md: skipped: not a .yaml, .yml or .json file
    INFO [folder]/all/package.json: skipped: no list `rules`, `expect` or `fixtures`
    WARN [folder]/all/embeddings.json:1:25: skipped: the condition `inputText` never holds, because fixtures answer chats only
    ");
}

#[tokio::test]
async fn rules_of_a_component_can_be_a_folder() {
    let all = component("echo", "{name: rules, value: rules}");
    let folder = folder(&[
        ("components/all.yaml", &all),
        ("components/rules/a.yaml", &rule("a", "from a")),
        ("components/rules/b.yaml", &rule("b", "from b")),
    ]);
    let resources = folder.join("components");
    let sidecar = Sidecar::start_with(&["--resources-path", resources.to_str().unwrap()]);
    assert_eq!(ask(&sidecar, "a").await, "from a");
    assert_eq!(ask(&sidecar, "b").await, "from b");
}

#[tokio::test]
async fn all_files_and_folders_are_watched() {
    let folder = folder(&[("one.yaml", &rule("one", "1")), ("all/two.yaml", &rule("two", "2"))]);
    let sidecar = serve(&folder, &["one.yaml", "all"], &[]);
    let becomes = async |prompt: &str, answer: &str| {
        let asked = async || (ask(&sidecar, prompt).await == answer).then_some(());
        wait_until(asked, "the rules are not reloaded").await;
    };
    fs::write(folder.join("one.yaml"), rule("one", "first")).unwrap();
    becomes("one", "first").await;
    fs::write(folder.join("all/two.yaml"), rule("two", "second")).unwrap();
    becomes("two", "second").await;
    fs::write(folder.join("all/three.yaml"), rule("three", "third")).unwrap();
    becomes("three", "third").await;
    fs::create_dir(folder.join("all/more")).unwrap();
    fs::write(folder.join("all/more/four.yaml"), rule("four", "fourth")).unwrap();
    becomes("four", "fourth").await;
    fs::write(folder.join("all/more/four.yaml"), rule("four", "last")).unwrap();
    becomes("four", "last").await;
    fs::remove_file(folder.join("all/three.yaml")).unwrap();
    becomes("three", "three").await;
    // An invalid file keeps all rules.
    fs::write(folder.join("one.yaml"), "rules: 1").unwrap();
    wait_until(async || sidecar.log().contains("must be a list").then_some(()), "no error").await;
    assert_eq!(ask(&sidecar, "one").await, "first");
}

#[tokio::test]
async fn counts_belong_to_the_file() {
    let counted = "rules:\n- {name: n, match: {user: NAME}, sequence: [NAME-1, NAME-2]}\n";
    let [a, b] = ["aa", "bb"].map(|name| counted.replace("NAME", name));
    let folder = folder(&[("a.yaml", &a), ("b.yaml", &b)]);
    let sidecar = serve(&folder, &["a.yaml", "b.yaml"], &[]);
    assert_eq!(ask(&sidecar, "aa").await, "aa-1");
    assert_eq!(ask(&sidecar, "bb").await, "bb-1");
    assert_eq!(ask(&sidecar, "aa").await, "aa-2");
}

#[tokio::test]
async fn reports_name_the_file() {
    let expected = "expect:\n- {match: {user: a}, count: 1}\n";
    let folder = folder(&[
        ("a.yaml", &(rule("a", "from a") + expected)),
        ("b.yaml", &(rule("b", "from b") + expected)),
    ]);
    let sidecar = serve(&folder, &["a.yaml", "b.yaml"], &["--strict"]);
    ask(&sidecar, "a").await;
    let [file_a, file_b] = ["a.yaml", "b.yaml"].map(|it| folder.join(it).display().to_string());
    let error = ask(&sidecar, "c").await;
    assert!(error.contains(&format!("the nearest is rule 1 of {file_a}: user: ")), "{error}");
    let call = async |method: &str, path: &str, body: Value| -> Value {
        let url = sidecar.url(&format!("/mynah/v1/{path}"));
        let call = direct_client().request(method.parse().unwrap(), url);
        sidecar.send(call.body(body.to_string())).await.json()
    };
    let journal = call("GET", "journal", Value::Null).await;
    let place = format!("{file_a}:2");
    let answered = json!([{"rule": "1", "file": file_a, "place": place}]);
    assert_eq!(journal["entries"][0]["answered_by"], answered, "{journal}");
    let request = json!({"inputs": [{"messages": [{"ofUser": {"content": [{"text": "b"}]}}]}]});
    let explained = call("POST", "explain", json!({"request": request})).await;
    let file = |index: usize| explained["rules"][index]["file"].clone();
    assert_eq!((file(0), file(1)), (json!(file_a), json!(file_b)), "{explained}");
    let verified = call("POST", "verify", json!({"unused": true, "no_unmatched": true})).await;
    assert_eq!(verified["unused"], json!([{"file": file_b, "rule": "1", "steps": []}]));
    assert_eq!(verified["unmatched"][0]["nearest"]["file"], json!(file_a), "{verified}");
}

#[test]
fn errors_of_all_files_are_shown() {
    let folder = folder(&[
        ("a.yaml", "rules: 1"),
        ("all/b.yaml", "rules: 2"),
        ("all/c.json", ""),
        ("empty/notes.md", ""),
    ]);
    let path = |name: &str| folder.join(name).display().to_string();
    let [a, all, empty, missing] = ["a.yaml", "all", "empty", "missing.yaml"].map(path);
    let output =
        run(&["serve", "--rules", &a, "--rules", &all, "--rules", &empty, "--rules", &missing]);
    assert_eq!(output.code, Some(1));
    let output = output.stderr.replace(folder.to_str().unwrap(), "[folder]");
    assert_snapshot!(output, @"
     INFO [folder]/empty/notes.md: skipped: not a .yaml, .yml or .json file
    mynah: the configuration cannot be loaded:
      [folder]/empty: has no file of rules; expected .yaml, .yml or .json files with a list `rules`, `expect` or `fixtures`
      [folder]/missing.yaml: the rules file cannot be read: No such file or directory (os error 2)
      [folder]/a.yaml:1:8: rules: must be a list, not 1
      [folder]/all/b.yaml:1:8: rules: must be a list, not 2
      [folder]/all/c.json:1:1: the rules file is empty; expected a list `rules` or `expect`
    ");
}
