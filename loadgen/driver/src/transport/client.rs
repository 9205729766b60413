use std::sync::Arc;

use rustls::ClientConfig;
use tokio::time::Instant;

use super::dial::Endpoint;
use super::http1::Http1;
use super::http2::Http2;
use super::{Failure, Outgoing, Trace, Transport};
use crate::classify::Reply;
use crate::plan::{HttpPlan, HttpVersion};
use crate::target::Target;

/// HTTP in the version of the plan, over TCP connections with TCP_NODELAY. Lives inside a `LocalSet`.
#[derive(Debug)]
pub(crate) enum Http {
    /// One request at a time on a connection.
    One(Http1),
    /// Several.
    Two(Http2),
}

impl Http {
    /// To these targets, over at most `connections` connections at one time. `tls` is needed where one
    /// of them is an `https://` address.
    pub(crate) fn new(
        plan: &HttpPlan,
        targets: &[Target],
        tls: Option<&Arc<ClientConfig>>,
        connections: usize,
    ) -> Self {
        let endpoints = targets.iter().map(|t| Endpoint::new(t, tls)).collect();
        match plan.version {
            HttpVersion::Http1 => Self::One(Http1::new(plan, endpoints, connections)),
            HttpVersion::Http2 => Self::Two(Http2::new(plan, endpoints, connections)),
        }
    }
}

impl Transport for Http {
    async fn send(
        &self,
        request: Outgoing<'_>,
        trace: &Trace,
    ) -> Result<(Reply, Instant), Failure> {
        match self {
            Self::One(http) => http.send(request, trace).await,
            Self::Two(http) => http.send(request, trace).await,
        }
    }

    fn open_max(&self) -> u64 {
        match self {
            Self::One(http) => http.open_max(),
            Self::Two(http) => http.open_max(),
        }
    }
}
