use bytes::Bytes;
use h2::client::{ResponseFuture, SendRequest};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::client::{Post, Reply};
use crate::running::Running;

/// An HTTP/2 connection.
pub(crate) struct Client {
    send: SendRequest<Bytes>,
    pub(crate) connection: JoinHandle<Result<(), h2::Error>>,
}

impl Client {
    /// By prior knowledge, without TLS.
    pub(crate) async fn connect(to: &Running) -> Self {
        Self::over(TcpStream::connect(to.address).await.unwrap()).await
    }

    pub(crate) async fn over(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) -> Self {
        let (send, connection) = h2::client::handshake(stream).await.unwrap();
        Self {
            send,
            connection: tokio::spawn(connection),
        }
    }

    pub(crate) async fn post(&mut self, post: &Post) -> Result<Reply, h2::Error> {
        let reply = self.begin(post).await?;
        finish(reply).await
    }

    /// Sends a whole request and does not wait for the reply.
    pub(crate) async fn begin(&mut self, post: &Post) -> Result<ResponseFuture, h2::Error> {
        let (reply, mut body) = self.open(post).await?;
        send_all(&mut body, Bytes::from(post.body.clone())).await;
        Ok(reply)
    }

    /// Sends the head of a request, whose body is still to come.
    pub(crate) async fn open(
        &mut self,
        post: &Post,
    ) -> Result<(ResponseFuture, h2::SendStream<Bytes>), h2::Error> {
        let mut ready = self.send.clone().ready().await?;
        let host = post.headers.iter().find(|(name, _)| *name == "host");
        let host = host.map_or("localhost", |(_, host)| std::str::from_utf8(host).unwrap());
        let mut request = http::Request::builder()
            .method(post.verb)
            .uri(format!("http://{host}{}", post.path));
        for (name, value) in post.headers.iter().filter(|(name, _)| *name != "host") {
            request = request.header(*name, value.as_slice());
        }
        ready.send_request(request.body(()).unwrap(), false)
    }
}

/// Waits for a reply and its whole body.
pub(crate) async fn finish(reply: ResponseFuture) -> Result<Reply, h2::Error> {
    let (head, mut incoming) = reply.await?.into_parts();
    let mut body = Vec::new();
    while let Some(piece) = incoming.data().await {
        let piece = piece?;
        incoming.flow_control().release_capacity(piece.len())?;
        body.extend_from_slice(&piece);
    }
    Ok(Reply {
        status: head.status.as_u16(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
            .collect(),
        body,
    })
}

/// Sends a body as far as the replica takes it: it may answer without reading all.
async fn send_all(to: &mut h2::SendStream<Bytes>, mut body: Bytes) {
    while !body.is_empty() {
        to.reserve_capacity(body.len());
        match std::future::poll_fn(|cx| to.poll_capacity(cx)).await {
            Some(Ok(room)) => {
                let piece = body.split_to(room.min(body.len()));
                if to.send_data(piece, false).is_err() {
                    return;
                }
            }
            _ => return,
        }
    }
    let _ = to.send_data(Bytes::new(), true);
}
