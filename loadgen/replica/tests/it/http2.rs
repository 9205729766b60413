//! HTTP/2 beside HTTP/1.1 on the same port, without TLS and with it.

use std::sync::Arc;

use loadgen_replica::{Stopped, Tls, TlsProvider, Transport};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::client::{Post, read_reply};
use crate::h2_client::{Client, finish};
use crate::running::Running;

#[tokio::test]
async fn both_versions_are_served_on_one_port() {
    let replica = Running::start().await;
    let echo = Post::call("echo", json!({ "text": "hi" }));
    assert_eq!(echo.send(&replica).await.text(), "hi");
    let mut client = Client::connect(&replica).await;
    for _ in 0..3 {
        assert_eq!(client.post(&echo).await.unwrap().text(), "hi");
    }
    let counts = replica.connections.read();
    assert_eq!((counts.accepted, counts.http1, counts.http2), (2, 1, 1));
}

#[tokio::test]
async fn streams_of_one_connection_do_not_wait_for_each_other() {
    let replica = Running::start().await;
    let mut client = Client::connect(&replica).await;
    let echo = Post::call("echo", json!({ "text": "hi" }));
    let (first, mut body) = client.open(&echo).await.unwrap();
    assert_eq!(client.post(&echo).await.unwrap().text(), "hi");
    body.send_data(echo.body.clone().into(), true).unwrap();
    assert_eq!(finish(first).await.unwrap().text(), "hi");
}

#[tokio::test]
async fn a_stop_finishes_the_streams_that_have_begun() {
    let replica = Running::start().await;
    let mut client = Client::connect(&replica).await;
    let echo = Post::call("echo", json!({ "text": "hi" }));
    let (begun, mut body) = client.open(&echo).await.unwrap();
    // A whole stream after it, so that the replica has surely seen the first.
    client.post(&echo).await.unwrap().text();
    let task = replica.begin_stop();
    body.send_data(echo.body.clone().into(), true).unwrap();
    assert_eq!(finish(begun).await.unwrap().text(), "hi");
    assert_eq!(task.await.unwrap(), Stopped::Drained);
    client.connection.await.unwrap().unwrap();
}

#[tokio::test]
async fn tls_serves_both_versions_by_alpn_with_either_provider() {
    for provider in TlsProvider::ALL {
        let (replica, root) = secure(provider).await;
        assert!(replica.url.starts_with("https://127.0.0.1:"));
        let echo = Post::call("echo", json!({ "text": "hi" }));

        let stream = connect(&replica, root.clone(), &["h2", "http/1.1"]).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let mut client = Client::over(stream).await;
        assert_eq!(client.post(&echo).await.unwrap().text(), "hi");

        for offered in [&["http/1.1"][..], &[]] {
            let mut stream = connect(&replica, root.clone(), offered).await;
            stream.write_all(&echo.bytes()).await.unwrap();
            assert_eq!(read_reply(&mut stream).await.text(), "hi");
        }
        let counts = replica.connections.read();
        assert_eq!((counts.http1, counts.http2), (2, 1));
    }
}

#[tokio::test]
async fn cleartext_to_a_tls_port_harms_nobody() {
    let (replica, root) = secure(TlsProvider::AwsLcRs).await;
    let echo = Post::call("echo", json!({ "text": "hi" }));
    let mut plain = TcpStream::connect(replica.address).await.unwrap();
    plain.write_all(&echo.bytes()).await.unwrap();
    let mut seen = Vec::new();
    // An alert at most, then the end.
    let _ = tokio::io::AsyncReadExt::read_to_end(&mut plain, &mut seen).await;
    assert!(!seen.starts_with(b"HTTP"), "{seen:?}");
    assert_eq!(replica.connections.read().handshake_failed, 1);
    let mut stream = connect(&replica, root, &["http/1.1"]).await;
    stream.write_all(&echo.bytes()).await.unwrap();
    assert_eq!(read_reply(&mut stream).await.text(), "hi");
}

/// A replica behind TLS, and the certificate to trust.
async fn secure(provider: TlsProvider) -> (Running, CertificateDer<'static>) {
    let names = ["localhost".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let key = signing_key.serialize_pem();
    let tls = Tls::new(cert.pem().as_bytes(), key.as_bytes(), provider).unwrap();
    let transport = Transport {
        tls: Some(tls),
        ..Transport::default()
    };
    (Running::behind(transport).await, cert.der().clone())
}

async fn connect(
    to: &Running,
    root: CertificateDer<'static>,
    offered: &[&str],
) -> TlsStream<TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(root).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = offered.iter().map(|p| p.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(to.address).await.unwrap();
    TlsConnector::from(Arc::new(config))
        .connect("localhost".try_into().unwrap(), stream)
        .await
        .unwrap()
}
