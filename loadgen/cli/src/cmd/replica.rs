mod callers;
mod control;
mod limits;
mod observe;
mod transport;
pub(super) mod values;

use std::io::{self, BufRead, Read as _, Write};
use std::net::SocketAddr;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use loadgen_replica::{
    Cause, Config, Counters, Fifo, Replica, ReplyForm, Server, ServiceTime, SetupError, Stopped,
};
use loadgen_seal::{Algorithm, Backend, Key, KeyId, KeyRing, Reason, Ttl};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::oneshot;

use crate::cmd::replica::callers::CallerArgs;
use crate::cmd::replica::control::ControlArgs;
use crate::cmd::replica::limits::LimitArgs;
use crate::cmd::replica::observe::ObserveArgs;
use crate::cmd::replica::transport::TransportArgs;
use crate::console;

/// How long requests that have begun get to finish after the replica was told to stop.
const GRACE: Duration = Duration::from_secs(5);

/// The most that is read of keys on standard input, in bytes: a ring has at most 256.
const KEYS_MAX_BYTES: u64 = 1 << 20;

/// Serve the reference server: one stateless MCP replica.
///
/// Prints one JSON line with its address when it is ready. SIGTERM or SIGINT stops it: it accepts
/// nothing more, finishes what has begun and exits with 0.
#[derive(Debug, clap::Args)]
pub(crate) struct ReplicaArgs {
    /// Address to listen on; a port alone is one of 127.0.0.1, and port 0 any free one.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = values::loopback_unless_said)]
    listen: SocketAddr,

    /// Read the keys from standard input, one a line, up to an empty line; then go on as with
    /// --parent-stdin.
    #[arg(long, conflicts_with = "key_file")]
    keys_from_stdin: bool,

    /// Read the keys from this file, one a line: `ID:mint|accept:MATERIAL[:CREATED]`, the material in
    /// unpadded base64url, at least 32 bytes. Without keys a random one is made.
    #[arg(long, value_name = "PATH")]
    key_file: Option<PathBuf>,

    /// Obey the lines of standard input, as docs/faults.md says, and stop when it closes.
    #[arg(long)]
    parent_stdin: bool,

    /// How long a requestState lives, in seconds; every round's state starts anew.
    #[arg(long, value_name = "SECONDS", default_value = "600")]
    ttl: Ttl,

    /// How long a workflow may take from its first question, in seconds [default: six times --ttl].
    #[arg(long, value_name = "SECONDS")]
    flow_ttl: Option<Ttl>,

    /// The service that states are minted for; replicas of one fleet share it.
    #[arg(long, value_name = "NAME", default_value = Config::AUDIENCE)]
    audience: String,

    /// What protects requestState: xaes-256-gcm, aes-256-gcm, aes-256-gcm-siv, chacha20-poly1305 or
    /// xchacha20-poly1305; or hmac-sha256 or blake3, which leave it readable.
    #[arg(long, value_name = "NAME", default_value_t = Config::ALGORITHM, value_parser = values::algorithm)]
    algorithm: Algorithm,

    /// Which cryptography library computes it; not each has each algorithm [default: the first that
    /// has it, of aws-lc-rs, ring, rustcrypto, graviola, blake3].
    #[arg(long, value_name = "NAME", value_parser = values::backend)]
    backend: Option<Backend>,

    /// Offer what the official conformance suite looks up by name too. It makes lists several times
    /// as long.
    #[arg(long)]
    conformance: bool,

    /// In which form results are sent: json, sse (every result as server-sent events) or auto (events
    /// only where there is something to say before the result).
    #[arg(long, value_name = "FORM", default_value_t = ReplyForm::default())]
    replies: ReplyForm,

    /// Serve tools, prompts and resources one at a time in order of arrival, each for a constant or an
    /// exponentially distributed time: const:300us, exp:1ms.
    #[arg(long, value_name = "LAW:TIME")]
    fifo: Option<ServiceTime>,

    /// Seed of the exponential service times.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "fifo")]
    fifo_seed: u64,

    /// How many entries a page of a list has [default: all].
    #[arg(long, value_name = "N", value_parser = values::from_one)]
    page_size: Option<NonZeroU32>,

    /// Refuse request bodies above this size, in bytes (413), 1024 to 67108864.
    #[arg(long, value_name = "BYTES", default_value_t = Config::BODY_LIMIT_BYTES, value_parser = values::body_limit)]
    body_limit: usize,

    /// This replica's number, shown in the _meta of its results; replicas of other numbers misbehave at
    /// other requests.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = values::instance)]
    instance: u32,

    #[command(flatten)]
    observe: ObserveArgs,

    #[command(flatten)]
    control: ControlArgs,

    #[command(flatten)]
    callers: CallerArgs,

    #[command(flatten)]
    transport: TransportArgs,

    #[command(flatten)]
    limits: LimitArgs,
}

/// Whether these are options of a replica, or what is wrong with them, in one line.
pub(crate) fn takes(options: &[String]) -> Result<(), String> {
    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        _args: ReplicaArgs,
    }
    let line = ["replica", "--keys-from-stdin"]
        .into_iter()
        .map(str::to_owned);
    match <Line as clap::Parser>::try_parse_from(line.chain(options.iter().cloned())) {
        Ok(_) => Ok(()),
        Err(error) => {
            let text = error.to_string();
            let lines = text
                .lines()
                .map(str::trim)
                .take_while(|line| !line.is_empty());
            let line = lines.collect::<Vec<_>>().join(" ");
            Err(line.strip_prefix("error: ").unwrap_or(&line).to_owned())
        }
    }
}

/// Serves until told to stop. Exit code 0 then, 2 when the keys, the cryptography, the
/// principals, the certificate or the address cannot be used.
///
/// # Errors
/// When standard output cannot be written.
pub(crate) fn run(args: ReplicaArgs) -> anyhow::Result<ExitCode> {
    // Decided first: reading the keys takes the front of standard input.
    let watched = args.keys_from_stdin || args.parent_stdin;
    let unshared = !args.keys_from_stdin && args.key_file.is_none();
    let made = key_ring(&args).and_then(|ring| {
        super::scenario::usable(args.algorithm).map_err(anyhow::Error::msg)?;
        let backend = args.backend.or_else(|| first_backend(args.algorithm));
        let backend =
            backend.with_context(|| format!("no backend here has {}", args.algorithm.name()))?;
        let mut config = Config::new(ring, args.algorithm, backend, args.ttl);
        config.flow_ttl = args.flow_ttl.unwrap_or(config.flow_ttl);
        config.audience = args.audience;
        config.replies = args.replies;
        config.conformance = args.conformance;
        config.fifo = args.fifo.map(|service| Fifo {
            service,
            seed: args.fifo_seed,
        });
        config.instance = args.instance;
        config.body_limit_bytes = args.body_limit;
        config.page_size = args.page_size.map(entries);
        args.limits.apply(&mut config)?;
        args.callers.apply(args.listen.ip(), &mut config)?;
        args.observe.apply(&mut config)?;
        let log = config.access_log.clone();
        let store = limits::store(config.store);
        let limit = config.limit.as_ref().map(limits::told);
        let replica = Replica::new(config).map_err(named)?;
        control::obey_all(&replica, args.control.commands()?)?;
        let transport = args.transport.transport()?;
        Ok((replica, backend, transport, log, (limit, store)))
    });
    let (replica, backend, transport, log, (limit, store)) = match made {
        Ok((replica, backend, transport, log, (limit, store))) => {
            (Arc::new(replica), backend, transport, log, (limit, store))
        }
        Err(e) => {
            console::say(format_args!("loadgen replica: {e:#}"));
            return Ok(ExitCode::from(2));
        }
    };
    if unshared {
        console::say(format_args!(
            "loadgen replica: warning: no keys given, so a random one is used and other replicas \
             will refuse the states of this one; use --key-file to share one"
        ));
    }
    transport::allow_files();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start the runtime")?;
    let server = match runtime.block_on(Server::bind(args.listen, Arc::clone(&replica), transport))
    {
        Ok(server) => server,
        Err(e) => {
            console::say(format_args!(
                "loadgen replica: cannot listen on {}: {e}",
                args.listen
            ));
            return Ok(ExitCode::from(2));
        }
    };
    let metrics = match args.observe.metrics(&replica, &server) {
        Ok(metrics) => metrics,
        Err(e) => {
            console::say(format_args!("loadgen replica: {e:#}"));
            return Ok(ExitCode::from(2));
        }
    };
    runtime.block_on(async {
        // Handlers first: a signal that follows the ready line at once must find them.
        let (told, stop) = stop(watched)?;
        let mut ready = serde_json::json!({
            "ready": true,
            "url": server.url(),
            "pid": std::process::id(),
            "instance": args.instance,
            "algorithm": args.algorithm.name(),
            "backend": backend.name(),
            "store": store,
        });
        if let Some(limit) = limit {
            ready["limit"] = limit;
        }
        if let Some(metrics) = &metrics {
            ready["metrics"] = metrics.url().into();
        }
        let mut stdout = io::stdout();
        writeln!(stdout, "{ready}")
            .and_then(|()| stdout.flush())
            .context("cannot print the ready line")?;
        if watched {
            // A thread of its own, since a blocked read must not keep the runtime from ending. It
            // begins after the ready line, which comes before every answer.
            let replica = Arc::clone(&replica);
            std::thread::spawn(move || {
                control::obey_stdin(&replica);
                let _ = told.send(());
            });
        }
        let stopped = server.run(stop, GRACE).await;
        if stopped.context("cannot start a thread")? == Stopped::Cut {
            console::say(format_args!(
                "loadgen replica: requests still open after {} s were cut off",
                GRACE.as_secs()
            ));
        }
        anyhow::Ok(())
    })?;
    if let Some(log) = &log {
        observe::close(log);
    }
    // Somebody watches the run that started a child; a replica started by hand says it itself.
    if !watched {
        print_refusals(&replica.counters());
    }
    Ok(ExitCode::SUCCESS)
}

/// A page as long as was asked for; where memory has fewer places, it holds everything anyway.
fn entries(page: NonZeroU32) -> NonZeroUsize {
    NonZeroUsize::try_from(page).unwrap_or(NonZeroUsize::MAX)
}

/// The error with the options that it is about.
fn named(error: SetupError) -> anyhow::Error {
    let options = match &error {
        SetupError::Limit(_) => "--limit, --limit-burst",
        SetupError::Redis(_) => "--redis",
        SetupError::NoToolToWatch(_) => "--watch-tokens-of",
        _ => return error.into(),
    };
    anyhow::Error::new(error).context(options)
}

/// The backend of an algorithm for which none was named.
fn first_backend(algorithm: Algorithm) -> Option<Backend> {
    Backend::available_for(algorithm).into_iter().next()
}

fn key_ring(args: &ReplicaArgs) -> anyhow::Result<KeyRing> {
    if args.keys_from_stdin {
        let text = key_lines(&mut io::stdin().lock())?;
        return KeyRing::parse(&text).context("keys on standard input");
    }
    if let Some(path) = &args.key_file {
        return super::keys::read(path);
    }
    Ok(KeyRing::single(Key::generate(KeyId(1), None)))
}

/// The lines up to the first empty one, which must come.
fn key_lines(from: &mut impl BufRead) -> anyhow::Result<String> {
    let mut from = from.take(KEYS_MAX_BYTES);
    let mut text = String::new();
    loop {
        let start = text.len();
        let read = from
            .read_line(&mut text)
            .context("cannot read keys from standard input")?;
        anyhow::ensure!(
            read > 0 || from.limit() > 0,
            "the keys on standard input have more than {KEYS_MAX_BYTES} bytes"
        );
        anyhow::ensure!(
            read > 0,
            "standard input closed before the empty line that ends the keys"
        );
        if text[start..].trim().is_empty() {
            return Ok(text);
        }
    }
}

/// Ready when the replica has to stop: on SIGTERM, on SIGINT and, if `watched`, when the sender is
/// used or lost.
fn stop(watched: bool) -> anyhow::Result<(oneshot::Sender<()>, impl Future<Output = ()>)> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot handle SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot handle SIGINT")?;
    let (to, told) = oneshot::channel();
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = told, if watched => {}
        }
    };
    Ok((to, stop))
}

/// What was refused and why, one line each, on standard error. Causes that did not happen are left
/// out.
fn print_refusals(counters: &Counters) {
    for (cause, count) in counters.refused {
        if count > 0 && cause != Cause::State {
            console::say(format_args!(
                "loadgen replica: refused for {}: {count}",
                cause.name()
            ));
        }
    }
    let reasons: &[(Reason, u64)] = &counters.state.refused;
    for &(reason, count) in reasons {
        if count > 0 {
            console::say(format_args!(
                "loadgen replica: requestState refused for {reason}: {count}"
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_end_at_the_empty_line_and_the_rest_stays() {
        let mut from = &b"1:mint:AAAA\n# two\n\nlater\n"[..];
        assert_eq!(key_lines(&mut from).unwrap(), "1:mint:AAAA\n# two\n\n");
        assert_eq!(from, b"later\n");
    }

    #[test]
    fn keys_without_their_empty_line_are_refused() {
        for text in ["", "1:mint:AAAA\n", "1:mint:AAAA"] {
            assert!(key_lines(&mut text.as_bytes()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn keys_without_end_are_refused() {
        let mut endless = io::BufReader::new(io::repeat(b'x'));
        let told = key_lines(&mut endless).unwrap_err().to_string();
        assert_eq!(
            told,
            "the keys on standard input have more than 1048576 bytes"
        );
    }
}
