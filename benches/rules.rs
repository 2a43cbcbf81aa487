//! Benchmarks of finding the rule for a request.

#![allow(missing_docs, reason = "criterion's macros generate undocumented items")]
#![allow(clippy::expect_used, reason = "a panic fails the benchmark")]

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use mynah::chat::{Request, Tool};
use mynah_script::rules::{
    index::Index,
    matching::{
        Match, MatchedCall,
        request::{RequestForm, tool_hash},
    },
};
use serde_json::{Value, json};

criterion_group!(benches, find, build);
criterion_main!(benches);

/// Conditions of one kind, with a number that makes them different.
type Conditions = fn(usize) -> Value;

const KINDS: [(&str, Conditions); 7] = [
    ("equals", |at| json!({ "user": { "equals": format!("order {at} please") } })),
    ("contains", |at| json!({ "user": format!("order {at} p") })),
    ("starts_with", |at| json!({ "user": { "starts_with": format!("order {at} ") } })),
    ("matches", |at| json!({ "user": { "matches": format!("order {at} p\\w+") } })),
    ("tools", |at| json!({ "tools": [format!("tool_{at}")] })),
    ("model", |at| json!({ "model": format!("gpt-{at}") })),
    ("request", |at| json!({ "request": form(&request(at)) })),
];

/// The component that is called.
const COMPONENT: &str = "llm";

/// Finds one rule among 10 and among 10,000.
fn find(criterion: &mut Criterion) {
    for (kind, conditions) in KINDS {
        let mut group = criterion.benchmark_group(format!("rules/{kind}"));
        for count in [10, 10_000] {
            let rules = rules(count, conditions);
            let (index, wanted) = (Index::new(&rules), count - 3);
            let request = request(wanted);
            let model = format!("gpt-{wanted}");
            let id = BenchmarkId::from_parameter(count);
            group.bench_function(id, |bencher| {
                bencher.iter(|| {
                    let mut call = MatchedCall::new(&request, COMPONENT);
                    call.model = Some(&model);
                    let found = index.candidates(&call).find(|rule| rules[*rule].holds(&call));
                    assert_eq!(found, Some(wanted));
                });
            });
        }
        group.finish();
    }
}

/// Builds the index of 10,000 rules.
fn build(criterion: &mut Criterion) {
    let rules = rules(10_000, KINDS[1].1);
    criterion.bench_function("rules/build", |bencher| bencher.iter(|| Index::new(&rules)));
}

fn request(at: usize) -> Request {
    let mut request = Request::from(format!("order {at} please"));
    let name = format!("tool_{at}");
    request.tools.push(Tool { name, description: None, parameters: None });
    request
}

/// Returns the recorded form of a request.
fn form(request: &Request) -> RequestForm {
    let hashes: Vec<_> = request.tools.iter().map(tool_hash).collect();
    RequestForm::with_hashes(request, COMPONENT, &hashes)
}

fn rules(count: usize, conditions: Conditions) -> Vec<Match> {
    let read = |at| serde_json::from_value(conditions(at)).expect("valid conditions");
    (0..count).map(read).collect()
}
