//! The two sides of a program's streams: the host on the engine's thread, the server on the caller's.
//!
//! The host gathers what is written and sends it in pieces, so that a line costs no switch of threads. It sends when a
//! piece is large, when the other stream is written to, before input is read, at the end, and whenever the engine asks
//! whether it must stop, so that nothing waits for a long computation.

use std::io::{BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::io::Io;
use crate::outcome::{OutputStream, RunError};

const PIECE: usize = 1 << 16;

enum Request {
    Write(OutputStream, String),
    ReadLine(SyncSender<Option<String>>),
}

/// The host's end of the line between the threads.
pub(super) struct Channel {
    requests: SyncSender<Request>,
    is_closed: Arc<AtomicBool>,
}

/// The caller's end.
#[derive(Debug)]
pub(super) struct StreamServer {
    requests: Receiver<Request>,
    is_closed: Arc<AtomicBool>,
}

/// Why the host stops the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StopReason {
    Time,
    /// Nobody takes what the program writes.
    Closed,
}

/// What a program reaches of the world.
pub(super) struct Host {
    channel: Channel,
    stream: OutputStream,
    piece: String,
    deadline: Option<Instant>,
    stop: Option<StopReason>,
}

/// Both ends. The line holds few pieces, so a program that writes faster than its output is read has to wait.
pub(super) fn open() -> (Channel, StreamServer) {
    let (sender, receiver) = sync_channel(4);
    let is_closed = Arc::new(AtomicBool::new(false));
    let server = StreamServer { requests: receiver, is_closed: Arc::clone(&is_closed) };
    (Channel { requests: sender, is_closed }, server)
}

impl Host {
    pub(super) fn new(channel: Channel) -> Host {
        Host {
            channel,
            stream: OutputStream::Output,
            piece: String::new(),
            deadline: None,
            stop: None,
        }
    }

    /// The program starts, and may run for so long.
    pub(super) fn start(&mut self, time: Duration) {
        self.deadline = Instant::now().checked_add(time);
    }

    pub(super) fn write(&mut self, stream: i32, text: String) {
        let stream = if stream == 2 { OutputStream::Errors } else { OutputStream::Output };
        if stream != self.stream {
            self.flush();
            self.stream = stream;
        }
        self.piece.push_str(&text);
        if self.piece.len() >= PIECE {
            self.flush();
        }
    }

    /// The next line without its end; `None` after the last one.
    pub(super) fn read_line(&mut self) -> Option<String> {
        self.flush();
        let (reply, line) = sync_channel(1);
        self.send(Request::ReadLine(reply));
        let waiting = Instant::now();
        let line = line.recv().ok().flatten();
        self.wait(waiting.elapsed());
        line
    }

    /// Hands on what was written.
    pub(super) fn flush(&mut self) {
        if !self.piece.is_empty() {
            let piece = std::mem::take(&mut self.piece);
            self.send(Request::Write(self.stream, piece));
        }
    }

    /// Whether the program is to be stopped now.
    pub(super) fn must_stop(&mut self) -> bool {
        self.flush();
        if self.channel.is_closed.load(Ordering::Relaxed) {
            self.stop.get_or_insert(StopReason::Closed);
        } else if self.deadline.is_some_and(|it| Instant::now() >= it) {
            self.stop.get_or_insert(StopReason::Time);
        }
        self.stop.is_some()
    }

    pub(super) fn stop(&self) -> Option<StopReason> {
        self.stop
    }

    fn send(&mut self, request: Request) {
        let sending = Instant::now();
        if self.channel.requests.send(request).is_err() {
            self.stop.get_or_insert(StopReason::Closed);
        }
        self.wait(sending.elapsed());
    }

    /// Time that the program spent on waiting is not its own.
    fn wait(&mut self, time: Duration) {
        self.deadline = self.deadline.and_then(|it| it.checked_add(time));
    }
}

impl StreamServer {
    /// Serves the engine until its end of the line is gone. Lines of the input are at most `max_line` bytes long; what is
    /// longer is cut into several.
    pub(super) fn serve(self, io: Io<'_>, max_line: usize) -> Result<(), RunError> {
        let mut failure = None;
        for request in self.requests {
            match request {
                Request::Write(stream, text) if failure.is_none() => {
                    let writer: &mut dyn Write = match stream {
                        OutputStream::Output => &mut *io.output,
                        OutputStream::Errors => &mut *io.errors,
                    };
                    let written = writer.write_all(text.as_bytes()).and_then(|()| writer.flush());
                    if let Err(source) = written {
                        self.is_closed.store(true, Ordering::Relaxed);
                        failure = Some(RunError::Write { stream, source });
                    }
                }
                Request::Write(..) => {}
                Request::ReadLine(reply) => {
                    // Nobody waits for the line if the engine has gone.
                    let _ = reply.send(read_line(io.input, max_line));
                }
            }
        }
        failure.map_or(Ok(()), Err)
    }
}

/// An input that fails ends there.
fn read_line(input: &mut dyn BufRead, max_line: usize) -> Option<String> {
    let mut bytes = Vec::new();
    let read = input.take(max_line as u64).read_until(b'\n', &mut bytes);
    if read.is_err() || bytes.is_empty() {
        return None;
    }
    if bytes.pop_if(|it| *it == b'\n').is_some() {
        bytes.pop_if(|it| *it == b'\r');
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
