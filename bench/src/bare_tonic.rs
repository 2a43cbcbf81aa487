//! A minimal tonic server with mynah's threads and allocator.

use std::time::Duration;

use futures_util::stream;
use mimalloc::MiMalloc;
use mynah_bench::{
    bare::Bare,
    proto::dapr_server::DaprServer,
    serve::{Connections, serve},
};
use tonic::transport::Server;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> anyhow::Result<()> {
    serve(work)
}

async fn work(connections: Connections) -> anyhow::Result<()> {
    let accepted = stream::unfold(connections, |mut connections| async {
        Some((connections.next().await?, connections))
    });
    let served = Server::builder()
        .http2_keepalive_interval(Some(Duration::from_secs(10)))
        .http2_keepalive_timeout(Some(Duration::from_secs(5)))
        .max_concurrent_streams(1024)
        .add_service(DaprServer::new(Bare))
        .serve_with_incoming(accepted);
    Ok(served.await?)
}
