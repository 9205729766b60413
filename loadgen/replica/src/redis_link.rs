use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, RedisError};

/// The Redis that a fleet's replicas share.
#[derive(Debug, Clone)]
pub struct RedisConfig {
    /// `redis://HOST:PORT/DB`.
    pub url: String,
    /// What happens to requests that need it while it gives no answer.
    pub when_down: WhenDown,
    /// How long to wait for a connection, and then for an answer.
    pub patience: Duration,
}

/// What a replica does when Redis gives no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenDown {
    /// Refuses what it cannot judge: nothing is admitted or done twice, and nothing works.
    Closed,
    /// Goes on as if there were no limit and no record of tokens used.
    Open,
}

/// A Redis URL that cannot be used. It is not shown, since it may hold a password.
#[derive(Debug, thiserror::Error)]
#[error("the Redis URL cannot be used; one is redis://HOST:PORT/DB: {0}")]
pub struct RedisUrlError(RedisError);

impl RedisConfig {
    /// How long to wait unless said otherwise.
    pub const PATIENCE: Duration = Duration::from_secs(1);

    /// Fails closed after [`RedisConfig::PATIENCE`].
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            when_down: WhenDown::Closed,
            patience: Self::PATIENCE,
        }
    }
}

/// One connection to Redis that all requests of a replica share. It is made on first use and made
/// anew after it broke. A command is never sent twice, since the first may have been obeyed: the
/// request that finds the connection broken fails, and one after it finds the new connection.
pub struct RedisLink {
    client: Client,
    when_down: WhenDown,
    patience: Duration,
    connection: OnceLock<ConnectionManager>,
    failures: AtomicU64,
}

impl RedisLink {
    /// # Errors
    /// When the URL is none that can be connected to. Whether Redis is there is not looked at.
    pub fn new(config: RedisConfig) -> Result<Self, RedisUrlError> {
        let client = Client::open(config.url).map_err(RedisUrlError)?;
        Ok(Self {
            client,
            when_down: config.when_down,
            patience: config.patience,
            connection: OnceLock::new(),
            failures: AtomicU64::new(0),
        })
    }

    pub(crate) const fn when_down(&self) -> WhenDown {
        self.when_down
    }

    /// Runs `question` over the connection and counts it if it fails.
    ///
    /// # Errors
    /// When Redis cannot be reached, does not answer in time, or answers with an error.
    pub(crate) async fn ask<T>(
        &self,
        question: impl AsyncFnOnce(&mut ConnectionManager) -> Result<T, RedisError>,
    ) -> Result<T, RedisError> {
        let answer = match self.connection() {
            Ok(mut connection) => question(&mut connection).await,
            Err(error) => Err(error),
        };
        if answer.is_err() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }

    /// Commands that Redis did not carry out.
    pub fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// Must be called inside a runtime, in which the connection then lives.
    fn connection(&self) -> Result<ConnectionManager, RedisError> {
        if let Some(connection) = self.connection.get() {
            return Ok(connection.clone());
        }
        // No retries: each request that comes while Redis is away tries once, and all that wait
        // share that try.
        let config = ConnectionManagerConfig::new()
            .set_number_of_retries(0)
            .set_connection_timeout(Some(self.patience))
            .set_response_timeout(Some(self.patience));
        let made = ConnectionManager::new_lazy_with_config(self.client.clone(), config)?;
        Ok(self.connection.get_or_init(|| made).clone())
    }
}
