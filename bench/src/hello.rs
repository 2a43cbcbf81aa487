//! tonic as its examples have it: `#[tokio::main]`, and cargo's own release profile.

use mynah::wire::proto::dapr_server::DaprServer;
use mynah_bench::{bare::Bare, shape::listen};
use tonic::transport::Server;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // Taken for its address only; tonic binds by itself.
    let address = listen()?.local_addr()?;
    Ok(Server::builder().add_service(DaprServer::new(Bare)).serve(address).await?)
}
