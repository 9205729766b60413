use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::Context as _;
use loadgen_replica::{Config, Principals};

use crate::input;

/// Who may call the replica.
#[derive(Debug, clap::Args)]
pub(crate) struct CallerArgs {
    /// Let in only the bearer tokens of this TOML file: `[[principal]]` tables, each with a name, a
    /// list of tokens and, if it may not call every tool, a list of tools. Without it everybody may
    /// call, and a requestState is bound to the Authorization field as it is.
    #[arg(long, value_name = "PATH")]
    principals: Option<PathBuf>,

    /// Let clients call the replica by this host name too, beside localhost, loopback addresses and
    /// the address of --listen; may be given several times.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// Let pages of this origin (scheme://host:port) call too, beside those of this machine; may be
    /// given several times.
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
}

impl CallerArgs {
    /// Reads the principals and checks the names.
    ///
    /// # Errors
    /// When the file cannot be read or used, or a name is none.
    pub(crate) fn apply(&self, listen: IpAddr, config: &mut Config) -> anyhow::Result<()> {
        let mut hosts = std::mem::take(&mut config.hosts).listening_on(listen);
        for name in &self.allow_host {
            hosts = hosts.and(name).context("--allow-host")?;
        }
        config.hosts = hosts;
        let mut origins = std::mem::take(&mut config.origins);
        for origin in &self.allow_origin {
            origins = origins.and(origin).context("--allow-origin")?;
        }
        config.origins = origins;
        if let Some(path) = &self.principals {
            let text = input::text(path)
                .with_context(|| format!("cannot read --principals {}", path.display()))?;
            let table = Principals::parse(&text)
                .with_context(|| format!("--principals {}", path.display()))?;
            config.principals = Some(table);
        }
        Ok(())
    }
}
