//! Node: the program's modules in a temporary folder, a starter beside them, and a process that is watched.
//!
//! The starter leaves how the program ended in a file, since the streams belong to the program.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::outcome::{Limit, Limits, Outcome, RunError, Stream};
use crate::program::Program;

/// The streams of a program on Node.
pub enum NodeIo<'a> {
    /// Those of this process.
    Inherit,
    /// Streams of the caller.
    Piped {
        /// All of the program's input.
        input: &'a [u8],
        /// Standard output.
        output: &'a mut dyn Write,
        /// Standard error.
        errors: &'a mut dyn Write,
    },
}

/// Runs a program on the Node at `node`, a path or a name on the `PATH`. The program can do all that Node can.
///
/// The time counts from the start of Node. The memory is that of values that live long, so a program may take some more.
pub fn run_node(
    program: &Program,
    node: &Path,
    limits: &Limits,
    io: NodeIo<'_>,
) -> Result<Outcome, RunError> {
    let folder = tempfile::Builder::new().prefix("clank-").tempdir().map_err(RunError::Files)?;
    write_files(program, folder.path()).map_err(RunError::Files)?;
    let mebibytes = |bytes: usize| (bytes >> 20).max(1).to_string();
    let mut command = Command::new(node);
    command
        .arg(folder.path().join("start.mjs"))
        .arg(program.entry())
        .arg(mebibytes(limits.stack.min(Limits::MAX_STACK)))
        .arg(mebibytes(limits.memory));
    if let NodeIo::Piped { .. } = io {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    }
    let deadline = Instant::now().checked_add(limits.time);
    let mut child = command
        .spawn()
        .map_err(|source| RunError::NoNode { node: node.display().to_string(), source })?;
    let served = match io {
        NodeIo::Inherit => Ok(()),
        NodeIo::Piped { input, output, errors } => {
            serve(&mut child, input, output, errors, deadline)
        }
    };
    let is_late = wait(&mut child, deadline, served.is_err()).map_err(RunError::Files)?;
    served?;
    if is_late {
        return Ok(Outcome::Stopped { limit: Limit::Time, frames: Vec::new() });
    }
    outcome(program, folder.path())
}

fn write_files(program: &Program, folder: &Path) -> std::io::Result<()> {
    let root = folder.join("program");
    for (path, text) in program.modules() {
        let file = root.join(path);
        if let Some(parent) = file.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(file, text)?;
    }
    std::fs::write(root.join("package.json"), r#"{ "type": "module" }"#)?;
    std::fs::write(folder.join("start.mjs"), include_str!("node/start.mjs"))
}

/// Hands the streams on until both are at their end, one cannot be written, or it is late.
fn serve(
    child: &mut Child,
    input: &[u8],
    output: &mut dyn Write,
    errors: &mut dyn Write,
    deadline: Option<Instant>,
) -> Result<(), RunError> {
    let (sender, pieces) = sync_channel(4);
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let input = input.to_vec();
    // Threads of their own, not scoped: a grandchild that keeps a pipe open must not keep us.
    std::thread::spawn(move || {
        if let Some(mut stdin) = stdin {
            // A program that does not read all of its input is no failure.
            let _ = stdin.write_all(&input);
        }
    });
    let more = sender.clone();
    std::thread::spawn(move || stdout.map(|it| pump(it, Stream::Output, &more)));
    std::thread::spawn(move || stderr.map(|it| pump(it, Stream::Errors, &sender)));
    deliver(&pieces, output, errors, deadline)
}

type Piece = (Stream, Vec<u8>);

fn pump(mut from: impl Read, stream: Stream, to: &std::sync::mpsc::SyncSender<Piece>) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if to.send((stream, bytes[..count].to_vec())).is_err() {
            break;
        }
    }
}

fn deliver(
    pieces: &Receiver<Piece>,
    output: &mut dyn Write,
    errors: &mut dyn Write,
    deadline: Option<Instant>,
) -> Result<(), RunError> {
    loop {
        let left =
            deadline.map_or(Duration::MAX, |it| it.saturating_duration_since(Instant::now()));
        let (stream, bytes) = match pieces.recv_timeout(left) {
            Ok(piece) => piece,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let writer: &mut dyn Write = match stream {
            Stream::Output => &mut *output,
            Stream::Errors => &mut *errors,
        };
        let written = writer.write_all(&bytes).and_then(|()| writer.flush());
        written.map_err(|source| RunError::Write { stream, source })?;
    }
}

/// Waits for the process to end; kills it when it is late, which is returned, or not wanted any more.
fn wait(child: &mut Child, deadline: Option<Instant>, is_unwanted: bool) -> std::io::Result<bool> {
    let mut pause = Duration::from_millis(1);
    while !is_unwanted && deadline.is_none_or(|it| Instant::now() < it) {
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
    if child.try_wait()?.is_some() {
        return Ok(false);
    }
    child.kill()?;
    child.wait()?;
    Ok(!is_unwanted)
}

/// Reads what the starter left. It leaves nothing if the program ended the process or Node itself failed.
fn outcome(program: &Program, folder: &Path) -> Result<Outcome, RunError> {
    let Ok(text) = std::fs::read_to_string(folder.join("outcome.json")) else {
        return Err(RunError::Engine { message: "Node ended before the program did".to_owned() });
    };
    let left: Value = serde_json::from_str(&text).map_err(|_| RunError::Engine {
        message: "Node left an outcome that cannot be read".to_owned(),
    })?;
    let text = |name: &str| left[name].as_str().unwrap_or_default();
    if text("name") == "done" {
        return Ok(Outcome::Done);
    }
    let outcome =
        Outcome::of_exception(program, text("name"), text("message").to_owned(), text("stack"));
    outcome.or_invalid(false)
}
