//! Tests that the loader and the JSON Schema accept the same files.

use std::{fs, path::Path};

use mynah_core::base::{
    diagnostics::Diagnostic, environment::Environment, json_schema::Schema, yaml,
};
use serde_json::Value;

use super::{CheckedTools, LoadContext, Programs, schema};
use crate::tool_loop::ToolRegistry;

const VALID: &[&str] = &[
    "tools: []",
    "{\"tools\": [{\"name\": \"f\", \"command\": [\"date\", \"+%H\"]}]}",
    "defaults: {timeout: 1m30s, retries: 2, max_result: 65536}\ntools: []",
    "defaults: {max_result: 64Ki}\ntools:\n- {name: f, command: [a], timeout: .5s, max_result: 16Mi}",
    "tools:\n- {name: get-it_2, command: [a, ''], repeatable: true, cache: {}, parameters: {}}",
    "tools:\n- {name: f, command: [a], cache: {ttl: 5m}, retries: 0, description: What it does}",
    "tools:\n- {name: f, command: [a], timeout: null, parameters: {type: object}}",
    "{\"$schema\": \"tools.schema.json\", \"tools\": []}",
    "allow: [localhost:80]\ntools: []",
    "tools:\n- {name: f, http: {url: 'http://localhost:80/{{ args.a }}'}}",
    "tools:\n- {name: f, http: {url: 'https://a.b', method: PUT, headers: [{name: a, value: b}], body: c, result: /d}}",
    "tools:\n- {name: f, static: [{result: {a: 1}}]}",
    "tools:\n- {name: f, static: [{match: {args: {id: {equals: 7}}}, error: gone}, {result: ''}]}",
    "tools:\n- {name: f, static: [{match: {args: {id: abc}}, result: [1]}]}",
    "tools:\n- mcp: {command: [a]}",
    "tools:\n- {mcp: {command: [a, b], include: [c.d], prefix: e_}, timeout: 5s, repeatable: true}",
    "tools:\n- mcp: {url: 'http://localhost:9000/mcp'}",
    "tools:\n- {mcp: {url: 'http://a.b', headers: [{name: c, value: d}], include: [e]}, retries: 1}",
];

const INVALID: &[&str] = &[
    "{}",
    "tools: f",
    "- name: f",
    "allow: [localhost]\ntools: []",
    "tools:\n- {name: f, http: {}}",
    "tools:\n- {name: f, http: {url: 'ftp://a/'}}",
    "tools:\n- {name: f, http: {url: 'http://{{ args.a }}/'}}",
    "tools:\n- {name: f, http: {url: 'http://a/', headers: [{name: a}]}}",
    "tools:\n- {name: f, http: {url: 'http://a/', method: get}}",
    "$schema: []\ntools: []",
    "defaults: {timeout: soon}\ntools: []",
    "defaults: {timeout: -1s}\ntools: []",
    "defaults: {retries: 11}\ntools: []",
    "defaults: {max_result: 4MB}\ntools: []",
    "defaults: {max_result: 0}\ntools: []",
    "defaults: {tries: 3}\ntools: []",
    "tools:\n- command: [a]",
    "tools:\n- name: f",
    "tools:\n- {name: f, command: []}",
    "tools:\n- {name: f, command: date}",
    "tools:\n- {name: get it, command: [a]}",
    "tools:\n- {name: f, command: [a], http: {url: 'http://localhost'}}",
    "tools:\n- {name: f, command: [a], parameters: [location]}",
    "tools:\n- {name: f, command: [a], static: [{result: 1}]}",
    "tools:\n- {name: f, static: []}",
    "tools:\n- {name: f, static: [{}]}",
    "tools:\n- {name: f, static: [{result: 1}], cache: {}}",
    "tools:\n- {name: f, static: [{result: 1, error: no}]}",
    "tools:\n- {name: f, static: [{result: 1, match: {user: a}}]}",
    "tools:\n- {name: f, static: [{result: 1, match: {args: {a: {}}}}]}",
    "tools:\n- {name: f, static: [{result: 1, match: {args: {a: [b]}}}]}",
    "tools:\n- {name: f, command: [a], repeatable: maybe}",
    "tools:\n- {name: f, command: [a], cache: {size: 5}}",
    "tools:\n- mcp: {}",
    "tools:\n- mcp: {command: []}",
    "tools:\n- mcp: {command: [a], url: 'http://a'}",
    "tools:\n- mcp: {command: [a], headers: []}",
    "tools:\n- mcp: {url: a}",
    "tools:\n- mcp: {url: 'http://{{ args.a }}/'}",
    "tools:\n- mcp: {url: 'http://a', headers: [{name: c}]}",
    "tools:\n- mcp: {command: [a], include: []}",
    "tools:\n- mcp: {command: [a], prefix: a.b}",
    "tools:\n- mcp: {command: [a], exclude: [b]}",
    "tools:\n- {name: f, mcp: {command: [a]}}",
    "tools:\n- {parameters: {}, mcp: {command: [a]}}",
    "tools:\n- {mcp: {command: [a]}, command: [b]}",
    "tools:\n- {name: f, mcp: {command: [a]}, command: [b]}",
];

async fn load(text: &str) -> Result<ToolRegistry, Diagnostic> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    super::load(file.path()).await
}

/// Loads a file, or checks it if it has MCP servers.
async fn load_or_check(text: &str) -> Result<(), Diagnostic> {
    if text.contains("mcp") {
        let environment = Environment::default();
        let context = LoadContext { references: &environment, programs: Programs::All };
        let checked = CheckedTools::read(text, &context);
        return checked.map(drop).map_err(|mut errors| errors.remove(0));
    }
    load(text).await.map(drop)
}

fn is_valid(text: &str) -> bool {
    let value: Value = yaml::from_str(text).unwrap();
    Schema::compile(&schema()).unwrap().is_valid(&value)
}

#[tokio::test]
async fn accepts_valid_files() {
    for text in VALID {
        let loaded = load_or_check(text).await;
        assert!(loaded.is_ok(), "{text}: {loaded:?}");
        assert!(is_valid(text), "{text}");
    }
}

#[tokio::test]
async fn rejects_invalid_files() {
    for text in INVALID {
        assert!(load_or_check(text).await.is_err(), "{text}");
        assert!(!is_valid(text), "{text}");
    }
}

#[tokio::test]
async fn loads_the_sample_file() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tools.yaml");
    let text = fs::read_to_string(file).unwrap();
    let tools = load(&text).await.unwrap();
    let names: Vec<_> = tools.tools().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["get_weather", "count_words", "get_time"]);
    assert!(is_valid(&text));
    assert!(is_valid(include_str!("../../../../examples/orders.yaml")));
    assert!(is_valid(include_str!("../../../../examples/weather.yaml")));
    assert!(is_valid(include_str!("../../../../examples/notes.yaml")));
}

#[tokio::test]
async fn tool_limits_override_the_defaults() {
    let text = "defaults: {timeout: 5s, retries: 1, max_result: 1Ki}\ntools:\n\
                - {name: f, command: [a]}\n- {name: g, command: [a], timeout: 1s, retries: 0}";
    let tools = load(text).await.unwrap();
    let limits = |name: &str| {
        let limits = tools.get(name).unwrap().settings().unwrap();
        (limits.timeout.as_secs(), limits.retries, limits.max_result)
    };
    assert_eq!((limits("f"), limits("g")), ((5, 1, 1024), (1, 0, 1024)));
}

#[tokio::test]
async fn the_first_static_entry_that_matches_answers() {
    let text = r#"
tools:
- name: find_order
  static:
  - {match: {args: {id: {equals: 1001}}}, result: {status: shipped}}
  - {match: {args: {id: {matches: "^9"}, archived: "true"}}, error: the order is archived}
  - {match: {args: {id: {starts_with: "9"}}}, result: packed}
"#;
    let tools = load(text).await.unwrap();
    let mut answers = Vec::new();
    for arguments in [
        r#"{"id": "1001"}"#,
        r#"{"id": 1001}"#,
        r#"{"id": "93", "archived": true}"#,
        r#"{"id": "93"}"#,
        r#"{"id": "5"}"#,
        "{}",
    ] {
        let answer = tools.run("find_order", arguments).await;
        answers.push(answer.unwrap_or_else(|error| error.to_string()));
    }
    insta::assert_snapshot!(answers.join("\n"), @r#"
    {"status":"shipped"}
    {"status":"shipped"}
    Error executing find_order: the order is archived
    packed
    Error executing find_order: no static result matches the arguments
    Error executing find_order: no static result matches the arguments
    "#);
}

/// As in files of rules.
#[tokio::test]
async fn unquoted_values_are_those_of_yaml_1_2() {
    let text = "
tools:
- name: plot
  parameters: {type: object, properties: {x: {enum: [yes, no]}, y: {type: number}}, required: [x, y]}
  static: [{result: [yes, off, n, 0123, 08, 1_000, true, ~, 5, 1.5]}]
- {name: nothing, static: [{result: null}]}
";
    let tools = load(text).await.unwrap();
    assert!(is_valid(text));
    let result = tools.run("plot", r#"{"x": "yes", "y": 1}"#).await.unwrap();
    assert_eq!(result, r#"["yes","off","n","0123","08","1_000",true,null,5,1.5]"#);
    assert_eq!(tools.run("nothing", "{}").await.unwrap(), "null");
}
