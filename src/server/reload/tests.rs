//! What no clock on the wall could wait for.

use std::fs;

use super::*;
use crate::{
    api::access::Access,
    base::clock,
    engine::{dispatch::Component, metrics::Metrics},
};

fn sidecar(reload: &Reload) -> Arc<Sidecar> {
    let metrics = Metrics::new("mynah");
    let components = reload.components().iter().cloned();
    Arc::new(Sidecar {
        app_id: "mynah".to_owned(),
        components: components.map(|spec| Component::of(spec, &metrics)).collect(),
        max_body_size: 4 << 20,
        access: Access { token: None, browser_hosts: None },
        metrics,
        drain: Default::default(),
        labels: Default::default(),
    })
}

fn component(name: &str) -> String {
    format!(
        "apiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: {name}}}\n\
         spec: {{type: conversation.echo}}\n"
    )
}

/// Nothing tells of an edit behind a link that leads out of the folder.
#[cfg(unix)]
#[tokio::test(start_paused = true)]
async fn what_nobody_tells_of_is_found_within_a_minute() {
    let folder = tempfile::tempdir().unwrap();
    let (resources, elsewhere) = (folder.path().join("resources"), folder.path().join("elsewhere"));
    fs::create_dir(&resources).unwrap();
    fs::create_dir(&elsewhere).unwrap();
    let with_same = |name| [component("same"), component(name)].join("---\n");
    fs::write(elsewhere.join("a.yaml"), with_same("before")).unwrap();
    std::os::unix::fs::symlink("../elsewhere/a.yaml", resources.join("a.yaml")).unwrap();

    let reload = Reload::new(vec![resources], Context::default()).unwrap();
    let sidecar = sidecar(&reload);
    let running = tokio::spawn(reload.run(sidecar.clone()));
    let second = Duration::from_secs(1);
    clock::pause(second).await;
    let same = sidecar.components.find("same").unwrap();
    fs::write(elsewhere.join("a.yaml"), with_same("after")).unwrap();
    clock::pause(58 * second).await;
    assert!(sidecar.components.find("before").is_ok(), "nobody told");
    clock::pause(4 * second).await;
    assert!(sidecar.components.find("after").is_ok());
    assert!(sidecar.components.find("before").is_err());
    let unchanged = sidecar.components.find("same").unwrap();
    assert!(Arc::ptr_eq(&same, &unchanged), "the very same component");
    running.abort();
}
