//! A usual exchange over HTTP/1.1, without a task and without a channel: whoever asks writes and reads.

use std::cell::RefCell;
use std::future::poll_fn;
use std::io;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::head::{Head, Heads};
use super::io::Io;
use super::stream::unless_closed;
use crate::classify::{Fields, Reply};

/// Bytes that are read at one time.
const READ_BYTES: usize = 16 << 10;

/// Where the exchanges of one thread write and read, one poll after the other: connections that wait
/// hold no buffers.
#[derive(Debug)]
pub(super) struct Desk {
    request: Vec<u8>,
    input: Box<[u8]>,
    heads: Heads,
}

/// How an exchange ended.
#[derive(Debug)]
pub(super) enum Turn {
    /// With a reply, and whether the connection is good for another.
    Whole(Reply, bool),
    /// With something that has to be looked at more closely.
    Unusual(Begun),
}

/// An exchange that was begun.
#[derive(Debug, Default)]
pub(super) struct Begun {
    /// Bytes of the request that are written.
    pub(super) written: usize,
    /// Bytes that have come.
    pub(super) came: Vec<u8>,
}

/// A connection that broke.
#[derive(Debug)]
pub(super) struct Broken {
    /// What the kernel says.
    pub(super) error: io::Error,
    /// Nothing had come.
    pub(super) silent: bool,
    /// The head of the reply had come.
    pub(super) inside: bool,
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            request: Vec::new(),
            input: vec![0; READ_BYTES].into(),
            heads: Heads::default(),
        }
    }
}

/// Sends the request that `write` writes and reads the reply. Both are tried at one time, since a
/// server may reply before it has the whole request.
pub(super) fn exchange<'a>(
    io: &'a mut Io,
    desk: &'a RefCell<Desk>,
    write: impl FnOnce(&mut Vec<u8>) + 'a,
) -> impl Future<Output = Result<Turn, Broken>> + 'a {
    let mut write = Some(write);
    let mut exchange = Exchange {
        io,
        rest: Vec::new(),
        is_sent: false,
        begun: Begun::default(),
        head: None,
    };
    poll_fn(move |cx| {
        let Desk {
            request,
            input,
            heads,
        } = &mut *desk.borrow_mut();
        let sent = match write.take() {
            Some(write) => {
                request.clear();
                write(request);
                exchange.send(cx, request)
            }
            None => exchange.send_rest(cx),
        };
        match sent {
            Ok(()) => exchange.read(cx, input, heads),
            Err(error) => Poll::Ready(Err(error)),
        }
        .map_err(|error| exchange.broken(error))
    })
}

struct Exchange<'a> {
    io: &'a mut Io,
    /// What of the request could not be written at once.
    rest: Vec<u8>,
    is_sent: bool,
    begun: Begun,
    /// The head of the reply, once it is whole.
    head: Option<Head>,
}

impl Exchange<'_> {
    fn send(&mut self, cx: &mut Context<'_>, request: &[u8]) -> io::Result<()> {
        self.push(cx, request)?;
        self.rest = request[self.begun.written..].to_vec();
        Ok(())
    }

    fn send_rest(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.is_sent {
            return Ok(());
        }
        let mut rest = std::mem::take(&mut self.rest);
        let before = self.begun.written;
        self.push(cx, &rest)?;
        rest.drain(..self.begun.written - before);
        self.rest = rest;
        Ok(())
    }

    /// Writes as much as can be written now.
    fn push(&mut self, cx: &mut Context<'_>, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let Poll::Ready(written) = Pin::new(&mut *self.io).poll_write(cx, bytes) else {
                return Ok(());
            };
            let written = unless_closed(written, bytes.len())?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            bytes = &bytes[written..];
            self.begun.written += written;
        }
        if let Poll::Ready(flushed) = Pin::new(&mut *self.io).poll_flush(cx) {
            self.is_sent = unless_closed(flushed, ()).is_ok();
        }
        Ok(())
    }

    fn read(
        &mut self,
        cx: &mut Context<'_>,
        input: &mut [u8],
        heads: &mut Heads,
    ) -> Poll<io::Result<Turn>> {
        loop {
            let mut buffer = ReadBuf::new(input);
            ready!(Pin::new(&mut *self.io).poll_read(cx, &mut buffer))?;
            if let ControlFlow::Break(turn) = self.take(buffer.filled(), heads) {
                return Poll::Ready(Ok(turn));
            }
        }
    }

    /// Takes what has come; nothing at the end of the connection.
    fn take(&mut self, new: &[u8], heads: &mut Heads) -> ControlFlow<Turn> {
        let came = &mut self.begun.came;
        let is_first = came.is_empty();
        if !is_first {
            came.extend_from_slice(new);
        }
        let all = if is_first { new } else { came.as_slice() };
        let is_usual = self.is_sent && !new.is_empty();
        if is_usual && self.head.is_none() {
            match heads.look(all) {
                ControlFlow::Continue(head) => self.head = head,
                ControlFlow::Break(()) => return ControlFlow::Break(self.unusual(is_first, new)),
            }
        }
        if !is_usual {
            return ControlFlow::Break(self.unusual(is_first, new));
        }
        if let Some(head) = self.head.take_if(|head| head.whole <= all.len()) {
            let is_tidy = head.whole == all.len();
            return ControlFlow::Break(Turn::Whole(whole(head, all), is_tidy));
        }
        if is_first {
            came.extend_from_slice(new);
        }
        ControlFlow::Continue(())
    }

    fn unusual(&mut self, is_first: bool, new: &[u8]) -> Turn {
        if is_first {
            self.begun.came.extend_from_slice(new);
        }
        Turn::Unusual(std::mem::take(&mut self.begun))
    }

    fn broken(&self, error: io::Error) -> Broken {
        Broken {
            error,
            silent: self.begun.came.is_empty(),
            inside: self.head.is_some(),
        }
    }
}

/// A reply from its bytes.
fn whole(head: Head, all: &[u8]) -> Reply {
    let (fields, body) = all[..head.whole].split_at(head.bytes);
    Reply {
        fields: Fields::Text(fields.into()),
        body: body.to_vec(),
        body_bytes: body.len() as u64,
        ..head.reply
    }
}
