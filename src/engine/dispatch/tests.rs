//! Scrubbing on the way, whatever the provider.

use std::convert::identity;

use futures_util::{FutureExt, future::BoxFuture};
use proptest::prelude::*;

use super::*;

/// Answers with its pieces.
#[derive(Clone)]
struct Pieces {
    pieces: Vec<String>,
    ends_with: Result<(), ProviderError>,
}

impl Pieces {
    fn deltas(&self) -> Vec<Result<Delta, ProviderError>> {
        let texts = self.pieces.iter().cloned().map(|text| Ok(Delta::Text(text)));
        let content = self.pieces.concat();
        let end = self
            .ends_with
            .clone()
            .map(|()| Delta::Complete(Response { content, ..Response::default() }.into()));
        texts.chain([end]).collect()
    }
}

impl Provider for Pieces {
    fn converse(
        self: Arc<Self>,
        _: Arc<Request>,
    ) -> BoxFuture<'static, Result<Response, ProviderError>> {
        let response = Response { content: self.pieces.concat(), ..Response::default() };
        async move { self.ends_with.clone().map(|()| response) }.boxed()
    }

    fn stream(self: Arc<Self>, _: Arc<Request>) -> Deltas {
        futures_util::stream::iter(self.deltas()).boxed()
    }
}

fn component(pieces: &[String], ends_with: Result<(), &str>) -> Arc<Component> {
    let ends_with = ends_with.map_err(ProviderError::internal);
    let provider = Arc::new(Pieces { pieces: pieces.to_vec(), ends_with });
    Arc::new(Component::new("c", "k", "v1", Scrubber::Dapr, provider, Calls::default()))
}

fn scrubbing() -> Request {
    Request { scrub_output: true, ..Request::default() }
}

/// The texts of a stream, and its end.
async fn streamed(component: Arc<Component>) -> (String, String) {
    let deltas: Vec<_> = component.stream(scrubbing(), identity).await.unwrap().collect().await;
    let mut text = String::new();
    for delta in deltas {
        match delta.unwrap() {
            Delta::Text(piece) => text += &piece,
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
    fn however_a_provider_cuts_nothing_leaks(
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
        let (joined, whole) = block_on(streamed(component.clone()));
        prop_assert_eq!(&joined, &expected);
        prop_assert_eq!(&whole, &expected);
        let unary = block_on(component.converse(scrubbing())).unwrap();
        prop_assert_eq!(&unary.content, &expected);
    }
}

#[tokio::test]
async fn long_answers_are_scrubbed_as_well() {
    let pieces = vec!["bob@example.com\n".to_owned(); LARGE / 4];
    let expected = "<EMAIL_ADDRESS>\n".repeat(LARGE / 4);
    let (joined, whole) = streamed(component(&pieces, Ok(()))).await;
    assert!(joined == expected && whole == expected);
}

#[tokio::test]
async fn a_stream_that_fails_says_nothing_before() {
    let broken = component(&["555 ".to_owned()], Err("broken"));
    let error = broken.stream(scrubbing(), identity).await.err().unwrap();
    assert_eq!(error.to_string(), "failed conversing with component c: broken");
}

#[tokio::test]
async fn pieces_stay_as_they_are_where_nothing_is_to_be_scrubbed() {
    let pieces = ["55".to_owned(), "5 123 4567".to_owned()];
    let deltas = component(&pieces, Ok(())).stream(Request::default(), identity).await.unwrap();
    let texts: Vec<_> = deltas.map(Result::unwrap).collect().await;
    assert_eq!(texts[..2], pieces.map(Delta::Text));
}
