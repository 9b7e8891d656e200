//! Node: the program's modules in a temporary folder, a starter beside them, and a process that is watched.
//!
//! The starter leaves how the program ended in a file, since the streams belong to the program.

use std::io::Write;
use std::path::Path;

use check::Stop;
use launch::LaunchError;
use serde_json::Value;

use crate::outcome::{Limit, Limits, OutputStream, ProgramExit, RunError};
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
) -> Result<ProgramExit, RunError> {
    let folder = tempfile::Builder::new().prefix("clank-").tempdir().map_err(RunError::Files)?;
    write_files(program, folder.path()).map_err(RunError::Files)?;
    let mebibytes = |bytes: usize| (bytes >> 20).max(1).to_string();
    let mut process = launch::Program::inheriting(node, ".")
        .arg(folder.path().join("start.mjs"))
        .arg(program.entry())
        .arg(mebibytes(limits.stack.min(Limits::MAX_STACK)))
        .arg(mebibytes(limits.memory));
    process.limits.time = limits.time;
    let ended = match io {
        NodeIo::Inherit => launch::run_attached(&process, &Stop::new()).map(drop),
        NodeIo::Piped { input, output, errors } => {
            process.stdin = input.to_vec();
            serve(&process, output, errors)?
        }
    };
    match ended {
        Ok(()) => outcome(program, folder.path()),
        Err(LaunchError::TimedOut { .. }) => {
            Ok(ProgramExit::Stopped { limit: Limit::Time, frames: Vec::new() })
        }
        Err(error @ LaunchError::Unavailable { .. }) => {
            Err(RunError::NoNode { node: node.display().to_string(), source: error })
        }
        Err(error) => Err(RunError::Files(std::io::Error::other(error))),
    }
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

/// Hands the streams on until the process has ended, or one cannot be written.
fn serve(
    process: &launch::Program,
    output: &mut dyn Write,
    errors: &mut dyn Write,
) -> Result<Result<(), LaunchError>, RunError> {
    let mut failure = None;
    let ended = launch::stream(process, &Stop::new(), &mut |stream, bytes| {
        let (stream, writer): (_, &mut dyn Write) = match stream {
            launch::Stream::Output => (OutputStream::Output, &mut *output),
            launch::Stream::Errors => (OutputStream::Errors, &mut *errors),
        };
        let written = writer.write_all(bytes).and_then(|()| writer.flush());
        failure = written.err().map(|source| RunError::Write { stream, source });
        failure.is_none()
    });
    failure.map_or(Ok(ended.map(drop)), Err)
}

/// Reads what the starter left. It leaves nothing if the program ended the process or Node itself failed.
fn outcome(program: &Program, folder: &Path) -> Result<ProgramExit, RunError> {
    let Ok(text) = std::fs::read_to_string(folder.join("outcome.json")) else {
        return Err(RunError::Engine { message: "Node ended before the program did".to_owned() });
    };
    let left: Value = serde_json::from_str(&text).map_err(|_| RunError::Engine {
        message: "Node left an outcome that cannot be read".to_owned(),
    })?;
    let text = |name: &str| left[name].as_str().unwrap_or_default();
    if text("name") == "done" {
        return Ok(ProgramExit::Done);
    }
    let outcome =
        ProgramExit::of_exception(program, text("name"), text("message").to_owned(), text("stack"));
    outcome.or_invalid(false)
}
