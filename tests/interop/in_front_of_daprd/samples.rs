//! Tests of the samples in `deploy/` in which mynah stands in front of daprd.

use std::{fs, process::Command};

use mynah_needs::needs;
use serde::Deserialize;
use tokio::runtime::Runtime;

use crate::{
    interop::{
        examples::{prints, python_example},
        folder, toolchain,
    },
    parity::target::{Program, Setup},
    support::mynah,
};

/// The keys of a run file of the Dapr CLI that the sample has.
///
/// Source: <https://docs.dapr.io/developing-applications/local-development/multi-app-dapr-run/multi-app-template/>.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFile {
    version: u64,
    apps: Vec<App>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct App {
    #[serde(rename = "appID")]
    app_id: String,
    app_dir_path: String,
    resources_paths: Vec<String>,
    #[serde(rename = "daprHTTPPort")]
    dapr_http_port: u16,
    #[serde(rename = "daprGRPCPort")]
    dapr_grpc_port: u16,
    command: Vec<String>,
}

/// Does what the Dapr CLI does, on other ports.
#[needs("daprd")]
#[test]
fn the_run_file_runs_an_application() {
    toolchain::suite("daprd", || {
        let deploy = folder("deploy");
        let text = fs::read_to_string(deploy.join("dapr.yaml")).unwrap();
        let RunFile { version: 1, apps } = serde_saphyr::from_str(&text).unwrap() else {
            panic!("the Dapr CLI reads version 1");
        };
        let [app] = <[App; 1]>::try_from(apps).unwrap_or_else(|_| panic!("one application"));
        assert_eq!(app.app_id, "shop");
        let daprd = Program::Daprd(toolchain::daprd()?);
        // The Dapr CLI resolves the other paths of an application against its folder.
        let home = deploy.join(&app.app_dir_path);
        let resources: Vec<_> = app.resources_paths.iter().map(|path| home.join(path)).collect();
        resources.iter().for_each(|path| assert!(path.is_dir(), "{} is missing", path.display()));
        let setup = Setup { resources, ..Setup::default() };
        let daprd = Runtime::new().unwrap().block_on(daprd.start(&setup)).unwrap();
        let ports = [
            (app.dapr_grpc_port.to_string(), daprd.grpc.port().to_string()),
            (app.dapr_http_port.to_string(), daprd.http.port().to_string()),
        ];
        let replace = |argument: &String| {
            ports.iter().fold(argument.clone(), |argument, (from, to)| argument.replace(from, to))
        };
        let split = app.command.iter().position(|argument| argument == "--").unwrap();
        let (own, application) = app.command.split_at(split + 1);
        assert_eq!(
            (own[0].as_str(), application),
            ("mynah", &["python3", "app.py"].map(String::from)[..])
        );
        let python = python_example()?;
        let mut run: Command = mynah();
        run.args(own[1..].iter().map(replace)).arg(python.get_program()).args(python.get_args());
        run.current_dir(home);
        prints(&mut run, &folder("examples/python/README.md"));
        Ok(())
    });
}
