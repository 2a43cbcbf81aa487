//! Tests of scrubbing and streams, which work the same for every provider.

use futures_util::{Stream, StreamExt};
use proptest::prelude::*;

use super::*;
use crate::{
    chat::{Delta, Response},
    engine::Engine,
};

/// A provider that streams the given pieces and then a response or an error.
#[derive(Clone)]
struct Pieces {
    pieces: Vec<String>,
    end: Result<(), ProviderError>,
}

impl Pieces {
    fn deltas(&self) -> Vec<Result<Delta, ProviderError>> {
        let texts = self.pieces.iter().cloned().map(|text| Ok(Delta::Text(text)));
        let content = self.pieces.concat();
        let end = self
            .end
            .clone()
            .map(|()| Delta::Complete(Response { content, ..Response::default() }.into()));
        texts.chain([end]).collect()
    }
}

impl Provider for Pieces {
    fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
        Answering::Pieces(futures_util::stream::iter(self.deltas()).boxed())
    }
}

fn new_component(metrics: &Metrics) -> Component {
    Component::new(&crate::component::built_in(), metrics, &Arc::default(), &Arc::default())
}

fn component(pieces: &[String], end: Result<(), &str>) -> Arc<Component> {
    let end = end.map_err(ProviderError::internal);
    let component = new_component(&Metrics::new("app"));
    let provider = Arc::new(Pieces { pieces: pieces.to_vec(), end });
    Arc::new(Component { provider, ..component })
}

fn context() -> CallContext {
    CallContext::default()
}

fn recording() -> Recording {
    Engine::new("app", &[]).record(&mut context(), false, || None)
}

/// Returns the whole response of a component.
async fn converse(
    component: &Arc<Component>,
    request: Arc<Request>,
    context: CallContext,
) -> Result<Response, Error> {
    let (cancel, mut recording) = (context.cancel_on_drop(), recording());
    recording.reached(&component.metrics, &context);
    let call = component.clone().call(request, context);
    call.converse(&mut recording, &cancel).await.map(|response| *response)
}

/// Returns the deltas of a component.
async fn stream(
    component: Arc<Component>,
    request: Arc<Request>,
) -> Result<impl Stream<Item = Result<Delta, Error>>, Error> {
    let (context, mut recording) = (context(), recording());
    recording.reached(&component.metrics, &context);
    let cancel = context.cancel_on_drop();
    let call = component.call(request, context);
    call.stream(recording, cancel, Some).await
}

fn scrubbing() -> Arc<Request> {
    Arc::new(Request { scrub_output: true, ..Request::default() })
}

/// Returns the concatenated text deltas of a stream, and the content of its last delta.
async fn streamed(component: &Arc<Component>) -> (String, String) {
    let deltas: Vec<_> = stream(component.clone(), scrubbing()).await.unwrap().collect().await;
    let mut text = String::new();
    for delta in deltas {
        match delta.unwrap() {
            Delta::Text(piece) => text += &piece,
            Delta::Reasoning(_) => {}
            Delta::Complete(response) => return (text, response.content),
        }
    }
    panic!("a stream without an end")
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(work)
}

proptest! {
    #[test]
    fn scrubs_data_that_spans_pieces(
        text in "((bob@example\\.com|555 123 4567|10\\.8\\.9\\.1|é|[a-z]{1,3}) ?){0,12}",
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let ends = || text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| ends().nth(cut.index(ends().count())).unwrap()).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<_> = cuts.windows(2).map(|cut| text[cut[0]..cut[1]].to_owned()).collect();
        let component = component(&pieces, Ok(()));
        let expected = Scrubber::Dapr.scrub(&text);
        let (joined, whole) = block_on(streamed(&component));
        prop_assert_eq!(&joined, &expected);
        prop_assert_eq!(&whole, &expected);
        let unary = block_on(converse(&component, scrubbing(), context())).unwrap();
        prop_assert_eq!(&unary.content, &expected);
    }
}

#[tokio::test]
async fn scrubs_long_answers() {
    let pieces = vec!["bob@example.com\n".to_owned(); LARGE / 4];
    let expected = "<EMAIL_ADDRESS>\n".repeat(LARGE / 4);
    let (joined, whole) = streamed(&component(&pieces, Ok(()))).await;
    assert!(joined == expected && whole == expected);
}

#[tokio::test]
async fn a_failing_stream_sends_no_unscrubbed_text() {
    let broken = component(&["555 ".to_owned()], Err("broken"));
    let error = stream(broken, scrubbing()).await.err().unwrap();
    assert_eq!(error.to_string(), "failed conversing with component echo: broken");
}

#[tokio::test]
async fn keeps_pieces_if_nothing_is_scrubbed() {
    let pieces = ["55".to_owned(), "5 123 4567".to_owned()];
    let deltas = stream(component(&pieces, Ok(())), Arc::default()).await.unwrap();
    let texts: Vec<_> = deltas.map(Result::unwrap).collect().await;
    assert_eq!(texts[..2], pieces.map(Delta::Text));
}

/// A provider that records whether it has been called.
struct Called(std::sync::atomic::AtomicBool);

impl Provider for Called {
    fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
        self.0.store(true, std::sync::atomic::Ordering::SeqCst);
        Response::default().into()
    }
}

#[tokio::test]
async fn a_cancelled_call_does_not_reach_the_provider() {
    let provider = Arc::new(Called(false.into()));
    let component = new_component(&Metrics::new("app"));
    let component = Arc::new(Component { provider: provider.clone(), ..component });
    let context = context();
    drop(context.cancel_on_drop());
    let result = converse(&component, Arc::default(), context).await;
    assert_eq!(
        result.unwrap_err().to_string(),
        "failed conversing with component echo: the call was cancelled"
    );
    assert!(!provider.0.load(std::sync::atomic::Ordering::SeqCst));
}

#[tokio::test]
async fn a_panic_fails_the_call_only() {
    struct Panicking;
    impl Provider for Panicking {
        fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
            panic!("in a provider")
        }
    }
    let metrics = Metrics::new("app");
    let component = Component { provider: Arc::new(Panicking), ..new_component(&metrics) };
    let component = Arc::new(component);
    let unary = converse(&component, Arc::default(), context()).await;
    let streamed = stream(component.clone(), Arc::default()).await;
    let message = "failed conversing with component echo: the provider panicked; see the log";
    for error in [unary.err(), streamed.err()] {
        assert_eq!(error.unwrap().to_string(), message);
    }
    assert!(metrics.text().contains("success=\"false\"} 2\n"), "{}", metrics.text());
}

#[test]
fn records_the_component_that_another_thread_has_reached() {
    let metrics = Metrics::new("app");
    let component = Arc::new(new_component(&metrics));
    let mut recording = recording();
    let elsewhere = recording.reached_elsewhere();
    std::thread::spawn({
        let component = component.clone();
        move || elsewhere.reached(&component.metrics, &context())
    })
    .join()
    .unwrap();
    drop(recording);
    assert!(metrics.text().contains("success=\"false\"} 1\n"), "{}", metrics.text());
}

#[tokio::test]
async fn converse_drains_the_stream_by_default() {
    let whole = component(&["a ".to_owned(), "b".to_owned()], Ok(()));
    let response = converse(&whole, Arc::default(), context()).await.unwrap();
    assert_eq!(response.content, "a b");
}

#[tokio::test]
async fn a_stream_without_its_last_delta_fails() {
    struct Truncated(&'static [&'static str]);
    impl Provider for Truncated {
        fn answer(self: Arc<Self>, _: Arc<Request>, _: CallContext) -> Answering {
            let deltas = self.0.iter().map(|text| Ok(Delta::Text((*text).to_owned())));
            Answering::Pieces(futures_util::stream::iter(deltas).boxed())
        }
    }
    let message =
        "failed conversing with component echo: the stream ended before the response was complete";
    for texts in [&["half"][..], &[]] {
        let metrics = Metrics::new("app");
        let component = new_component(&metrics);
        let component = Arc::new(Component { provider: Arc::new(Truncated(texts)), ..component });
        let mut pieces: Vec<_> = match stream(component.clone(), Arc::default()).await {
            Ok(stream) => stream.collect().await,
            Err(error) => vec![Err(error)],
        };
        let error = pieces.pop().unwrap().unwrap_err().to_string();
        assert_eq!((error.as_str(), pieces.len()), (message, texts.len()));
        let unary = converse(&component, Arc::default(), context()).await;
        assert_eq!(unary.unwrap_err().to_string(), message);
        for count in ["success=\"false\"} 2\n", "success=\"true\"} 0\n"] {
            assert!(metrics.text().contains(count), "{}", metrics.text());
        }
    }
}
