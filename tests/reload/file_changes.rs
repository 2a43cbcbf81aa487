//! The ways in which editors and machines save files.

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
async fn half_written_files_are_waited_for() {
    let served = served("first");
    let text = component("echo", "second");
    let (half, rest) = text.split_at(text.find("model").unwrap());
    let mut file = File::create(served.file("a.yaml")).unwrap();
    served.says("a.yaml: empty").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    file.write_all(half.as_bytes()).unwrap();
    served.says("not valid YAML").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("first"));
    file.write_all(rest.as_bytes()).unwrap();
    served.answers("echo", Some("second")).await;
    served.says("components reloaded").await;
    assert_snapshot!(served.log(), @"
    ERROR [resources]/a.yaml: empty, and taken for half-written; to remove its components, delete the file
     WARN components not reloaded: those from before the problems go on
    ERROR [resources]/a.yaml:4:44: not valid YAML: unclosed bracket '{'
     WARN components not reloaded: those from before the problems go on
     INFO components reloaded: changed echo
    ");
}

/// A file that never held a component may be empty.
#[tokio::test]
async fn empty_files_that_come_are_nothing() {
    let served = served("first");
    served.put("b.yaml", "");
    served.put("c.yaml", " \n\n");
    served.put("a.yaml", &component("echo", "second"));
    served.answers("echo", Some("second")).await;
}

/// Comments alone are meant so.
#[tokio::test]
async fn components_may_be_commented_out() {
    let served = served("first");
    served.put(
        "a.yaml",
        &component("echo", "first").replace('\n', "\n# ").replacen("api", "# api", 1),
    );
    served.answers("echo", None).await;
}

#[tokio::test]
async fn an_editor_that_writes_into_the_file() {
    let served = served("first");
    for model in ["second", "third", "fourth"] {
        fs::write(served.file("a.yaml"), component("echo", model)).unwrap();
        served.answers("echo", Some(model)).await;
    }
}

#[tokio::test]
async fn an_editor_that_replaces_the_file() {
    let served = served("first");
    for model in ["second", "third", "fourth"] {
        let (new, file) = (served.file(".a.yaml.tmp123"), served.file("a.yaml"));
        fs::write(&new, component("echo", model)).unwrap();
        fs::rename(new, file).unwrap();
        served.answers("echo", Some(model)).await;
    }
}

/// As vim does it, with a check first whether the folder can be written to.
#[tokio::test]
async fn an_editor_that_renames_and_writes_and_deletes() {
    let served = served("first");
    for model in ["second", "third", "fourth"] {
        let (file, backup) = (served.file("a.yaml"), served.file("a.yaml~"));
        File::create(served.file("4913")).unwrap();
        fs::remove_file(served.file("4913")).unwrap();
        fs::rename(&file, &backup).unwrap();
        fs::write(&file, component("echo", model)).unwrap();
        fs::remove_file(backup).unwrap();
        served.answers("echo", Some(model)).await;
    }
}

#[tokio::test]
async fn a_folder_that_goes_and_comes_back() {
    let served = served("first");
    let away = served.beside.join("away");
    for (times, model) in [(1, "second"), (2, "third")] {
        fs::rename(&served.resources, &away).unwrap();
        served.says_times(times, "cannot be read").await;
        assert!(served.model("echo").await.is_some());
        fs::write(away.join("a.yaml"), component("echo", model)).unwrap();
        fs::rename(&away, &served.resources).unwrap();
        served.answers("echo", Some(model)).await;
    }
    served.put("a.yaml", &component("echo", "last"));
    served.answers("echo", Some("last")).await;
}

#[tokio::test]
async fn a_folder_that_is_made_anew() {
    let served = served("first");
    for model in ["second", "third"] {
        fs::remove_dir_all(&served.resources).unwrap();
        fs::create_dir(&served.resources).unwrap();
        served.put("a.yaml", &component("echo", model));
        served.answers("echo", Some(model)).await;
    }
}

/// As a ConfigMap in a pod: files are links into a folder, which is a link itself.
#[tokio::test]
async fn files_that_kubernetes_exchanges() {
    for path in ["volume", "volume/a.yaml"] {
        let beside = scratch("kubernetes");
        let volume = beside.join("volume");
        fs::create_dir(&volume).unwrap();
        let exchange = |model: &str| {
            fs::create_dir(volume.join(format!("..{model}"))).unwrap();
            let file = volume.join(format!("..{model}/a.yaml"));
            fs::write(file, component("echo", model)).unwrap();
            symlink(format!("..{model}"), volume.join("..data_tmp")).unwrap();
            fs::rename(volume.join("..data_tmp"), volume.join("..data")).unwrap();
        };
        exchange("first");
        symlink("..data/a.yaml", volume.join("a.yaml")).unwrap();
        let served = Served::path(beside, path, &[]);
        served.answers("echo", Some("first")).await;
        for (old, model) in [("first", "second"), ("second", "third")] {
            exchange(model);
            fs::remove_dir_all(volume.join(format!("..{old}"))).unwrap();
            served.answers("echo", Some(model)).await;
        }
    }
}

/// As a release that goes live: the folder itself is a link.
#[tokio::test]
async fn a_folder_that_is_a_link() {
    let beside = scratch("link");
    let exchange = |model: &str| {
        fs::create_dir(beside.join(model)).unwrap();
        fs::write(beside.join(model).join("a.yaml"), component("echo", model)).unwrap();
        symlink(model, beside.join("next")).unwrap();
        fs::rename(beside.join("next"), beside.join("live")).unwrap();
    };
    exchange("first");
    let served = Served::path(beside.clone(), "live", &[]);
    for model in ["second", "third"] {
        exchange(model);
        served.answers("echo", Some(model)).await;
    }
    fs::write(beside.join("third/a.yaml"), component("echo", "edited")).unwrap();
    served.answers("echo", Some("edited")).await;
}

#[tokio::test]
async fn a_file_that_is_named_itself() {
    let beside = scratch("file");
    fs::write(beside.join("one.yaml"), component("echo", "first")).unwrap();
    let served = Served::path(beside, "one.yaml", &[]);
    fs::write(&served.resources, component("echo", "second")).unwrap();
    served.answers("echo", Some("second")).await;
    fs::remove_file(&served.resources).unwrap();
    served.says("cannot be read").await;
    assert_eq!(served.model("echo").await.as_deref(), Some("second"), "it was asked for");
    fs::write(&served.resources, component("echo", "third")).unwrap();
    served.answers("echo", Some("third")).await;
}

/// Paths are those of the folder that the program was started in.
#[tokio::test]
async fn a_relative_path() {
    let beside = scratch("relative");
    fs::create_dir(beside.join("resources")).unwrap();
    let here = std::env::current_dir().unwrap();
    let up = "../".repeat(here.components().count() - 1);
    let path = format!("{up}{}", beside.strip_prefix("/").unwrap().display());
    let relative = std::path::Path::new(&path).join("resources");
    let sidecar =
        crate::support::Sidecar::start_with(&["--resources-path", relative.to_str().unwrap()]);
    let resources = beside.join("resources");
    let served = Served { sidecar, beside, resources };
    served.put("a.yaml", &component("echo", "first"));
    served.answers("echo", Some("first")).await;
}
