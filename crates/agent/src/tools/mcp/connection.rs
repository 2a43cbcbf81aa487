//! Connects to a server, and again if the connection is lost.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use mynah_core::base::{clock::within, memory::Reservation};
use rmcp::{
    RoleClient, ServiceError,
    model::{
        CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientCapabilities,
        ClientConfig, ClientRequest, Implementation, ServerResult,
    },
    service::{ClientInitializeError, PeerRequestOptions, RunningService, serve_client},
    transport::{DynamicTransportError, Transport, streamable_http_client::StreamableHttpError},
};
use scopeguard::ScopeGuard;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;

use super::{
    http::HttpFailure,
    source::Endpoint,
    stdio::{Ending, StdioTransport},
};

/// Time for a server to start and to list its tools.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection to a server. Its tasks belong to the runtime that opened it.
pub(super) struct Connection {
    pub(super) service: RunningService<RoleClient, ClientConfig>,
    ending: Ending,
}

impl Connection {
    /// Fails with a message if there is no server that speaks MCP.
    async fn open(endpoint: &Endpoint) -> Result<Self, String> {
        match endpoint {
            Endpoint::Command(argv) => {
                let transport = StdioTransport::start(argv)
                    .map_err(|error| format!("cannot run {}: {error}", argv.program))?;
                let ending = transport.ending.clone();
                Self::initialize(transport, ending).await
            }
            Endpoint::Http(endpoint) => {
                Self::initialize(endpoint.connect(), Ending::default()).await
            }
        }
    }

    async fn initialize(
        transport: impl Transport<RoleClient> + 'static,
        ending: Ending,
    ) -> Result<Self, String> {
        let name = Implementation::new("mynah", env!("CARGO_PKG_VERSION"));
        let client = ClientConfig::new(ClientCapabilities::default(), name);
        match serve_client(client, transport).await {
            Ok(service) => Ok(Self { service, ending }),
            Err(error) => Err(ending.get().cloned().unwrap_or_else(|| initialize_error(error))),
        }
    }

    /// Calls a tool. The transport reserves memory before it reads the result. Dropping the future
    /// notifies the server that the call is cancelled.
    pub(super) async fn call(
        &self,
        params: CallToolRequestParams,
        memory: Arc<Reservation>,
    ) -> Result<ServerResult, ServiceError> {
        let mut request = CallToolRequest::new(params);
        request.extensions.insert(memory);
        let options = PeerRequestOptions::no_options();
        let request = ClientRequest::CallToolRequest(request);
        let call = self.service.send_cancellable_request(request, options).await?;
        let (peer, id) = (call.peer.clone(), call.id.clone());
        let abandoned = scopeguard::guard(Handle::current(), |runtime| {
            let reason = Some("request abandoned by the caller".to_owned());
            let cancelled = CancelledNotificationParam::new(Some(id), reason);
            runtime.spawn(async move { peer.notify_cancelled(cancelled).await });
        });
        let result = call.await_response().await;
        ScopeGuard::into_inner(abandoned);
        result
    }

    fn is_lost(&self) -> bool {
        self.ending.get().is_some() || self.service.is_transport_closed()
    }

    /// Returns the message of an error. An error of the transport ends the connection.
    pub(super) fn explain(&self, error: ServiceError) -> String {
        match error {
            ServiceError::McpError(error) => error.message.into_owned(),
            ServiceError::UnexpectedResponse => {
                "the MCP server sent an unexpected response".to_owned()
            }
            ServiceError::TransportSend(error) => {
                // The server may have lost the session, but others can be opened.
                self.ending.get_or_init(|| transport_error(&error)).clone()
            }
            ServiceError::TransportClosed => {
                let ending = self.ending.get_or_init(|| "it closed the connection".to_owned());
                format!("the connection to the MCP server is lost: {ending}")
            }
            error => error.to_string(),
        }
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("ending", &self.ending).finish_non_exhaustive()
    }
}

fn initialize_error(error: ClientInitializeError) -> String {
    match error {
        ClientInitializeError::JsonRpcError(error) => error.message.into_owned(),
        ClientInitializeError::ConnectionClosed(_) => "it closed the connection".to_owned(),
        ClientInitializeError::TransportError { error, .. } => transport_error(&error),
        error => error.to_string(),
    }
}

fn transport_error(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref() {
        Some(StreamableHttpError::Client(HttpFailure(reason))) => reason.clone(),
        Some(error) => error.to_string(),
        None => error.error.to_string(),
    }
}

type Opening = Shared<BoxFuture<'static, Result<Arc<Connection>, String>>>;

/// The current connection to a server.
#[derive(Debug)]
pub(super) struct Link {
    endpoint: Arc<Endpoint>,
    /// The runtime of all connections.
    runtime: Handle,
    opening: Mutex<Opening>,
}

impl Link {
    /// Connects to a server. Dropping the future closes the connection.
    pub(super) async fn open(endpoint: Endpoint) -> Result<Self, String> {
        let (endpoint, runtime) = (Arc::new(endpoint), Handle::current());
        let opening = open(endpoint.clone(), &runtime);
        opening.clone().await?;
        Ok(Self { endpoint, runtime, opening: opening.into() })
    }

    /// Returns the connection. Connects again if it is lost. Concurrent calls share one attempt,
    /// which continues if they end early.
    pub(super) async fn connection(&self) -> Result<Arc<Connection>, String> {
        let connection = self.opening().await?;
        if !connection.is_lost() {
            return Ok(connection);
        }
        // It was lost before this call, but no call has waited for it since it was opened.
        self.opening().await
    }

    fn opening(&self) -> Opening {
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        let is_usable = match opening.peek() {
            None => true,
            Some(Ok(connection)) => !connection.is_lost(),
            Some(Err(_)) => false,
        };
        if !is_usable {
            *opening = open(self.endpoint.clone(), &self.runtime);
        }
        opening.clone()
    }
}

fn open(endpoint: Arc<Endpoint>, runtime: &Handle) -> Opening {
    let opening = runtime.spawn(async move {
        let connection = within(START_TIMEOUT, Connection::open(&endpoint)).await;
        connection.unwrap_or_else(|| Err(format!("no answer within {START_TIMEOUT:?}")))
    });
    let opening = AbortOnDropHandle::new(opening);
    let result = async move {
        // The task neither panics nor is aborted before the end of its runtime.
        let result = opening.await.unwrap_or_else(|_| Err("mynah is stopping".to_owned()));
        result.map(Arc::new)
    };
    result.boxed().shared()
}
