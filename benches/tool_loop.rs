//! Benchmarks of the tool loop with a model and tools that need almost no time. Turns must not cost
//! more if the history is long.

#![allow(missing_docs, reason = "criterion's macros generate undocumented items")]
#![allow(clippy::expect_used, reason = "a panic fails the benchmark")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use criterion::{
    BatchSize, BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
    measurement::WallTime,
};
use mynah::{
    chat::{Message, Request, Response, Role, ToolCall},
    provider::{Answering, CallContext, Provider},
    tool_loop::{LoopSettings, Rendering, ToolLoop, ToolRegistry, Wording},
};
use serde_json::{Map, Value, json};
use tokio::runtime::Builder;

const TURNS: usize = 10;
const TOOLS: [&str; 4] = ["find_order", "get_weather", "list_files", "send_email"];

criterion_group!(tool_loop, turns);
criterion_main!(tool_loop);

/// Runs ten turns with one or four calls, after histories of different lengths, and with tool calls
/// written as text.
fn turns(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ten turns");
    // Makes criterion report turns per second.
    group.throughput(Throughput::Elements(TURNS as u64));
    for calls in [1, TOOLS.len()] {
        let name = BenchmarkId::new("calls", calls);
        measure(&mut group, name, calls, 1, LoopSettings::default());
    }
    for messages in [10, 100, 1_000] {
        let name = BenchmarkId::new("messages", messages);
        measure(&mut group, name, 1, messages, LoopSettings::default());
    }
    let rendering = Rendering::Text(Wording::default());
    let settings = LoopSettings { rendering, ..LoopSettings::default() };
    measure(&mut group, BenchmarkId::from_parameter("text"), 1, 1, settings);
}

fn measure(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: BenchmarkId,
    calls: usize,
    messages: usize,
    settings: LoopSettings,
) {
    let model = Arc::new(Caller::new(calls, &settings.rendering));
    let tool_loop = ToolLoop::new(tools(), settings).expect("a loop");
    let request = request(messages);
    let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
    let run = |request| {
        let result = tool_loop.run(model.clone(), request);
        let result = runtime.block_on(result.into_future());
        assert_eq!((result.turns as usize, result.end.as_str()), (TURNS, "answered"));
        result
    };
    group.bench_function(name, |bencher| {
        bencher.iter_batched(|| request.clone(), run, BatchSize::SmallInput);
    });
}

/// A model that calls tools in every turn except the last one.
struct Caller {
    turns: Vec<Response>,
    next: AtomicUsize,
}

impl Caller {
    fn new(calls: usize, rendering: &Rendering) -> Self {
        let call = |turn: usize, at: usize| ToolCall {
            id: None,
            name: TOOLS[(turn + at) % TOOLS.len()].to_owned(),
            arguments: json!({ "n": turn }).to_string(),
        };
        let response = |turn: usize| Response {
            tool_calls: (0..calls).map(|at| call(turn, at)).collect(),
            ..Response::default()
        };
        let in_text = |turn: usize| Response {
            content: format!("AI ACTION: Executing Find Order with parameters: n: {turn}"),
            ..Response::default()
        };
        let turns = (1..TURNS).map(|turn| match rendering {
            Rendering::Native => response(turn),
            Rendering::Text(_) => in_text(turn),
        });
        Self { turns: turns.chain([Response::default()]).collect(), next: AtomicUsize::new(0) }
    }
}

impl Provider for Caller {
    fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
        let turn = self.next.fetch_add(1, Ordering::Relaxed) % TURNS;
        self.turns[turn].clone().into()
    }
}

fn tools() -> ToolRegistry {
    let mut registry = ToolRegistry::new();
    for name in TOOLS {
        let tool = async |arguments: Map<String, Value>| Ok(arguments["n"].clone());
        registry.register(name, "Returns a number", tool).expect("a tool");
    }
    registry
}

/// Returns a request whose history has this many messages of 100 bytes each.
fn request(messages: usize) -> Request {
    let role = |at: usize| match at % 2 {
        0 => Role::User,
        _ => Role::Assistant { tool_calls: Vec::new() },
    };
    let message = |at| Message::new(role(at), "x".repeat(100));
    Request { messages: (0..messages).map(message).collect(), ..Request::default() }
}
