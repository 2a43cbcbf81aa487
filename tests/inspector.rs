//! The inspector: how the page is served, and reports on journal files.

use std::{fs, path::Path};

use serde_json::Value;

use crate::support::{
    Sidecar,
    http::{Reply, direct_client},
    messages::{request, user},
    mynah,
    process::{Output, Process, poll, run},
    scratch,
};

const DATA: &str = r#"<script type="application/json" id="data">"#;

async fn get(sidecar: &Sidecar, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut request = direct_client().get(sidecar.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    sidecar.send(request).await
}

/// Returns the data in a page.
fn data(page: &str) -> Value {
    let (_, data) = page.split_once(DATA).unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

#[tokio::test]
async fn is_served_without_a_token_and_without_data() {
    let sidecar = Sidecar::start_in(&[("DAPR_API_TOKEN", "secret-token")], &[]);
    let page = get(&sidecar, "/mynah/", &[]).await;
    assert_eq!((page.status, page.content_type.as_str()), (200, "text/html; charset=utf-8"));
    assert_eq!(data(&page.body), Value::Null);
    assert!(!page.body.contains("secret-token"));
    assert_eq!(get(&sidecar, "/mynah/v1/journal/events", &[]).await.status, 401);
}

#[tokio::test]
async fn other_sites_can_neither_frame_nor_rebind_it() {
    let sidecar = Sidecar::start();
    let response = direct_client().get(sidecar.url("/mynah/")).send().await.unwrap();
    for (name, value) in [
        ("content-security-policy", "frame-ancestors 'none'"),
        ("cache-control", "no-cache"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ] {
        assert_eq!(response.headers()[name], value);
    }
    assert_eq!(get(&sidecar, "/mynah/", &[("host", "evil.example")]).await.status, 403);
    assert_eq!(get(&sidecar, "/mynah/", &[("sec-fetch-site", "cross-site")]).await.status, 403);
}

#[tokio::test]
async fn has_one_address() {
    let sidecar = Sidecar::start();
    assert_eq!(get(&sidecar, "/mynah", &[]).await.body, get(&sidecar, "/mynah/", &[]).await.body);
    let reply = sidecar.post("/mynah/", "").await;
    let expected = r#"{"error":"POST /mynah/ is not served; use GET"}"#;
    assert_eq!((reply.status, reply.body.as_str()), (405, expected));
    assert_eq!(get(&sidecar, "/mynah/other", &[]).await.status, 404);
    let session = direct_client().put(sidecar.url("/mynah/v1/sessions/a"));
    let http = sidecar.send(session).await.json()["http"].as_str().unwrap().to_owned();
    let at_session = direct_client().get(format!("http://{http}/mynah/"));
    assert_eq!(sidecar.send(at_session).await.status, 404);
}

#[tokio::test]
async fn can_be_turned_off() {
    let sidecar = Sidecar::start_with(&["--inspector=false"]);
    assert_eq!(get(&sidecar, "/mynah/", &[]).await.status, 404);
    assert!(!sidecar.stdout().contains("inspector"), "{}", sidecar.stdout());
    assert_eq!(get(&sidecar, "/mynah/v1/journal", &[]).await.status, 200);
}

/// Writes the journal of a sidecar that answers these messages.
async fn journal_of(messages: &[&str], file: &Path) {
    let sidecar = Sidecar::start_with(&["--journal", file.to_str().unwrap()]);
    for message in messages {
        sidecar.converse(request([user(message)])).await.unwrap();
    }
    let is_written = || fs::read_to_string(file).unwrap().lines().count() == messages.len();
    poll(|| is_written().then_some(()), "the journal was not written");
}

fn report(file: &Path, out: &Path) -> Output {
    run(&["report", file.to_str().unwrap(), "--out", out.to_str().unwrap()])
}

#[tokio::test]
async fn reports_are_pages_with_the_calls_of_a_file() {
    let folder = scratch("report");
    let (file, out) = (folder.join("journal.jsonl"), folder.join("report.html"));
    journal_of(&["Hi", "</script><b>"], &file).await;
    let mut lines = fs::read_to_string(&file).unwrap();
    let entries: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    // A process that was killed leaves an incomplete line.
    lines.push_str("{\"number\":3,\"outc");
    fs::write(&file, lines).unwrap();
    let output = report(&file, &out);
    assert_eq!(output.code, Some(0), "{}", output.stderr);
    let data = data(&fs::read_to_string(&out).unwrap());
    assert_eq!(data["entries"], Value::from(entries));
    assert_eq!((&data["source"], &data["skipped"]), (&"journal.jsonl".into(), &1.into()));
    assert_eq!(data["omitted"], 0);
}

#[test]
fn reports_can_be_written_to_the_current_folder() {
    let folder = scratch("report");
    fs::write(folder.join("calls.jsonl"), "{\"number\":1,\"outcome\":\"ok\"}\n").unwrap();
    let mut command = mynah();
    command.args(["report", "calls.jsonl", "--out", "report.html"]).current_dir(&folder);
    let output = Process::start(&mut command).wait();
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""));
    assert!(folder.join("report.html").exists());
}

#[test]
fn reports_need_a_file_with_calls() {
    let folder = scratch("report");
    let (file, out) = (folder.join("notes.txt"), folder.join("report.html"));
    let output = report(&file, &out);
    let expected = format!("mynah: cannot read {}: No such file", file.display());
    assert!(output.stderr.starts_with(&expected), "{}", output.stderr);
    assert_eq!(output.code, Some(1));
    fs::write(&file, "notes\n").unwrap();
    let expected = "has no calls; expected a file that mynah serve --journal has written\n";
    let output = report(&file, &out);
    assert!(output.stderr.ends_with(expected), "{}", output.stderr);
    assert!(!out.exists());
}

#[test]
fn reports_have_the_newest_calls() {
    let folder = scratch("report");
    let (file, out) = (folder.join("journal.jsonl"), folder.join("report.html"));
    let line = |number| format!("{{\"number\":{number},\"outcome\":\"ok\"}}\n");
    fs::write(&file, (1..=10_003).map(line).collect::<String>()).unwrap();
    assert!(report(&file, &out).code == Some(0));
    let data = data(&fs::read_to_string(&out).unwrap());
    assert_eq!((&data["omitted"], &data["entries"][0]["number"]), (&3.into(), &4.into()));
}

#[tokio::test]
async fn journal_files_can_be_inspected() {
    let file = scratch("inspect").join("journal.jsonl");
    journal_of(&["Hi"], &file).await;
    let process = Process::start(mynah().args(["inspect", file.to_str().unwrap()]));
    let line = process.first_line();
    let (name, url) = line.rsplit_once(" is at ").unwrap();
    assert_eq!(name, file.to_str().unwrap());
    let page = direct_client().get(url).send().await.unwrap().text().await.unwrap();
    assert_eq!(data(&page)["entries"][0]["response"]["text"], "Hi");
    let rebound = direct_client().get(url).header("host", "evil.example").send().await.unwrap();
    assert_eq!(rebound.status(), 403);
    let output = process.terminate();
    assert_eq!(output.code, Some(0), "{}", output.stderr);
}

#[test]
fn run_prints_its_address() {
    let output = run(&["run", "--inspect", "--", "true"]);
    assert_eq!(output.code, Some(0));
    let expected = "mynah: the inspector is at http://127.0.0.1:";
    assert!(output.stderr.starts_with(expected), "{}", output.stderr);
    assert!(output.stderr.trim_end().ends_with("/mynah/"));
}
