//! The component socket, over which daprd uses mynah as a pluggable component: as a conversation
//! component and as an output binding.

mod methods;
mod pluggable;

use std::{
    convert::Infallible,
    path::PathBuf,
    sync::{Arc, LazyLock},
};

use axum::Router;
use futures_util::{FutureExt, future};
use http::{Request, Response};
use tokio::sync::Semaphore;
use tonic::body::Body;

use self::pluggable::{ComponentCall, Pluggable};
use super::{
    access::Guard,
    grpc::{
        incoming::{self, Incoming, Served},
        method::not_served,
        refusal,
    },
};
use crate::{
    base::{drain::Drain, memory::MemoryBudget},
    component::Context,
    engine::Engine,
    net::RequestBody,
    wire::{COMPONENT_DESCRIPTORS, error::Error},
};

const CONVERSATION: &str = "/dapr.proto.components.v1.Conversation/";
const BINDING: &str = "/dapr.proto.components.v1.OutputBinding/";

/// Built on first use: parsing the descriptors takes long.
#[expect(clippy::expect_used, reason = "the descriptors come from the build script")]
static REFLECTION_ROUTER: LazyLock<Router> = LazyLock::new(|| {
    incoming::reflection(&[COMPONENT_DESCRIPTORS]).expect("descriptors from the build script")
});

/// Serves a conversation component, an output binding and reflection. daprd sends no token: the
/// mode of the socket file decides who may call.
#[derive(Debug, Clone)]
pub(crate) struct Service {
    component: Arc<Pluggable>,
    drain: Drain,
}

impl Service {
    /// Creates the service of one socket. `files` is the folder of the files that instances may use,
    /// and `memory` is what the instances of all sockets may take.
    pub(crate) fn new(
        engine: Arc<Engine>,
        guard: Arc<Guard>,
        context: Context,
        files: Option<PathBuf>,
        memory: Arc<MemoryBudget>,
        drain: Drain,
    ) -> Self {
        let (instances, turn) = (engine.add_socket(), Arc::new(Semaphore::new(1)));
        let component = Pluggable { engine, guard, context, files, memory, instances, turn };
        Self { component: Arc::new(component), drain }
    }
}

impl hyper::service::Service<Request<RequestBody>> for Service {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Served;

    fn call(&self, request: Request<RequestBody>) -> Self::Future {
        if let Some(refusal) = refusal::refuse(&request) {
            return future::ok(refusal).boxed();
        }
        let path = request.uri().path().to_owned();
        let transport = request.body().call().clone();
        let call = || ComponentCall { component: self.component.clone(), transport };
        let incoming = Incoming::new(&self.component.guard, request);
        if let Some(method) = path.strip_prefix(CONVERSATION) {
            incoming.answer(|request| methods::conversation(call(), method, request))
        } else if let Some(method) = path.strip_prefix(BINDING) {
            incoming.answer(|request| methods::binding(call(), method, request))
        } else if path.starts_with(incoming::REFLECTION) {
            incoming.reflect(&REFLECTION_ROUTER, &self.drain)
        } else {
            incoming.answer(|_| not_served(Error::NotServed))
        }
    }
}
