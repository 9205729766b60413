use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loadgen_replica::{Clock, Config, Connections, Replica, Server, Stopped, Transport};
use loadgen_seal::{Algorithm, Backend, Key, KeyId, KeyRing, Ttl, UnixSeconds};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// When the tests' clocks start, in seconds since 1970.
pub(crate) const NOW: u64 = 1_900_000_000;

/// How the tests' replicas serve, with a key made of this byte, and the clock that they read.
pub(crate) fn config(key: u8) -> (Config, Arc<AtomicU64>) {
    let clock = Arc::new(AtomicU64::new(NOW));
    let ring = KeyRing::single(Key::new(KeyId(1), &[key; 32], None).unwrap());
    let ttl = Ttl::try_from(600_u64).unwrap();
    let mut config = Config::new(ring, Algorithm::Aes256Gcm, Backend::AwsLcRs, ttl);
    let read = Arc::clone(&clock);
    config.clock = Clock::from_fn(move || UnixSeconds(read.load(Ordering::Relaxed)));
    (config, clock)
}

/// A replica that serves on a free loopback port until it is dropped or stopped.
pub(crate) struct Running {
    pub(crate) address: std::net::SocketAddr,
    pub(crate) url: String,
    pub(crate) replica: Arc<Replica>,
    pub(crate) clock: Arc<AtomicU64>,
    pub(crate) connections: Arc<Connections>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<Stopped>,
}

impl Running {
    /// With the key that most tests share.
    pub(crate) async fn start() -> Self {
        Self::with(7, |_| ()).await
    }

    /// With a key made of this byte, and the configuration changed.
    pub(crate) async fn with(key: u8, change: impl FnOnce(&mut Config)) -> Self {
        Self::serving(key, change, Transport::default()).await
    }

    /// With the key that most tests share, behind this transport.
    pub(crate) async fn behind(transport: Transport) -> Self {
        Self::serving(7, |_| (), transport).await
    }

    /// With all of these.
    pub(crate) async fn serving(
        key: u8,
        change: impl FnOnce(&mut Config),
        transport: Transport,
    ) -> Self {
        let (mut config, clock) = config(key);
        change(&mut config);
        let replica = Arc::new(Replica::new(config).unwrap());
        let listen = ([127, 0, 0, 1], 0).into();
        let server = Server::bind(listen, Arc::clone(&replica), transport)
            .await
            .unwrap();
        let (stop, stopped) = oneshot::channel();
        Self {
            address: server.address(),
            url: server.url(),
            replica,
            clock,
            connections: server.connections(),
            stop,
            task: tokio::spawn(async {
                let stopped = async {
                    let _ = stopped.await;
                };
                server
                    .run(stopped, Duration::from_secs(3600))
                    .await
                    .unwrap()
            }),
        }
    }

    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.fetch_add(seconds, Ordering::Relaxed);
    }

    pub(crate) fn begin_stop(self) -> JoinHandle<Stopped> {
        self.stop.send(()).unwrap();
        self.task
    }
}
