use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::{Id, JoinSet};
use tokio::time::Instant;

use crate::server::Stopped;
use crate::server::connection::Protocol;
use crate::server::connections::Happened;
use crate::server::keeper::{Idle, Keeper, TICK, Verdict};
use crate::server::link::{Link, Order};
use crate::server::shared::Shared;

/// The connections of one thread.
pub(crate) struct Crowd {
    shared: Arc<Shared>,
    protocol: Arc<Protocol>,
    tasks: JoinSet<()>,
    members: HashMap<Id, Member>,
    changes: watch::Receiver<()>,
    idle: Option<Idle>,
    next_look: Instant,
}

struct Member {
    link: Arc<Link>,
    keeper: Keeper,
}

impl Crowd {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        let mut crowd = Self {
            shared: Arc::clone(shared),
            protocol: Arc::default(),
            tasks: JoinSet::new(),
            members: HashMap::new(),
            changes: shared.policy.changes(),
            idle: None,
            next_look: Instant::now() + TICK,
        };
        crowd.read_policy();
        crowd
    }

    /// Serves one connection more, and drops `seat` when that has ended.
    pub(crate) fn take(&mut self, stream: TcpStream, seat: impl Send + 'static) {
        let link = Arc::new(Link::new(Arc::clone(&self.shared)));
        let serving = Arc::clone(&self.protocol).serve(stream, Arc::clone(&link));
        let task = self.tasks.spawn(async move {
            serving.await;
            drop(seat);
        });
        let keeper = Keeper::default();
        self.members.insert(task.id(), Member { link, keeper });
        if let Some(idle) = self.idle {
            self.next_look = self.next_look.min(Instant::now() + idle.after);
        }
    }

    /// Waits for one thing to happen and deals with it. Nothing is lost when it is dropped.
    pub(crate) async fn turn(&mut self) {
        tokio::select! {
            biased;
            Some(ended) = self.tasks.join_next_with_id() => {
                let id = match ended {
                    Ok((id, ())) => id,
                    Err(e) => e.id(),
                };
                self.members.remove(&id);
            }
            Ok(()) = self.changes.changed() => self.read_policy(),
            () = tokio::time::sleep_until(self.next_look) => self.look(),
        }
    }

    /// Lets what has begun finish for `grace`, then cuts off what is left.
    pub(crate) async fn finish(mut self, grace: Duration) -> Stopped {
        for member in self.members.values() {
            member.link.tell(Order::Finish);
        }
        let emptied = async {
            while !self.tasks.is_empty() {
                self.turn().await;
            }
        };
        match tokio::time::timeout(grace, emptied).await {
            Ok(()) => Stopped::Drained,
            Err(_) => Stopped::Cut,
        }
    }

    fn read_policy(&mut self) {
        let now = Instant::now();
        let after = self.shared.policy.idle();
        if after != self.idle.map(|idle| idle.after) {
            self.idle = after.map(|after| Idle { after, since: now });
        }
        self.next_look = self.next_look.min(now + after.unwrap_or(TICK));
    }

    fn look(&mut self) {
        let now = Instant::now();
        let mut next = now + self.idle.map_or(TICK, |idle| idle.after.min(TICK));
        for member in self.members.values_mut() {
            let seen = member.link.seen();
            let connections = &self.shared.connections;
            match member.keeper.judge(&seen, self.idle, now) {
                Verdict::Keep => {
                    if let Some(idle) = self.idle
                        && seen.in_flight == 0
                        && seen.order == Order::Serve
                    {
                        next = next.min(idle.deadline(&seen));
                    }
                }
                Verdict::Idle => {
                    connections.count(Happened::ClosedIdle);
                    member.link.tell(Order::Finish);
                }
                Verdict::Slow => {
                    connections.count(Happened::ClosedSlow);
                    member.link.tell(Order::Cut);
                }
                Verdict::Leftover => member.link.tell(Order::Cut),
            }
        }
        self.next_look = next;
    }
}
