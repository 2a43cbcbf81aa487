//! Runs the container image in a changed root folder.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use mynah_needs::needs;
use rustix::process::getuid;
use serde_json::Value;

use super::{package, unpack};
use crate::{
    interop::child,
    support::{http::direct_client, process::Process, scratch},
};

/// The command of `io.dapr:testcontainers-dapr` 1.17.0-rc-4 with all its options.
const JAVA: &str = "./daprd --app-id dapr-app --dapr-listen-addresses=0.0.0.0 \
    --placement-host-address placement:50005 --scheduler-host-address scheduler:51005 \
    --app-channel-address localhost --app-port 8080 --app-protocol http \
    --enable-app-health-check --app-health-check-path /healthz --app-health-probe-interval 5 \
    --app-health-probe-timeout 500 --app-health-threshold 3 \
    --config /dapr-resources/my-config.yaml --log-level INFO --resources-path /dapr-resources";
/// The command of `@dapr/testcontainer-node` 0.5.1 with all its options.
const NODE: &str = "./daprd --app-id dapr-app --dapr-listen-addresses=0.0.0.0 --app-protocol http \
    --placement-host-address placement:50005 --scheduler-host-address scheduler:51005 \
    --log-level info --resources-path /dapr-resources \
    --app-channel-address host.testcontainers.internal --app-port 8080 \
    --enable-app-health-check --app-health-check-path /healthz --enable-api-logging \
    --config /dapr-resources/my-config.yaml";
/// The command of `Dapr.Testcontainers` 1.18.5 with all its options, without placement and scheduler, but
/// with free ports.
const DOTNET: &str = "/daprd -app-id test-app -dapr-http-port 0 -dapr-grpc-port 0 -log-level info \
    -resources-path /dapr-resources -app-port 8080 -app-channel-address host.docker.internal \
    -app-protocol http -config /dapr-resources/my-config.yaml -placement-host-address '' \
    -scheduler-host-address ''";
/// What it waits for in the log.
const DOTNET_WAITS_FOR: &str = "Internal gRPC server is running";

/// What these modules copy into the container. mynah skips everything but the conversation component.
const RESOURCES: [(&str, &str, &str); 4] = [
    ("llm", "Component", "{type: conversation.echo, version: v1, metadata: []}"),
    ("kvstore", "Component", "{type: state.in-memory, version: v1, metadata: []}"),
    ("local", "Subscription", "{pubsubname: pubsub, topic: topic, route: /events}"),
    ("my-config", "Configuration", "{tracing: {samplingRate: '1', stdout: true}}"),
];
const REQUEST: &str =
    r#"{"inputs": [{"messages": [{"ofUser": {"content": [{"text": "Hello, image!"}]}}]}]}"#;

/// The unpacked image.
struct Image {
    root: PathBuf,
    config: Value,
}

impl Image {
    fn unpack() -> Self {
        let (layout, root) = (scratch("layout"), scratch("root"));
        unpack(&package("mynah-", ".oci.tar"), &layout);
        let read =
            |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
        let blob = |descriptor: &Value| {
            let digest = descriptor["digest"].as_str().unwrap().strip_prefix("sha256:").unwrap();
            layout.join("blobs/sha256").join(digest)
        };
        assert_eq!(read(&layout.join("oci-layout"))["imageLayoutVersion"], "1.0.0");
        let manifest = read(&blob(&read(&layout.join("index.json"))["manifests"][0]));
        for layer in manifest["layers"].as_array().unwrap() {
            unpack(&blob(layer), &root);
        }
        let image = Self { root, config: read(&blob(&manifest["config"]))["config"].clone() };
        image.add_resources();
        image
    }

    fn add_resources(&self) {
        let folder = self.root.join("dapr-resources");
        fs::create_dir(&folder).unwrap();
        for (name, kind, spec) in RESOURCES {
            let text = format!(
                "{{apiVersion: dapr.io/v1alpha1, kind: {kind}, metadata: {{name: {name}}}, spec: {spec}}}"
            );
            fs::write(folder.join(format!("{name}.yaml")), text).unwrap();
        }
    }

    /// Returns a command that runs in the image, as the user of the image if possible.
    fn run(&self, words: &[&str]) -> Command {
        let user = self.config["User"].as_str().unwrap();
        let mut command = if getuid().is_root() {
            let mut chroot = Command::new("chroot");
            chroot.arg(format!("--userspec={user}")).arg(&self.root);
            chroot
        } else {
            let mut unshare = Command::new("unshare");
            unshare.args(["--map-root-user", "--root"]).arg(&self.root);
            unshare
        };
        command.args(words).env_clear();
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("DAPR_GRPC_PORT", "0").env("DAPR_HTTP_PORT", "0");
        let variables = strings(&self.config["Env"]).into_iter();
        command.envs(variables.filter_map(|variable| variable.split_once('=')));
        command
    }

    /// Returns the entrypoint with a command.
    fn words<'a>(&'a self, command: &[&'a str]) -> Vec<&'a str> {
        [&strings(&self.config["Entrypoint"]), command].concat()
    }

    /// Serves while a test runs, and returns the log.
    fn serving(&self, words: &[&str], test: impl FnOnce(&Process, &Path)) -> String {
        const ADDRESSES: &str = "tmp/addresses.json";
        let addresses = self.root.join(ADDRESSES);
        let _ = fs::remove_file(&addresses);
        let more = [&format!("--addresses-file=/{ADDRESSES}"), "--metrics-port=0"];
        let process = Process::start(&mut self.run(&[words, &more].concat()));
        test(&process, &addresses);
        let output = process.terminate();
        assert_eq!(output.code, Some(0), "{}", output.stderr);
        output.stderr
    }
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().filter_map(Value::as_str).collect()
}

/// Asks the component for an answer, as Testcontainers does for the health. The address stands for one
/// outside of the container: it is not the usual one of this machine.
fn assert_answers(process: &Process, addresses: &Path, component: &str) {
    let port = process.address(addresses, "http").port();
    let url = format!("http://127.0.0.2:{port}/v1.0");
    let call = async {
        let health = direct_client().get(format!("{url}/healthz/outbound")).send().await.unwrap();
        assert_eq!(health.status(), 204);
        let converse = format!("{url}-alpha2/conversation/{component}/converse");
        let answer = direct_client().post(converse).body(REQUEST).send().await.unwrap();
        answer.text().await.unwrap()
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let answer = runtime.unwrap().block_on(call);
    assert!(answer.contains(r#""content":"Hello, image!""#), "{answer}");
}

#[needs("packages")]
#[test]
fn the_image_answers_and_resolves_names_in_etc_hosts() {
    let image = Image::unpack();
    fs::write(image.root.join("etc/hosts"), "127.0.0.1 model.test\n").unwrap();
    assert_eq!(image.config["User"], "65532:65532");
    image.serving(&image.words(&[]), |process, addresses| {
        assert_answers(process, addresses, "echo");
        let address = format!("model.test:{}", process.address(addresses, "grpc").port());
        let converse = image.words(&["converse", "--address", &address, "Hello!"]);
        let answer = child::run(&mut image.run(&converse)).expect_success("converse");
        assert_eq!(answer, "Hello!\n");
    });
}

/// With and without the entrypoint, since Kubernetes replaces it.
#[needs("packages")]
#[test]
fn the_image_runs_the_command_lines_of_daprs_testcontainers_modules() {
    let image = Image::unpack();
    for line in [JAVA, NODE, DOTNET] {
        let words = line.split_whitespace().map(|word| if word == "''" { "" } else { word });
        let command: Vec<_> = words.collect();
        for words in [image.words(&command), command] {
            let log = image
                .serving(&words, |process, addresses| assert_answers(process, addresses, "llm"));
            assert!(log.contains(DOTNET_WAITS_FOR), "{log}");
        }
    }
}
