//! The metadata of a component that owns tools, and its file.

use hyper::body::Incoming;
use insta::assert_snapshot;

use super::{Owner, TOOLS};
use crate::{
    forward::stub::{Stub, full},
    support::{
        Sidecar,
        messages::{request, user},
        mynah,
        process::{Output, Process, wait_until},
    },
};

/// Runs `mynah check` on the component. Removes the folder's path from the output.
fn checked(owner: &Owner) -> String {
    let mut check = mynah();
    check.arg("check").arg(owner.folder.join("resources"));
    let Output { code, stdout, stderr } = Process::start(&mut check).wait();
    assert_eq!(stderr, "");
    let code = code.unwrap();
    stdout.replace(owner.folder.to_str().unwrap(), "…") + &format!("-- exit {code}")
}

#[test]
fn problems_in_the_file_are_reported() {
    assert_snapshot!(checked(&Owner::new("echo", "", TOOLS)), @r#"
    1 component, 0 errors, 0 warnings
    -- exit 0
    "#);
    let invalid = "tools:\n- {name: f, static: [{result: 1}]}\n- {name: f, static: []}\n";
    assert_snapshot!(checked(&Owner::new("echo", "", invalid)), @r#"
    …/tools.yaml:3:3: static is empty; expected a list of results
    1 component, 1 error, 0 warnings
    -- exit 1
    "#);
    let invalid =
        "tools:\n- {name: f, static: 1}\n- {name: g, static: [{result: 1}]}\n- {nam: h}\n";
    assert_snapshot!(checked(&Owner::new("echo", "", invalid)), @"
    …/tools.yaml:2:21: must be a list, not 1
    …/tools.yaml:4:4: unknown key `nam`; expected one of `name`, `description`, `parameters`, `repeatable`, `cache`, `timeout`, `retries`, `max_result`, `command`, `http`, `static`, `mcp`
    1 component, 2 errors, 0 warnings
    -- exit 1
    ");
    let metadata = "  - {name: maxTurns, value: 51}\n  - {name: toolMemory, value: '-1'}\n";
    assert_snapshot!(checked(&Owner::new("echo", metadata, TOOLS)), @r#"
    …/resources/component.yaml:9:29: maxTurns: "51" is not a valid number of turns; use 1 to 50
    …/resources/component.yaml:10:31: toolMemory: "-1" is not a valid number of requests; use 1 to 1000000
    1 component, 2 errors, 0 warnings
    -- exit 1
    "#);
    let owner = Owner::new("echo", "", TOOLS);
    std::fs::remove_file(owner.tools_file()).unwrap();
    assert_snapshot!(checked(&owner), @"
    …/resources/component.yaml:8:26: tools: the tools file …/tools.yaml cannot be read: No such file or directory (os error 2)
    1 component, 1 error, 0 warnings
    -- exit 1
    ");
}

#[tokio::test]
async fn relative_paths_start_at_the_folder_of_the_component() {
    let owner = Owner::new("echo", "", TOOLS);
    let component = owner.folder.join("resources/component.yaml");
    let text = std::fs::read_to_string(&component).unwrap();
    let relative = text.replace(owner.tools_file().to_str().unwrap(), "../tools.yaml");
    std::fs::write(&component, relative).unwrap();
    let sidecar = owner.start();
    let count = Count(&sidecar);
    count.becomes("7").await;
    owner.put_tools("tools:\n- {name: count_orders, static: [{result: 8}]}\n");
    count.becomes("8").await;
}

/// The answer of the tool `count_orders`.
struct Count<'a>(&'a Sidecar);

impl Count<'_> {
    async fn becomes(&self, expected: &str) {
        let asked = request([user("count orders")]);
        let found = async || {
            let answer = self.0.converse(asked.clone()).await.unwrap();
            (answer.content == expected).then_some(())
        };
        wait_until(found, "the tool did not change").await;
    }
}

#[test]
fn tools_may_be_written_in_the_metadata() {
    let owner = Owner::new("echo", "", TOOLS);
    let component = owner.folder.join("resources/component.yaml");
    let text = std::fs::read_to_string(&component).unwrap();
    let file = owner.tools_file();
    let inline = |tools: &str| {
        let value = format!("value: \"tools:\\n{tools}\"");
        std::fs::write(&component, text.replace(&format!("value: '{}'", file.display()), &value))
            .unwrap();
        checked(&owner)
    };
    assert_snapshot!(inline("- {name: f, static: [{result: 1}]}"), @r#"
    1 component, 0 errors, 0 warnings
    -- exit 0
    "#);
    assert_snapshot!(inline("- {name: f, static: [{result: 1}]}\\n- {name: f, static: [{result: 2}]}\\n- {name: g h, command: [date]}"), @r#"
    …/resources/component.yaml:8:26: tools: line 3: a tool named f is already registered
    …/resources/component.yaml:8:26: tools: line 4: the tool "g h": only mynah converse runs commands; use static, http or mcp
    1 component, 2 errors, 0 warnings
    -- exit 1
    "#);
}

#[tokio::test]
async fn the_file_is_reloaded() {
    let owner = Owner::new("echo", "", TOOLS);
    let sidecar = owner.start();
    let count = Count(&sidecar);
    count.becomes("7").await;
    owner.put_tools("tools:\n- {name: count_orders, static: [{result: 8}]}\n");
    count.becomes("8").await;
    owner.put_tools("tools:\n- {name: count_orders, static: 9}\n");
    let rejected = async || sidecar.log().contains("files not reloaded").then_some(());
    wait_until(rejected, "the invalid file was not rejected").await;
    count.becomes("8").await;
    owner.put_tools("tools:\n- {name: count_orders, static: [{result: 9}]}\n");
    count.becomes("9").await;
}

#[tokio::test]
async fn a_file_that_a_component_names_later_is_watched() {
    let owner = Owner::new("echo", "", TOOLS);
    let other = Owner::new("echo", "", "tools:\n- {name: count_orders, static: [{result: 1}]}\n");
    let sidecar = owner.start();
    let count = Count(&sidecar);
    let component = std::fs::read_to_string(other.folder.join("resources/component.yaml")).unwrap();
    std::fs::write(owner.folder.join("resources/component.yaml"), component).unwrap();
    count.becomes("1").await;
    other.put_tools("tools:\n- {name: count_orders, static: [{result: 2}]}\n");
    count.becomes("2").await;
}

/// Starts a server that answers with the header `x-key`.
async fn describing_key() -> Stub {
    Stub::start(async |request: http::Request<Incoming>| {
        let key = request.headers().get("x-key").map_or("-", |key| key.to_str().unwrap());
        http::Response::new(full(format!("the key is {key}")))
    })
    .await
}

#[tokio::test]
async fn headers_may_refer_to_secrets() {
    let server = describing_key().await;
    let tools = format!(
        "tools:\n- name: name_key\n  http:\n    url: \"http://{}/\"\n    headers:\n    \
         - {{name: x-key, secretKeyRef: {{name: keys, key: crm}}}}\n",
        server.address
    );
    let owner = Owner::new("echo", "", &tools);
    let secrets = owner.folder.join("secrets.json");
    std::fs::write(&secrets, r#"{"keys": {"crm": "hush-hush"}}"#).unwrap();
    let component = owner.folder.join("resources/component.yaml");
    let text = std::fs::read_to_string(&component).unwrap() + "auth: {secretStore: store}\n";
    let store = format!(
        "---\napiVersion: dapr.io/v1alpha1\nkind: Component\nmetadata: {{name: store}}\nspec:\n  \
         type: secretstores.local.file\n  version: v1\n  metadata:\n  \
         - {{name: secretsFile, value: '{}'}}\n  - {{name: multiValued, value: 'true'}}\n",
        secrets.display()
    );
    std::fs::write(&component, text + &store).unwrap();
    let sidecar =
        Sidecar::start_with(&["--resources-path", &owner.resources(), "--log-level=debug"]);
    let answer = sidecar.converse(request([user("name the key")])).await.unwrap();
    assert_eq!(answer.content, "the key is hush-hush");
    assert!(!sidecar.log().contains("hush-hush"));
    std::fs::write(&secrets, "{}").unwrap();
    assert!(checked(&owner).contains(r#"the header "x-key": "#), "{}", checked(&owner));
}

#[test]
fn headers_may_not_refer_to_the_variables_of_dapr() {
    let tools = "tools:\n- {name: f, http: {url: 'http://a/', headers: [{name: x, envRef: DAPR_API_TOKEN}]}}\n";
    assert_snapshot!(checked(&Owner::new("echo", "", tools)), @r#"
    …/tools.yaml:2:3: the tool "f": the header "x": components may not read the environment variable "DAPR_API_TOKEN"; APP_API_TOKEN, DAPR_* and names with spaces are not allowed
    1 component, 1 error, 0 warnings
    -- exit 1
    "#);
}
