//! Checks the tables of messages and calls in docs/echo.md.

use serde_json::Value;

use super::page::Page;
use crate::{
    echo::sentences::Toolbox,
    support::{Sidecar, messages::prompt},
};

/// A message with the calls that the page shows.
struct Row {
    message: String,
    calls: Vec<ShownCall>,
}

/// A call on the page. Some tables show only the names of tools.
#[derive(Debug)]
struct ShownCall {
    name: String,
    arguments: Option<Value>,
}

/// Returns the rows of the tables whose first column is `message`.
fn rows(page: &Page) -> Vec<Row> {
    let prose = page.prose();
    let tables = prose.split("\n| message |").skip(1);
    let lines = tables.flat_map(|table| {
        table.lines().skip(2).take_while(|line| line.starts_with('|')).collect::<Vec<_>>()
    });
    lines.map(row).collect()
}

fn row(line: &str) -> Row {
    let cells: Vec<_> = line.split('|').map(str::trim).collect();
    let ["", message, calls, ..] = *cells else { panic!("not a row: {line}") };
    let spans: Vec<_> = calls.split('`').skip(1).step_by(2).collect();
    assert_eq!(spans.is_empty(), calls == "none", "{line}");
    Row { message: message.to_owned(), calls: spans.into_iter().map(shown_call).collect() }
}

fn shown_call(span: &str) -> ShownCall {
    let (name, arguments) = span.split_once(' ').unwrap_or((span, ""));
    let parse =
        || serde_json::from_str(arguments).unwrap_or_else(|error| panic!("{span}: {error}"));
    ShownCall { name: name.to_owned(), arguments: (!arguments.is_empty()).then(parse) }
}

#[tokio::test]
async fn messages_cause_the_calls_on_the_page() {
    let page = Page::read("docs/echo.md");
    let toolbox: Toolbox = serde_json::from_str(page.blocks("json")[0]).expect("tools");
    let rows = rows(&page);
    assert!(rows.len() > 25, "{} rows found", rows.len());
    let sidecar = Sidecar::start();
    let mut failures = Vec::new();
    for Row { message, calls } in rows {
        let answer = sidecar.converse(prompt(&message, toolbox.tools())).await.expect("an answer");
        let is_equal = answer.calls.len() == calls.len()
            && calls.iter().zip(&answer.calls).all(|(shown, call)| {
                let arguments = shown.arguments.as_ref().unwrap_or(&call.arguments);
                (&shown.name, arguments) == (&call.name, &call.arguments)
            });
        if !is_equal {
            failures.push(format!("{message}\n  shown  {calls:?}\n  called {:?}\n", answer.calls));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
