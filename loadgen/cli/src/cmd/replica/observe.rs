use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use loadgen_replica::{AccessLog, Config, Metrics, MetricsServer, Replica, Server};

use crate::cmd::replica::values::loopback_unless_said;
use crate::console;

/// How long the access log gets to write its last lines.
const LAST_LINES: Duration = Duration::from_secs(2);

/// What the replica tells of itself.
#[derive(Debug, clap::Args)]
pub(crate) struct ObserveArgs {
    /// Serve the replica's counts for Prometheus at http://ADDR/metrics, on a listener of its own; a
    /// port alone is one of 127.0.0.1, and port 0 any free one. The ready line says where.
    #[arg(long, value_name = "ADDR", value_parser = loopback_unless_said)]
    metrics: Option<SocketAddr>,

    /// Count how often each requestState was used to carry out this tool, for the metrics; more than
    /// once is what single use is to prevent. May be given again for another tool.
    #[arg(long, value_name = "TOOL", requires = "metrics")]
    watch_tokens_of: Vec<String>,

    /// Append one JSON line for each request to this file, or write it to standard output for -.
    /// Lines that cannot be written in time are lost, and counted.
    #[arg(long, value_name = "PATH")]
    access_log: Option<PathBuf>,
}

impl ObserveArgs {
    /// Says what is to be observed. Opens the access log, if there is to be one.
    ///
    /// # Errors
    /// When its file cannot be written.
    pub(crate) fn apply(&self, config: &mut Config) -> anyhow::Result<()> {
        config.watch_tokens_of.clone_from(&self.watch_tokens_of);
        config.access_log = self.access_log()?;
        Ok(())
    }

    fn access_log(&self) -> anyhow::Result<Option<AccessLog>> {
        let Some(path) = &self.access_log else {
            return Ok(None);
        };
        let log = if path.as_os_str() == "-" {
            AccessLog::new(io::stdout())
        } else {
            File::options()
                .append(true)
                .create(true)
                .open(path)
                .and_then(AccessLog::new)
        };
        let log = log.with_context(|| format!("cannot write --access-log {}", path.display()))?;
        Ok(Some(log))
    }

    /// Serves the metrics, if they are wanted.
    ///
    /// # Errors
    /// When their address cannot be listened on.
    pub(crate) fn metrics(
        &self,
        replica: &Arc<Replica>,
        server: &Server,
    ) -> anyhow::Result<Option<MetricsServer>> {
        let Some(at) = self.metrics else {
            return Ok(None);
        };
        let metrics = Metrics::new(Arc::clone(replica), server.connections());
        let serving = MetricsServer::start(at, metrics)
            .with_context(|| format!("cannot listen on {at} for --metrics"))?;
        Ok(Some(serving))
    }
}

/// Writes what is left of the log, and says what is not in it.
pub(crate) fn close(log: &AccessLog) {
    let closed = log.close(LAST_LINES);
    if let Some(error) = closed.error {
        console::say(format_args!("loadgen replica: access log: {error}"));
    }
    if closed.lost > 0 {
        console::say(format_args!(
            "loadgen replica: lines lost from the access log: {}",
            closed.lost
        ));
    }
}
