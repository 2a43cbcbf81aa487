//! Tests of the memory that replies are charged for.

use futures_util::StreamExt;
use mynah_core::{
    base::{blocking::run_blocking, memory::MemoryBudget},
    chat::{Delta, Message, Role},
    provider::call::Surface,
};

use super::*;

const BASE: usize = 1000;

/// Calls echo on a blocking thread. Returns the answer, the context of the call, and the budget that the
/// call is charged to.
async fn call<T: Send + 'static>(
    invoke: fn(Arc<Echo>, Arc<Request>, CallContext) -> T,
) -> (T, CallContext, Arc<MemoryBudget>) {
    let budget = Arc::new(MemoryBudget::new(1 << 20));
    let charge = Arc::new(budget.clone().charge(BASE));
    let context = CallContext::of_sidecar(Surface::Grpc, charge, None, None);
    let echo = Arc::new(Echo::new("echo", EchoSettings::default()));
    let messages = vec![Message::new(Role::User, "hello")];
    let request = Arc::new(Request { messages, ..Request::default() });
    let of_call = context.clone();
    let answer = run_blocking(move || invoke(echo, request, of_call)).await.unwrap();
    (answer, context, budget)
}

#[tokio::test]
async fn a_reply_is_charged_while_it_waits() {
    let (reply, _context, budget) = call(Echo::converse).await;
    let charged = BASE + 2 * "hello".len();
    assert_eq!(budget.used(), charged);
    assert_eq!(reply.await.unwrap().content, "hello");
    assert_eq!(budget.used(), charged);
}

#[tokio::test]
async fn a_stream_is_charged_for_its_response() {
    let (deltas, _context, budget) = call(Echo::stream).await;
    let deltas: Vec<_> = deltas.collect().await;
    let Some(Ok(Delta::Complete(response))) = deltas.last() else { panic!("{deltas:?}") };
    assert_eq!(budget.used(), BASE + 2 * response.size());
}
