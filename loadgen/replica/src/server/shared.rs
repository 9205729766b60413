use std::sync::Arc;

use tokio::sync::Notify;

use crate::replica::Replica;
use crate::server::Transport;
use crate::server::connections::{Connections, Happened};
use crate::server::intake::LargeBodies;
use crate::server::policy::ConnectionPolicy;
use crate::server::tls::Tls;

/// What all connections of a server have in common.
pub(crate) struct Shared {
    pub(crate) replica: Arc<Replica>,
    pub(crate) policy: Arc<ConnectionPolicy>,
    pub(crate) connections: Arc<Connections>,
    pub(crate) large_bodies: LargeBodies,
    pub(crate) tls: Option<Tls>,
    /// Told when a connection has ended while an accept limit was set.
    pub(crate) room: Notify,
}

/// Counts a connection from its acceptance to its end.
pub(crate) struct Open(Arc<Shared>);

impl Shared {
    pub(crate) fn new(replica: Arc<Replica>, transport: Transport) -> Self {
        Self {
            replica,
            policy: transport.policy,
            connections: Arc::default(),
            large_bodies: LargeBodies::new(transport.threads),
            tls: transport.tls,
            room: Notify::new(),
        }
    }
}

impl Open {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        shared.connections.count(Happened::Accepted);
        Self(Arc::clone(shared))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.connections.count(Happened::Ended);
        if self.0.policy.accept_limit().is_some() {
            self.0.room.notify_one();
        }
    }
}
