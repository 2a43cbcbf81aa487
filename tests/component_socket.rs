//! Tests of the component socket, over which daprd uses mynah as a pluggable component.

mod binding;
mod conversation;
mod limits;
mod socket;

use std::path::{Path, PathBuf};

use mynah::internals::wire::components::{
    ConversationInitRequest, MetadataRequest, conversation_client::ConversationClient,
};
use tonic::{
    Request, Status,
    transport::{Channel, Endpoint},
};

use crate::support::{Sidecar, scratch};

/// A sidecar that serves the component `test` on a socket.
pub struct Pluggable {
    sidecar: Sidecar,
    socket: PathBuf,
}

impl Pluggable {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(flags: &[&str]) -> Self {
        let folder = scratch("component").join("sockets");
        let environment = [("DAPR_COMPONENTS_SOCKETS_FOLDER", folder.to_str().unwrap())];
        let flags = [&["--component-socket", "test"], flags].concat();
        let sidecar = Sidecar::start_in(&environment, &flags);
        Self { sidecar, socket: folder.join("test.sock") }
    }

    pub async fn conversation(&self) -> ConversationClient<Channel> {
        ConversationClient::new(connect(&self.socket).await)
    }

    /// Initializes an instance.
    pub async fn init(&self, instance: &str, properties: &[(&str, &str)]) -> Result<(), Status> {
        let request = ConversationInitRequest { metadata: Some(metadata(properties)) };
        let initialized = self.conversation().await.init(on(instance, request)).await;
        initialized.map(|_| ())
    }
}

async fn connect(socket: &Path) -> Channel {
    let endpoint = Endpoint::try_from(format!("unix://{}", socket.display())).unwrap();
    endpoint.connect().await.unwrap()
}

fn metadata(properties: &[(&str, &str)]) -> MetadataRequest {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    MetadataRequest { properties: properties.iter().map(owned).collect() }
}

/// Adds the name of an instance to a request, as daprd does.
pub fn on<T>(instance: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("x-component-instance", instance.parse().unwrap());
    request
}
