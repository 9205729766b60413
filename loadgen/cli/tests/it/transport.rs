//! The options of `loadgen replica` for how it speaks to its clients.

use rcgen::{CertifiedKey, generate_simple_self_signed};

use crate::fixtures::Replicas;
use crate::program::Desk;

#[test]
fn a_replica_with_a_certificate_and_threads_says_where_it_serves_https() {
    let desk = Desk::new();
    let (certificate, key) = pair(&desk, "a");
    for provider in ["aws-lc-rs", "ring"] {
        let options = ["--tls-cert", &certificate, "--tls-key", &key];
        let more = ["--tls-provider", provider, "--threads", "2"];
        let replicas = Replicas::start(1, &[options.as_slice(), &more].concat());
        let url = &replicas.urls()[0];
        assert!(url.starts_with("https://127.0.0.1:"), "{url}");
    }
}

#[test]
fn a_certificate_that_cannot_be_used_is_a_usage_error_that_names_the_file() {
    let desk = Desk::new();
    let ((certificate, key), (_, other)) = (pair(&desk, "a"), pair(&desk, "b"));
    let refused = |certificate: &str, key: &str| {
        let options = ["replica", "--tls-cert", certificate, "--tls-key", key];
        let key = desk.file(
            "keys",
            "1:mint:bG9hZGdlbi10ZXN0LWtleS1ub3QtYS1zZWNyZXQtMDE\n",
        );
        let key = key.to_str().expect("a path in UTF-8").to_owned();
        let options = [&options[..], &["--key-file", &key]].concat();
        desk.refused(options, 2)
    };
    let missing = refused("nowhere.pem", &key);
    assert!(
        missing.contains("cannot read --tls-cert nowhere.pem"),
        "{missing}"
    );
    let missing = refused(&certificate, "nowhere.pem");
    assert!(
        missing.contains("cannot read --tls-key nowhere.pem"),
        "{missing}"
    );
    let swapped = refused(&key, &certificate);
    assert!(swapped.contains("no CERTIFICATE section"), "{swapped}");
    let mixed = refused(&certificate, &other);
    assert!(mixed.contains(&format!("--tls-key {other}: ")), "{mixed}");
}

/// The paths of a certificate and its key.
fn pair(desk: &Desk, name: &str) -> (String, String) {
    let names = ["localhost".to_owned()];
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(names).expect("a certificate can be made");
    let write = |name: String, pem: &str| {
        let path = desk.file(&name, pem);
        path.to_str().expect("a path in UTF-8").to_owned()
    };
    (
        write(format!("{name}.crt"), &cert.pem()),
        write(format!("{name}.key"), &signing_key.serialize_pem()),
    )
}
