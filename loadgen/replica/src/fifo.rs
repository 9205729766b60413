//! The service mode in which a replica is one queueing-theory server: first come, first served,
//! with a service time that is constant or exponential, so that its response times are known
//! exactly and a generator's figures can be checked against them.

mod line;
mod schedule;
mod service_time;

use std::time::Duration;

use schedule::Schedule;

pub(crate) use line::Line;
pub(crate) use schedule::Full;
pub use service_time::{BadServiceTime, ServiceTime};

/// One server with one queue in a replica: each request to a tool, prompt or resource waits its
/// turn and then takes one service time; a workflow of three rounds comes three times. Lists and
/// refusals that need no item take none.
///
/// Under Poisson arrivals of rate λ (per second), with S the service time (seconds) and the load
/// ρ = λE\[S\] below 1, the mean response time is `E[S] + λE[S²] / (2(1 - ρ))`
/// (Pollaczek-Khinchine; Kleinrock, Queueing Systems 1, 1975, section 5.6), and with an exponential
/// S of rate μ the whole distribution is `P(R > t) = exp(-(μ - λ)t)` (M/M/1; the same, section
/// 3.2). What a replica really does with a request, some tens of microseconds, comes on top.
///
/// A request that its client gives up keeps its place, as with a server that cannot look behind the
/// one it serves: the times of the others stay what they were going to be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fifo {
    /// How long the server takes for one request.
    pub service: ServiceTime,
    /// Seed of the exponential service times: equal seeds give equal times, in order of arrival.
    pub seed: u64,
}

impl Fifo {
    /// When requests that arrive at these moments, in order and as offsets from a common start, have
    /// been served: what the queue does with them, without sockets. `None` for one that is turned
    /// away because it would wait for more than a minute.
    pub fn finishes(
        self,
        arrivals: impl IntoIterator<Item = Duration>,
    ) -> impl Iterator<Item = Option<Duration>> {
        let mut schedule = Schedule::new(self);
        arrivals
            .into_iter()
            .map(move |arrival| schedule.admit(arrival).ok())
    }
}
