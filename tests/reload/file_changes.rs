//! Tests of reloading after editors and deployment tools change files.

use std::{
    fs::{self, File},
    io::Write,
    os::unix::fs::symlink,
};

use insta::assert_snapshot;

use super::{Served, component};
use crate::support::scratch;

fn served(model: &str) -> Served {
    Served::folder(&[("a.yaml", &component("echo", model))], &[])
}

#[tokio::test]
async fn waits_for_half_written_files() {
    let served = served("first");
    let text = component("echo", "second");
    let (half, rest) = text.split_at(text.find("model").unwrap());
    let mut file = File::create(served.file("a.yaml")).unwrap();
    served.wait_for_log("a.yaml: empty").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    file.write_all(half.as_bytes()).unwrap();
    served.wait_for_log("not valid YAML").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    file.write_all(rest.as_bytes()).unwrap();
    served.wait_for_model("echo", Some("second")).await;
    served.wait_for_log("components reloaded").await;
    assert_snapshot!(served.log(), @"
    ERROR [resources]/a.yaml: empty, possibly still being written; delete the file to remove its components
     WARN files not reloaded: the previous components and rules stay in use
    ERROR [resources]/a.yaml:4:44: not valid YAML: unclosed bracket '{'
     WARN files not reloaded: the previous components and rules stay in use
     INFO components reloaded: changed echo
    ");
}

#[tokio::test]
async fn ignores_new_empty_files() {
    let served = served("first");
    served.put("b.yaml", "");
    served.put("c.yaml", " \n\n");
    served.put("a.yaml", &component("echo", "second"));
    served.wait_for_model("echo", Some("second")).await;
}

/// Unlike an empty file, a file that contains only comments is complete.
#[tokio::test]
async fn removes_components_that_are_commented_out() {
    let served = served("first");
    served.put(
        "a.yaml",
        &component("echo", "first").replace('\n', "\n# ").replacen("api", "# api", 1),
    );
    served.wait_for_model("echo", None).await;
}

#[tokio::test]
async fn follows_an_editor_that_overwrites_the_file() {
    let served = served("first");
    for model in ["second", "third", "fourth"] {
        fs::write(served.file("a.yaml"), component("echo", model)).unwrap();
        served.wait_for_model("echo", Some(model)).await;
    }
}

#[tokio::test]
async fn follows_an_editor_that_replaces_the_file() {
    let served = served("first");
    for model in ["second", "third", "fourth"] {
        let (new, file) = (served.file(".a.yaml.tmp123"), served.file("a.yaml"));
        fs::write(&new, component("echo", model)).unwrap();
        fs::rename(new, file).unwrap();
        served.wait_for_model("echo", Some(model)).await;
    }
}

/// Before vim saves a file, it creates the file `4913` to check that the folder is writable.
#[tokio::test]
async fn follows_vim() {
    let served = served("first");
    for model in ["second", "third", "fourth"] {
        let (file, backup) = (served.file("a.yaml"), served.file("a.yaml~"));
        File::create(served.file("4913")).unwrap();
        fs::remove_file(served.file("4913")).unwrap();
        fs::rename(&file, &backup).unwrap();
        fs::write(&file, component("echo", model)).unwrap();
        fs::remove_file(backup).unwrap();
        served.wait_for_model("echo", Some(model)).await;
    }
}

#[tokio::test]
async fn survives_a_folder_that_is_moved_away_and_back() {
    let served = served("first");
    let away = served.parent.join("away");
    for (times, model) in [(1, "second"), (2, "third")] {
        fs::rename(&served.resources, &away).unwrap();
        served.wait_for_log_times(times, "cannot be read").await;
        assert!(served.model("echo").await.is_some());
        fs::write(away.join("a.yaml"), component("echo", model)).unwrap();
        fs::rename(&away, &served.resources).unwrap();
        served.wait_for_model("echo", Some(model)).await;
    }
    served.put("a.yaml", &component("echo", "last"));
    served.wait_for_model("echo", Some("last")).await;
}

#[tokio::test]
async fn follows_a_folder_that_is_created_again() {
    let served = served("first");
    for model in ["second", "third"] {
        fs::remove_dir_all(&served.resources).unwrap();
        fs::create_dir(&served.resources).unwrap();
        served.put("a.yaml", &component("echo", model));
        served.wait_for_model("echo", Some(model)).await;
    }
}

/// In a ConfigMap volume, files are links into a folder that is itself a link.
#[tokio::test]
async fn follows_kubernetes_volumes() {
    for path in ["volume", "volume/a.yaml"] {
        let parent = scratch("kubernetes");
        let volume = parent.join("volume");
        fs::create_dir(&volume).unwrap();
        let switch_to = |model: &str| {
            fs::create_dir(volume.join(format!("..{model}"))).unwrap();
            let file = volume.join(format!("..{model}/a.yaml"));
            fs::write(file, component("echo", model)).unwrap();
            symlink(format!("..{model}"), volume.join("..data_tmp")).unwrap();
            fs::rename(volume.join("..data_tmp"), volume.join("..data")).unwrap();
        };
        switch_to("first");
        symlink("..data/a.yaml", volume.join("a.yaml")).unwrap();
        let served = Served::path(parent, path, &[]);
        served.wait_for_model("echo", Some("first")).await;
        for (old, model) in [("first", "second"), ("second", "third")] {
            switch_to(model);
            fs::remove_dir_all(volume.join(format!("..{old}"))).unwrap();
            served.wait_for_model("echo", Some(model)).await;
        }
    }
}

/// The resources path is a link that points to a new folder after each release.
#[tokio::test]
async fn follows_a_link_to_a_folder() {
    let parent = scratch("link");
    let switch_to = |model: &str| {
        fs::create_dir(parent.join(model)).unwrap();
        fs::write(parent.join(model).join("a.yaml"), component("echo", model)).unwrap();
        symlink(model, parent.join("next")).unwrap();
        fs::rename(parent.join("next"), parent.join("live")).unwrap();
    };
    switch_to("first");
    let served = Served::path(parent.clone(), "live", &[]);
    for model in ["second", "third"] {
        switch_to(model);
        served.wait_for_model("echo", Some(model)).await;
    }
    fs::write(parent.join("third/a.yaml"), component("echo", "edited")).unwrap();
    served.wait_for_model("echo", Some("edited")).await;
}

#[tokio::test]
async fn follows_a_path_that_is_a_file() {
    let parent = scratch("file");
    fs::write(parent.join("one.yaml"), component("echo", "first")).unwrap();
    let served = Served::path(parent, "one.yaml", &[]);
    fs::write(&served.resources, component("echo", "second")).unwrap();
    served.wait_for_model("echo", Some("second")).await;
    fs::remove_file(&served.resources).unwrap();
    served.wait_for_log("cannot be read").await;
    assert_eq!(
        served.model("echo").await.as_deref(),
        Some("second"),
        "a missing file keeps the components"
    );
    fs::write(&served.resources, component("echo", "third")).unwrap();
    served.wait_for_model("echo", Some("third")).await;
}

/// Relative paths are resolved against the working directory.
#[tokio::test]
async fn follows_a_relative_path() {
    let parent = scratch("relative");
    fs::create_dir(parent.join("resources")).unwrap();
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count() - 1);
    let path = format!("{up}{}", parent.strip_prefix("/").unwrap().display());
    let relative = std::path::Path::new(&path).join("resources");
    let sidecar =
        crate::support::Sidecar::start_with(&["--resources-path", relative.to_str().unwrap()]);
    let resources = parent.join("resources");
    let served = Served { sidecar, parent, resources };
    served.put("a.yaml", &component("echo", "first"));
    served.wait_for_model("echo", Some("first")).await;
}
