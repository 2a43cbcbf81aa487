//! Tests of reloads that would take a minute in real time.

use std::fs;

use super::*;
use crate::base::clock;

fn component(name: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec: {{type: conversation.echo}}\n"
    )
}

/// Edits to a file outside the folder are not reported, even if the folder has a link to the file.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn polling_finds_unreported_edits() {
    let folder = tempfile::tempdir().unwrap();
    let (resources, elsewhere) = (folder.path().join("resources"), folder.path().join("elsewhere"));
    fs::create_dir(&resources).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    let with_same = |name| [component("same"), component(name)].join("---\n");
    fs::write(elsewhere.join("a.yaml"), with_same("before")).unwrap();
    std::os::unix::fs::symlink("../elsewhere/a.yaml", resources.join("a.yaml")).unwrap();

    let reload = Reload::new(vec![resources], Context::default()).await.unwrap();
    let engine = Arc::new(Engine::new("mynah", reload.components()));
    let running = tokio::spawn(reload.run(engine.clone()));
    let second = Duration::from_secs(1);
    clock::pause(second).await;
    let same = engine.components.find("same").unwrap();
    fs::write(elsewhere.join("a.yaml"), with_same("after")).unwrap();
    clock::pause(58 * second).await;
    assert!(engine.components.find("before").is_ok(), "the edit is not reported");
    clock::pause(4 * second).await;
    assert!(engine.components.find("after").is_ok());
    assert!(engine.components.find("before").is_err());
    let unchanged = engine.components.find("same").unwrap();
    assert!(Arc::ptr_eq(&same, &unchanged), "an unchanged component stays the same object");
    running.abort();
}
