use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Lines that wait for the writer before further ones are lost.
const WAITING_MAX: usize = 8192;
/// How many bytes are written at once at most, apart from a single line.
const BATCH_BYTES: usize = 64 << 10;

/// Where the lines of the access log go. Clones share one writer.
///
/// A line never holds up the reply that it tells of: a thread of its own writes, and while that is
/// too far behind, lines are lost and counted.
#[derive(Clone)]
pub struct AccessLog(Arc<Shared>);

struct Shared {
    lines: SyncSender<Note>,
    counts: Arc<Counts>,
    /// Says how the writer ended; taken by the first who closes the log.
    ended: Mutex<Option<Receiver<Option<io::Error>>>>,
}

#[derive(Default)]
struct Counts {
    /// Lines that were to be written.
    offered: AtomicU64,
    written: AtomicU64,
    lost: AtomicU64,
    closing: AtomicBool,
}

enum Note {
    Line(Vec<u8>),
    /// Wakes the writer, so that it sees that the log is being closed.
    Close,
}

/// How an access log ended.
#[derive(Debug)]
pub struct Closed {
    /// Lines written.
    pub written: u64,
    /// Lines that are not in the log.
    pub lost: u64,
    /// The first error of the writer, if it met one.
    pub error: Option<io::Error>,
}

impl AccessLog {
    /// Starts the thread that writes to `out`. What it has is written as soon as no further line
    /// waits.
    ///
    /// # Errors
    /// When the system has no room for a thread.
    pub fn new(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (lines, waiting) = sync_channel(WAITING_MAX);
        let (end, ended) = sync_channel(1);
        let counts = Arc::new(Counts::default());
        let counted = Arc::clone(&counts);
        thread::Builder::new()
            .name("access-log".to_owned())
            .spawn(move || {
                let error = write(&waiting, out, &counted);
                // From here on further lines are refused, and so counted as lost.
                drop(waiting);
                // Nobody waits for it when the log was never closed.
                let _ = end.send(error);
            })?;
        Ok(Self(Arc::new(Shared {
            lines,
            counts,
            ended: Mutex::new(Some(ended)),
        })))
    }

    /// Hands over one line, with its line end. Never waits.
    pub(crate) fn write(&self, line: Vec<u8>) {
        let Shared { lines, counts, .. } = &*self.0;
        counts.offered.fetch_add(1, Ordering::Relaxed);
        if lines.try_send(Note::Line(line)).is_err() {
            counts.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lines written so far.
    pub fn written(&self) -> u64 {
        self.0.counts.written.load(Ordering::Relaxed)
    }

    /// Lines lost so far.
    pub fn lost(&self) -> u64 {
        self.0.counts.lost.load(Ordering::Relaxed)
    }

    /// Writes what waits, for at most `grace`, and ends the writer. Every line after that is lost,
    /// and so is what a writer that hangs still holds.
    pub fn close(&self, grace: Duration) -> Closed {
        let Shared {
            lines,
            counts,
            ended,
        } = &*self.0;
        counts.closing.store(true, Ordering::SeqCst);
        // When there is no room for it, the writer is at work and looks by itself.
        let _ = lines.try_send(Note::Close);
        let ended = ended.lock().unwrap_or_else(PoisonError::into_inner).take();
        let error = ended.and_then(|ended| match ended.recv_timeout(grace) {
            Ok(error) => error,
            Err(RecvTimeoutError::Timeout) => Some(io::ErrorKind::TimedOut.into()),
            Err(RecvTimeoutError::Disconnected) => None,
        });
        let written = self.written();
        Closed {
            written,
            lost: counts
                .offered
                .load(Ordering::Relaxed)
                .saturating_sub(written),
            error,
        }
    }
}

impl fmt::Debug for AccessLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessLog")
            .field("written", &self.written())
            .field("lost", &self.lost())
            .finish()
    }
}

/// Writes until the log is closed or nobody is left to write for. Gives the first error; what could
/// not be written is lost, and the next lines are tried again.
fn write(waiting: &Receiver<Note>, mut out: impl Write, counts: &Counts) -> Option<io::Error> {
    let mut first_error = None;
    let mut batch = Batch::default();
    loop {
        let note = match waiting.try_recv() {
            Err(TryRecvError::Empty) => {
                first_error = first_error.or(batch.write(&mut out, counts));
                if counts.closing.load(Ordering::SeqCst) {
                    return first_error;
                }
                waiting.recv().ok()
            }
            note => note.ok(),
        };
        match note {
            Some(Note::Line(line)) => {
                batch.add(&line);
                if batch.text.len() >= BATCH_BYTES {
                    first_error = first_error.or(batch.write(&mut out, counts));
                }
            }
            // What is left is written by the next turn, which finds nothing more.
            Some(Note::Close) => {}
            None => {
                return first_error.or(batch.write(&mut out, counts));
            }
        }
    }
}

/// Lines that go out together.
#[derive(Default)]
struct Batch {
    text: Vec<u8>,
    lines: u64,
}

impl Batch {
    fn add(&mut self, line: &[u8]) {
        self.text.extend_from_slice(line);
        self.lines += 1;
    }

    fn write(&mut self, out: &mut impl Write, counts: &Counts) -> Option<io::Error> {
        if self.lines == 0 {
            return None;
        }
        let done = out.write_all(&self.text).and_then(|()| out.flush());
        let counter = if done.is_ok() {
            &counts.written
        } else {
            &counts.lost
        };
        counter.fetch_add(self.lines, Ordering::Relaxed);
        *self = Self::default();
        done.err()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    /// Gives what it is told to write, and before each write waits to be let.
    struct Slow {
        let_go: Receiver<io::Result<()>>,
        said: Sender<Vec<u8>>,
    }

    impl Write for Slow {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.let_go.recv().unwrap_or(Ok(()))?;
            let _ = self.said.send(text.to_vec());
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn slow() -> (AccessLog, Sender<io::Result<()>>, Receiver<Vec<u8>>) {
        let (allow, let_go) = channel();
        let (said, seen) = channel();
        (AccessLog::new(Slow { let_go, said }).unwrap(), allow, seen)
    }

    fn text(seen: &Receiver<Vec<u8>>) -> String {
        String::from_utf8(seen.try_iter().flatten().collect()).unwrap()
    }

    #[test]
    fn lines_come_out_whole_and_in_order_once_the_log_is_closed() {
        let (log, allow, seen) = slow();
        drop(allow);
        let want: String = (0..5000).map(|n| format!("{n}\n")).collect();
        for line in want.split_inclusive('\n') {
            log.clone().write(line.into());
        }
        let closed = log.close(LONG);
        assert_eq!((closed.written, closed.lost), (5000, 0));
        assert!(closed.error.is_none());
        assert_eq!(text(&seen), want);
    }

    #[test]
    fn a_writer_that_hangs_loses_lines_and_holds_nobody_up() {
        let (log, allow, seen) = slow();
        for _ in 0..3 * WAITING_MAX {
            log.write(vec![b'x'; 100]);
        }
        assert!(log.lost() > 0);
        let hanging = log.close(Duration::ZERO);
        assert_eq!(hanging.written, 0);
        assert_eq!(hanging.lost, 3 * WAITING_MAX as u64);
        assert_eq!(hanging.error.unwrap().kind(), io::ErrorKind::TimedOut);
        drop(allow);
        assert!(seen.recv().is_ok());
    }

    #[test]
    fn a_line_that_cannot_be_written_is_lost_and_the_next_is_tried() {
        let (log, allow, seen) = slow();
        allow.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        log.write(b"one\n".into());
        // The first is at the writer, alone, before the second comes.
        while log.lost() == 0 {
            thread::yield_now();
        }
        allow.send(Ok(())).unwrap();
        log.write(b"two\n".into());
        let closed = log.close(LONG);
        assert_eq!((closed.written, closed.lost), (1, 1));
        assert_eq!(closed.error.unwrap().kind(), io::ErrorKind::StorageFull);
        assert_eq!(text(&seen), "two\n");
    }

    #[test]
    fn lines_after_the_end_are_lost_and_closing_again_is_no_harm() {
        let (log, allow, _seen) = slow();
        drop(allow);
        log.write(b"one\n".into());
        assert_eq!(log.close(LONG).lost, 0);
        log.write(b"two\n".into());
        let again = log.close(LONG);
        assert_eq!((again.written, again.lost), (1, 1));
        assert_eq!(log.lost(), 1);
    }

    #[test]
    fn the_writer_ends_when_nobody_is_left_to_write_for() {
        let (log, allow, seen) = slow();
        log.write(b"one\n".into());
        drop(log);
        drop(allow);
        // Ends only when the writer has dropped its sender.
        assert_eq!(seen.iter().flatten().count(), 4);
    }
}
