//! A tonic server like those in tonic's examples, with `#[tokio::main]` and cargo's default release
//! profile.

use mynah_bench::{bare::Bare, proto::dapr_server::DaprServer, serve::listen};
use tonic::transport::Server;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    // Only the address is used, because tonic binds the port itself.
    let address = listen()?.local_addr()?;
    Ok(Server::builder().add_service(DaprServer::new(Bare)).serve(address).await?)
}
