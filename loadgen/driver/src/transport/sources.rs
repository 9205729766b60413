use std::cell::Cell;
use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::net::{TcpSocket, TcpStream};

/// The addresses that a thread's connections come from, in turn.
#[derive(Debug, Default)]
pub(super) struct Sources {
    addresses: Vec<IpAddr>,
    next: Cell<usize>,
}

impl Sources {
    pub(super) fn new(addresses: &[IpAddr]) -> Self {
        Self {
            addresses: addresses.to_vec(),
            next: Cell::new(0),
        }
    }

    /// Connects from the next source of the target's family; from where the system chooses when
    /// none was given.
    pub(super) async fn connect(&self, target: SocketAddr) -> io::Result<TcpStream> {
        if self.addresses.is_empty() {
            return TcpStream::connect(target).await;
        }
        let Some(source) = self.next_for(target) else {
            let error = format!("no address of `source` is of the family of {}", target.ip());
            return Err(io::Error::new(io::ErrorKind::AddrNotAvailable, error));
        };
        let socket = match target {
            SocketAddr::V4(_) => TcpSocket::new_v4()?,
            SocketAddr::V6(_) => TcpSocket::new_v6()?,
        };
        socket.bind(SocketAddr::new(source, 0))?;
        socket.connect(target).await
    }

    fn next_for(&self, target: SocketAddr) -> Option<IpAddr> {
        let all = self.addresses.len();
        let mut candidates = (0..all).map(|step| (self.next.get() + step) % all);
        let index = candidates.find(|i| self.addresses[*i].is_ipv4() == target.is_ipv4())?;
        self.next.set(index + 1);
        Some(self.addresses[index])
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    fn ips(addresses: &[&str]) -> Vec<IpAddr> {
        addresses.iter().map(|a| a.parse().unwrap()).collect()
    }

    #[tokio::test]
    async fn connections_come_from_each_source_in_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = listener.local_addr().unwrap();
        let sources = Sources::new(&ips(&["127.0.0.2", "::1", "127.0.0.3"]));
        for from in ["127.0.0.2", "127.0.0.3", "127.0.0.2"] {
            let stream = sources.connect(target).await.unwrap();
            let (_, peer) = listener.accept().await.unwrap();
            assert_eq!(peer, stream.local_addr().unwrap());
            assert_eq!(peer.ip().to_string(), from);
        }
    }

    #[tokio::test]
    async fn a_source_that_cannot_be_is_a_shortage_of_ours() {
        let target = "127.0.0.1:9".parse().unwrap();
        // TEST-NET-1 (RFC 5737) is no address of any machine.
        for wrong in ["192.0.2.1", "::1"] {
            let error = Sources::new(&ips(&[wrong]))
                .connect(target)
                .await
                .unwrap_err();
            assert_eq!(
                error.kind(),
                io::ErrorKind::AddrNotAvailable,
                "{wrong}: {error}"
            );
        }
    }
}
