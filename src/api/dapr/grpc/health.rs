//! `grpc.health.v1.Health`.

use futures_util::{
    StreamExt,
    stream::{self, BoxStream},
};
use tonic::{Request, Response, Status};
use tonic_health::pb::{
    HealthCheckRequest, HealthCheckResponse, health_check_response::ServingStatus, health_server,
};

use crate::{api::forward::GrpcForward, base::drain::Drain, wire::error::Error};

/// The names under which clients check mynah: the whole server, and Dapr's service.
const SERVICES: [&str; 2] = ["", "dapr.proto.runtime.v1.Dapr"];

/// The health of a sidecar: it serves until draining starts, if the daprd behind it can be reached.
#[derive(Debug)]
pub(super) struct Health {
    pub(super) drain: Drain,
    /// The daprd behind the sidecar, if there is one.
    pub(super) forward: Option<GrpcForward>,
}

#[tonic::async_trait]
impl health_server::Health for Health {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        check_name(&request)?;
        let is_reachable = match &self.forward {
            Some(forward) => forward.is_reachable().await,
            None => true,
        };
        Ok(Response::new(health(is_reachable && !self.drain.has_started())))
    }

    type WatchStream = BoxStream<'static, Result<HealthCheckResponse, Status>>;

    /// Streams the health until draining starts.
    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        check_name(&request)?;
        let drain = self.drain.clone();
        let serving = stream::iter((!drain.has_started()).then(|| health(true)));
        let not_serving = stream::once(async move {
            drain.started().await;
            health(false)
        });
        Ok(Response::new(serving.chain(not_serving).map(Ok).boxed()))
    }
}

fn check_name(request: &Request<HealthCheckRequest>) -> Result<(), Status> {
    let is_known = SERVICES.contains(&request.get_ref().service.as_str());
    if is_known { Ok(()) } else { Err(Error::UnknownService.into()) }
}

fn health(is_serving: bool) -> HealthCheckResponse {
    let status = if is_serving { ServingStatus::Serving } else { ServingStatus::NotServing };
    HealthCheckResponse { status: status.into() }
}
