//! A tonic server like tonic's examples: `#[tokio::main]` and cargo's default release profile.

use mynah::internals::wire::proto::dapr_server::DaprServer;
use mynah_bench::{bare::Bare, serve::listen};
use tonic::transport::Server;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // Only the address is used: tonic binds it again.
    let address = listen()?.local_addr()?;
    Ok(Server::builder().add_service(DaprServer::new(Bare)).serve(address).await?)
}
