//! Tests of what instances may use and how much memory they take.

use std::fs;

use tonic::Code;

use super::{
    Pluggable,
    conversation::{answer, asking},
};
use crate::{mcp_tools::Server, support::scratch};

/// Otherwise all who may connect to the socket could start programs and read files.
#[tokio::test]
async fn instances_have_no_files_or_programs_without_a_folder() {
    let (server, files) = (Server::new(), scratch("component-files"));
    fs::write(files.join("secret.yaml"), "root: hash\n").unwrap();
    let file = files.join("secret.yaml");
    let tools = format!("tools:\n{}", server.entry(""));
    let path = file.to_str().unwrap();
    let rules = |path| [("provider", "scripted"), ("rules", path)];
    let refused = async |pluggable: &Pluggable, properties: &[(&str, &str)]| {
        let error = pluggable.init("a", properties).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        error.message().replace(files.to_str().unwrap(), "[files]")
    };
    let none = Pluggable::start();
    let folder = Pluggable::start_with(&["--component-files", files.join("a").to_str().unwrap()]);
    let errors = [
        refused(&none, &rules(path)).await,
        refused(&none, &[("tools", path)]).await,
        refused(&none, &[("tools", &tools)]).await,
        refused(&folder, &rules(path)).await,
        refused(&folder, &rules("../secret.yaml")).await,
        refused(&folder, &[("tools", "../secret.yaml")]).await,
    ];
    insta::assert_snapshot!(errors.join("\n"), @r#"
    invalid metadata: rules: "[files]/secret.yaml" is a file, which needs --component-files; or write its content as the value
    invalid metadata: tools: "[files]/secret.yaml" is a file, which needs --component-files; or write its content as the value
    invalid metadata: tools: line 2: an instance can start MCP servers only with --component-files; use a server with a url
    invalid metadata: rules: "[files]/secret.yaml" is not in the folder of --component-files
    invalid metadata: rules: "../secret.yaml" is not in the folder of --component-files
    invalid metadata: tools: "../secret.yaml" is not in the folder of --component-files
    "#);
    assert_eq!(server.pids(), "");
}

/// A client could otherwise use up the memory with instances, which stay.
#[tokio::test]
async fn instances_are_limited_in_memory() {
    let pluggable = Pluggable::start_with(&["--max-memory=64Mi"]);
    let large = "x".repeat(1 << 20);
    let mut accepted = 0;
    let error = loop {
        let name = format!("instance-{accepted}");
        match pluggable.init(&name, &[("model", &large)]).await {
            Ok(()) => accepted += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error.code(), Code::ResourceExhausted, "{error}");
    assert_eq!(accepted, 3);
    pluggable.init("instance-0", &[]).await.unwrap();
    pluggable.init("small", &[("model", &large)]).await.unwrap();
    assert_eq!(answer(&pluggable, "instance-0", asking("hi")).await, "hi");
}

#[tokio::test]
async fn patterns_of_instances_are_limited() {
    let pluggable = Pluggable::start();
    let rule = |number| format!("- {{match: {{user: {{matches: 'a{number}'}}}}, respond: b}}\n");
    let rules = |count| format!("rules:\n{}", (0..count).map(rule).collect::<String>());
    let init = async |name: &str, rules: &str| {
        pluggable.init(name, &[("provider", "scripted"), ("rules", rules)]).await
    };
    let error = init("many", &rules(2_000)).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    assert!(error.message().contains("there are too many patterns; expected at most 400"));
    let rules = rules(150);
    for _ in 0..20 {
        init("same", &rules).await.unwrap();
    }
    init("second", &rules).await.unwrap();
    let error = init("third", &rules).await.unwrap_err();
    assert_eq!(error.code(), Code::ResourceExhausted, "{error}");
    assert_eq!(answer(&pluggable, "same", asking("a7")).await, "b");
}

#[tokio::test]
async fn logs_a_few_of_many_warnings() {
    let pluggable = Pluggable::start();
    let keys: Vec<_> = (0..1_000).map(|number| format!("{number}{}", "k".repeat(2_000))).collect();
    let properties: Vec<_> = keys.iter().map(|key| (key.as_str(), "v")).collect();
    pluggable.init("a", &properties).await.unwrap();
    let log = pluggable.sidecar.log();
    assert_eq!(log.matches("unknown metadata key").count(), 20);
    assert!(log.contains("980 more warnings"));
    assert!(log.len() < 30_000, "{}", log.len());
}
