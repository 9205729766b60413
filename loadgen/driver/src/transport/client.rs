use std::rc::Rc;
use std::sync::Arc;

use loadgen_measure::ConnectionFacts;
use rustls::ClientConfig;
use tokio::time::Instant;

use super::answering::Answering;
use super::dial::Endpoint;
use super::http1::Http1;
use super::http2::Http2;
use super::sources::Sources;
use super::{Failure, Outgoing, Trace, Transport};
use crate::classify::Reply;
use crate::plan::{HttpPlan, HttpVersion};
use crate::target::Target;

/// HTTP in the version of the plan, over TCP connections with TCP_NODELAY. Lives inside a `LocalSet`.
#[derive(Debug)]
pub(crate) enum Http {
    /// One request at a time on a connection.
    One(Box<Http1>),
    /// Several.
    Two(Http2),
}

impl Http {
    /// To these targets, over at most `connections` connections at one time. `tls` is needed where one
    /// of them is an `https://` address. No workflow arrives after `arrivals_end`.
    pub(crate) fn new(
        plan: &HttpPlan,
        targets: &[Target],
        tls: Option<&Arc<ClientConfig>>,
        connections: usize,
        arrivals_end: Instant,
    ) -> Self {
        let answering = Answering::new(arrivals_end);
        let sources = Rc::new(Sources::new(&plan.sources));
        let endpoints = targets
            .iter()
            .map(|target| Endpoint::new(target, tls, &answering, &sources))
            .collect();
        match plan.version {
            HttpVersion::Http1 => {
                let http = Http1::new(plan, endpoints, connections, answering);
                Self::One(Box::new(http))
            }
            HttpVersion::Http2 => Self::Two(Http2::new(plan, endpoints, connections, answering)),
        }
    }
}

impl Transport for Http {
    async fn send(
        &self,
        request: &Outgoing<'_>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        match self {
            Self::One(http) => http.send(request, trace).await,
            // Boxed, since it is larger than the other, which then has no more than its own room.
            Self::Two(http) => Box::pin(http.send(request, trace)).await,
        }
    }

    fn connections(&self) -> ConnectionFacts {
        match self {
            Self::One(http) => http.connections(),
            Self::Two(http) => http.connections(),
        }
    }
}
