//! The services of the gRPC and HTTP addresses.

use std::sync::Arc;

use ::http::HeaderValue;

use super::config::{Config, Daprd};
use crate::{
    api::{
        access::Guard,
        control::SessionAddresses,
        dapr::grpc,
        forward::{GrpcForward, HttpForward, Listing},
        http, inspector,
        session::{OfSession, Usage},
    },
    base::drain::Drain,
    engine::Engine,
    net::{HttpVersions, Protocol},
};

/// Makes the services of the program's own addresses, and of those of sessions.
#[derive(Debug, Clone)]
pub(super) struct Services {
    engine: Arc<Engine>,
    guard: Arc<Guard>,
    default_component: Option<Arc<str>>,
    inspector: Option<inspector::Service>,
    grpc: Option<GrpcForward>,
    http: Option<HttpForward>,
}

impl Services {
    pub(super) fn new(config: &Config, engine: Arc<Engine>, guard: Arc<Guard>) -> Self {
        let listing = Listing::new(engine.clone());
        let Daprd { grpc, http } = &config.daprd;
        let hosts = || config.access.hosts.clone();
        Self {
            engine,
            guard,
            inspector: config.has_inspector.then(|| inspector::Service::live(hosts())),
            default_component: config.openai_component.as_deref().map(Into::into),
            http: http.as_ref().map(|daprd| HttpForward::new(daprd, listing.clone())),
            grpc: grpc.clone().map(|daprd| GrpcForward::new(daprd, listing)),
        }
    }

    /// Returns what is served at the program's own gRPC and HTTP addresses.
    pub(super) fn main(&self, drain: &Drain, sessions: SessionAddresses) -> [Protocol; 2] {
        let (grpc, http) = self.services(drain, Some(sessions));
        let http = http.with_inspector(self.inspector.clone());
        let memory = &self.guard.memory;
        [
            Protocol::new(HttpVersions::Http2, grpc, memory.clone()),
            Protocol::new(HttpVersions::All, http, memory.clone()),
        ]
    }

    /// Returns what is served at the gRPC and HTTP addresses of a session: all but the control API. A
    /// shutdown closes these addresses only.
    pub(super) fn of_session(
        &self,
        drain: &Drain,
        session: &HeaderValue,
        usage: &Usage,
    ) -> [Protocol; 2] {
        let (grpc, http) = self.services(drain, None);
        let grpc = OfSession::new(grpc, session.clone(), usage.clone());
        let http = OfSession::new(http, session.clone(), usage.clone());
        let memory = &self.guard.memory;
        [
            Protocol::new(HttpVersions::Http2, grpc, memory.clone()),
            Protocol::new(HttpVersions::All, http, memory.clone()),
        ]
    }

    fn services(
        &self,
        drain: &Drain,
        sessions: Option<SessionAddresses>,
    ) -> (grpc::Service, http::Service) {
        let (engine, guard) = (self.engine.clone(), self.guard.clone());
        let (default, http) = (self.default_component.clone(), self.http.clone());
        let (grpc, is_session) = (self.grpc.clone(), sessions.is_none());
        let grpc =
            grpc::Service::new(engine.clone(), guard.clone(), drain.clone(), grpc, is_session);
        let http = http::Service::new(engine, guard, drain.clone(), default, http, sessions);
        (grpc, http)
    }
}
