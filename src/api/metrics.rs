//! The metrics surface: `/metrics` and, as in daprd, `/`.

use std::sync::Arc;

use axum::{Router, extract::State, routing::get};
use http::header::CONTENT_TYPE;

use crate::engine::{Engine, Metrics};

/// Serves the metrics in the Prometheus text format.
pub(crate) fn router(engine: Arc<Engine>) -> Router {
    let text = async |State(engine): State<Arc<Engine>>| {
        ([(CONTENT_TYPE, Metrics::MEDIA_TYPE)], engine.metrics.text())
    };
    Router::new().route("/metrics", get(text)).route("/", get(text)).with_state(engine)
}
