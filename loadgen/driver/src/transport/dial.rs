use std::cell::Cell;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper::http::uri::{Parts, Scheme};
use rustix::io::Errno;
use rustls::ClientConfig;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::Failure;
use super::answering::Answering;
use super::io::{Io, Wire};
use super::reply::Tail;
use super::sources::Sources;
use crate::target::Target;

/// How long one of several addresses may take to accept before the next one is tried.
const ONE_ADDRESS: Duration = Duration::from_secs(3);

/// A target, ready to be sent to.
#[derive(Debug)]
pub(super) struct Endpoint {
    target: Target,
    /// `Host` of HTTP/1.1.
    pub(super) host: HeaderValue,
    /// The request line's address in HTTP/1.1: the path.
    pub(super) path: Uri,
    /// How a request in HTTP/1.1 begins: up to the number of its `Content-Length`.
    pub(super) beginning: Vec<u8>,
    /// The whole address, which HTTP/2 takes apart.
    pub(super) whole: Uri,
    /// How long its next event stream may go on after the reply.
    pub(super) tail: Rc<Tail>,
    tls: Option<Arc<ClientConfig>>,
    /// Where its connections come from.
    sources: Rc<Sources>,
    /// Counts the connections that it answers.
    answering: Rc<Answering>,
    /// The address that accepted last.
    good: Cell<usize>,
}

impl Endpoint {
    pub(super) fn new(
        target: &Target,
        tls: Option<&Arc<ClientConfig>>,
        answering: &Rc<Answering>,
        sources: &Rc<Sources>,
    ) -> Self {
        let scheme = match target.server_name {
            Some(_) => Scheme::HTTPS,
            None => Scheme::HTTP,
        };
        let mut whole = Parts::default();
        whole.scheme = Some(scheme);
        whole.authority = target.authority.parse().ok();
        whole.path_and_query = Some(target.path.clone());
        let (path, host) = (Uri::from(target.path.clone()), &target.authority);
        let beginning = format!("POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: ");
        Self {
            beginning: beginning.into_bytes(),
            host: HeaderValue::from_str(&target.authority)
                .expect("the authority of an address is legal in a header"),
            path,
            whole: Uri::from_parts(whole).expect("the address was one before it was taken apart"),
            tail: Rc::default(),
            tls: tls.cloned(),
            answering: Rc::clone(answering),
            sources: Rc::clone(sources),
            good: Cell::new(0),
            target: target.clone(),
        }
    }

    /// A connection to the first address that accepts, beginning with the one that did last.
    pub(super) async fn connect(&self) -> Result<Io, Failure> {
        let stream = self.tcp().await?;
        stream.set_nodelay(true).map_err(|e| failure(&e))?;
        let (Some(name), Some(tls)) = (&self.target.server_name, &self.tls) else {
            return Ok(Io::new(Wire::Plain(stream), &self.answering));
        };
        let connector = TlsConnector::from(Arc::clone(tls));
        match connector.connect(name.clone(), stream).await {
            Ok(stream) => Ok(Io::new(Wire::Tls(Box::new(stream)), &self.answering)),
            Err(e) => Err(Failure::connection(&format!("no TLS: {e}"))),
        }
    }

    async fn tcp(&self) -> Result<TcpStream, Failure> {
        let addresses = &self.target.addresses;
        let mut last = None;
        for tried in 0..addresses.len() {
            let index = (self.good.get() + tried) % addresses.len();
            let is_last = tried + 1 == addresses.len();
            match self.dial(addresses[index], is_last).await {
                Ok(stream) => {
                    self.good.set(index);
                    return Ok(stream);
                }
                Err(e) => last = Some(e),
            }
        }
        Err(last.map_or_else(|| Failure::connection("no address"), |e| failure(&e)))
    }

    async fn dial(&self, address: SocketAddr, is_last: bool) -> io::Result<TcpStream> {
        let connecting = self.sources.connect(address);
        if is_last {
            return connecting.await;
        }
        timeout(ONE_ADDRESS, connecting)
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// What a failed attempt to connect says: our own shortage of files or ports, or the peer's refusal.
fn failure(error: &io::Error) -> Failure {
    let code = error.raw_os_error();
    let own = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::ADDRNOTAVAIL,
        Errno::NOBUFS,
    ];
    let none = code.is_none() && error.kind() == io::ErrorKind::AddrNotAvailable;
    if none || own.iter().any(|e| Some(e.raw_os_error()) == code) {
        return Failure::Generator(format!("cannot open a connection: {error}"));
    }
    Failure::connection(&match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        _ => format!("cannot connect: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::*;

    #[test]
    fn our_own_shortages_are_no_failures_of_the_target() {
        for errno in [Errno::MFILE, Errno::NFILE, Errno::ADDRNOTAVAIL] {
            let error = io::Error::from_raw_os_error(errno.raw_os_error());
            assert!(matches!(failure(&error), Failure::Generator(_)), "{error}");
        }
        for errno in [Errno::CONNREFUSED, Errno::NETUNREACH, Errno::TIMEDOUT] {
            let error = io::Error::from_raw_os_error(errno.raw_os_error());
            assert!(matches!(failure(&error), Failure::Connection(_)), "{error}");
        }
    }

    #[tokio::test]
    async fn all_addresses_are_tried_and_the_good_one_is_remembered() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let held = tokio::net::TcpSocket::new_v4().unwrap();
        held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let mut target = Target::resolve("http://127.0.0.1:9/").await.unwrap();
        target.addresses = vec![held.local_addr().unwrap(), listener.local_addr().unwrap()];
        let endpoint = Endpoint::new(
            &target,
            None,
            &Answering::new(Instant::now()),
            &Rc::default(),
        );
        endpoint.connect().await.unwrap();
        assert_eq!(endpoint.good.get(), 1);
        endpoint.connect().await.unwrap();
    }
}
