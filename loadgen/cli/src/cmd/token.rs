use std::path::PathBuf;
use std::process::ExitCode;
use std::time::SystemTime;

use anyhow::{Context as _, bail};
use loadgen_replica::Config as ReplicaConfig;
use loadgen_seal::{
    Algorithm, ArgumentsDigest, Backend, Binding, BindingFields, Config, KeyRing, Opened, Reason,
    Sealer, Ttl, UnixSeconds, Unverified,
};

use crate::console;
use crate::input;

/// Look into a requestState token.
#[derive(Debug, clap::Args)]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    command: TokenCommand,
}

#[derive(Debug, clap::Subcommand)]
enum TokenCommand {
    /// Print a token's clear header and its sizes; with keys, whether it opens.
    ///
    /// Exit code 0; 1 when it was to be verified and does not open or has expired; 2 when it is no
    /// token of a reference replica, or the keys cannot be used.
    Inspect(InspectArgs),
}

#[derive(Debug, clap::Args)]
struct InspectArgs {
    /// The token, or - to read it from standard input.
    token: String,

    /// Verify it with the keys of this file, for the request that the next flags describe.
    #[arg(long, value_name = "PATH")]
    key_file: Option<PathBuf>,

    /// The service the token was minted for.
    #[arg(long, value_name = "NAME", default_value = ReplicaConfig::AUDIENCE, requires = "key_file")]
    audience: String,

    /// The request's method.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "tools/call",
        requires = "key_file"
    )]
    method: String,

    /// The tool's or prompt's name, or the resource's URI.
    #[arg(long, value_name = "NAME", default_value = "", requires = "key_file")]
    target: String,

    /// The request's arguments, exactly as they were sent; without it the request has none.
    #[arg(long, value_name = "JSON", requires = "key_file")]
    arguments: Option<String>,

    /// The arguments were bound by their canonical form, not by their exact bytes.
    #[arg(long, requires = "arguments")]
    canonical: bool,

    /// Who asked; without it nobody was logged in.
    #[arg(long, value_name = "NAME", requires = "key_file")]
    principal: Option<String>,
}

/// Prints what a token says. Exit code 0; 2 when it is no token or the keys cannot be used; 1 when
/// it was to be verified and does not open.
///
/// # Errors
/// When standard input cannot be read.
pub(crate) fn run(args: TokenArgs) -> anyhow::Result<ExitCode> {
    let TokenCommand::Inspect(args) = args.command;
    let token = match args.token.as_str() {
        "-" => {
            let text = input::stdin().context("cannot read the token from standard input")?;
            text.trim().to_owned()
        }
        token => token.to_owned(),
    };
    let now = UnixSeconds::from(SystemTime::now());
    match inspect(&args, &token, now) {
        Ok((text, good)) => {
            console::print(&text)?;
            Ok(if good {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
        Err(e) => {
            console::say(format_args!("loadgen token: {e:#}"));
            Ok(ExitCode::from(2))
        }
    }
}

/// The text to print, and whether everything that was to be verified is good.
fn inspect(args: &InspectArgs, token: &str, now: UnixSeconds) -> anyhow::Result<(String, bool)> {
    let facts = Unverified::read(token.as_bytes()).context("this is no token of ours")?;
    let mut text = describe(&facts, now);
    let Some(path) = &args.key_file else {
        text.push_str("verified     no: give --key-file\n");
        return Ok((text, true));
    };
    let ring = super::keys::read(path)?;
    let opened = verify(args, &facts, &ring, token)?;
    match &opened {
        Ok(opened) => {
            let claims = opened.claims;
            text.push_str("verified     yes\n");
            text.push_str(&format!("deadline     {}\n", moment(claims.deadline, now)));
            text.push_str(&format!("round        {}\n", claims.round));
        }
        Err(reason) => text.push_str(&format!("verified     NO: {}\n", explain(*reason))),
    }
    let good = opened.is_ok() && now.0 < u64::from(facts.expiry_s);
    Ok((text, good))
}

fn describe(facts: &Unverified, now: UnixSeconds) -> String {
    let algorithm = facts.algorithm.map_or("unknown", Algorithm::name);
    let state = facts
        .state_bytes
        .map_or("n/a".to_owned(), |bytes| format!("{bytes} bytes"));
    format!(
        "format       {}\nalgorithm    {} ({algorithm})\nkey id       {}\nexpiry       {}\n\
         token        {} characters, {} bytes before base64url\nstate        {state}\n",
        facts.format,
        facts.algorithm_id,
        facts.key,
        moment(facts.expiry_s, now),
        facts.token_len,
        facts.raw_bytes,
    )
}

/// A time in seconds since 1970, and how far it is from now.
fn moment(at_s: u32, now: UnixSeconds) -> String {
    let at = u64::from(at_s);
    if now.0 < at {
        format!("{at} (in {} s)", at - now.0)
    } else {
        format!("{at} (passed {} s ago)", now.0 - at)
    }
}

/// Opens the token as of the last second of its life, so that a tag can be told good after it.
fn verify(
    args: &InspectArgs,
    facts: &Unverified,
    ring: &KeyRing,
    token: &str,
) -> anyhow::Result<Result<Opened, Reason>> {
    let Some(algorithm) = facts.algorithm else {
        bail!(
            "algorithm {} is not known here, so it cannot be verified",
            facts.algorithm_id
        );
    };
    let Some(&backend) = Backend::available_for(algorithm).first() else {
        bail!("this build has no backend for {algorithm}");
    };
    let ttl = Ttl::try_from(u64::from(Ttl::MAX_S)).expect("the maximum is allowed");
    let mut config = Config::new(algorithm, backend, ring.clone(), ttl);
    config.allow_insecure = true;
    config.max_token_len = config.max_token_len.max(token.len());
    let sealer = Sealer::new(&config)?;
    let arguments = match &args.arguments {
        None => ArgumentsDigest::none(),
        Some(raw) if args.canonical => {
            ArgumentsDigest::canonical(raw.as_bytes()).context("--arguments")?
        }
        Some(raw) => ArgumentsDigest::exact(raw.as_bytes()),
    };
    let binding = Binding::new(&BindingFields {
        audience: &args.audience,
        method: &args.method,
        target: &args.target,
        arguments,
        principal: args.principal.as_deref(),
    });
    let last = UnixSeconds(u64::from(facts.expiry_s).saturating_sub(1));
    Ok(sealer
        .open(&binding, token.as_bytes(), last)
        .map_err(|refused| refused.reason()))
}

fn explain(reason: Reason) -> &'static str {
    match reason {
        Reason::UnknownKey => "its key is not in the file",
        Reason::Tag => {
            "the tag does not match: a changed token, other key material under this id, or another \
             audience, method, target, arguments or principal"
        }
        Reason::Size => "too short for its algorithm",
        Reason::Algorithm => "another format",
        other => other.name(),
    }
}

#[cfg(test)]
mod tests {
    use loadgen_seal::{Claims, Key, KeyId, Role};

    use super::*;

    const NOW: UnixSeconds = UnixSeconds(1_800_000_000);

    fn key() -> Key {
        Key::new(KeyId(3), &[7; 32], None).unwrap()
    }

    fn token() -> String {
        let algorithm = Algorithm::DEFAULT;
        let backend = Backend::available_for(algorithm)[0];
        let ttl = Ttl::try_from(300u64).unwrap();
        let config = Config::new(algorithm, backend, KeyRing::single(key()), ttl);
        let binding = Binding::new(&BindingFields {
            audience: ReplicaConfig::AUDIENCE,
            method: "tools/call",
            target: "wizard",
            arguments: ArgumentsDigest::exact(b"{}"),
            principal: None,
        });
        let claims = Claims {
            deadline: 1_800_000_900,
            round: 2,
        };
        Sealer::new(&config)
            .unwrap()
            .seal(&binding, claims, b"state", NOW)
            .unwrap()
    }

    fn args(key_file: Option<PathBuf>) -> InspectArgs {
        InspectArgs {
            token: String::new(),
            key_file,
            audience: ReplicaConfig::AUDIENCE.to_owned(),
            method: "tools/call".to_owned(),
            target: "wizard".to_owned(),
            arguments: Some("{}".to_owned()),
            canonical: false,
            principal: None,
        }
    }

    #[test]
    fn without_keys_the_header_and_sizes_are_shown() {
        let (text, good) = inspect(&args(None), &token(), UnixSeconds(NOW.0 + 100)).unwrap();
        assert!(good);
        for line in [
            "algorithm    2 (xaes-256-gcm)",
            "key id       3",
            "expiry       1800000300 (in 200 s)",
            "token        75 characters, 56 bytes before base64url",
            "state        5 bytes",
            "verified     no: give --key-file",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn with_keys_the_token_is_verified() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keys");
        std::fs::write(&path, key().to_secret_line(Role::Mint).as_bytes()).unwrap();
        let (text, good) = inspect(&args(Some(path.clone())), &token(), NOW).unwrap();
        assert!(good && text.contains("verified     yes\n"), "{text}");
        assert!(
            text.contains("deadline     1800000900 (in 900 s)\nround        2\n"),
            "{text}"
        );
        // Expired: the tag is still good, the token is not.
        let late = UnixSeconds(NOW.0 + 1000);
        let (text, good) = inspect(&args(Some(path.clone())), &token(), late).unwrap();
        assert!(!good && text.contains("verified     yes\n"), "{text}");
        let other = InspectArgs {
            target: "echo".to_owned(),
            ..args(Some(path))
        };
        let (text, good) = inspect(&other, &token(), NOW).unwrap();
        assert!(
            !good && text.contains("verified     NO: the tag does not match"),
            "{text}"
        );
    }

    #[test]
    fn what_is_no_token_is_an_error() {
        for text in ["", "hello world", "eyJhIjoxfQ=="] {
            assert!(inspect(&args(None), text, NOW).is_err(), "{text}");
        }
    }
}
