//! Where results go: standard output or one file. A reader that goes away early is not an error.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use anstream::adapter::strip_str;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use anyhow::{Context, Result};

use crate::cli::Color;
use crate::destination::{stream, write};
use crate::render::style;

/// The result of a command.
#[derive(Clone, Debug)]
pub(crate) enum CommandOutput {
    /// Text for people, with styles that are kept or stripped.
    Text(String),
    /// Nothing: a file that already exists stays as it is.
    Nothing,
    /// Bytes for programs, which pass as they are.
    Raw(Vec<u8>),
    /// A unified diff: bytes for programs, with colours where people look at it.
    Diff(Vec<u8>),
}

impl CommandOutput {
    pub(crate) fn json(report: &impl serde::Serialize) -> Result<CommandOutput> {
        let mut result =
            serde_json::to_vec_pretty(report).context("cannot write the report as JSON")?;
        result.push(b'\n');
        Ok(CommandOutput::Raw(result))
    }
}

thread_local! {
    /// What commands say while somebody keeps it.
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

/// Does some work and keeps what it says on this thread, on both streams, instead of printing it.
pub(crate) fn captured<T>(work: impl FnOnce() -> T) -> (T, String) {
    CAPTURED.set(Some(Vec::new()));
    let done = work();
    let said = CAPTURED.take().unwrap_or_default();
    (done, String::from_utf8_lossy(&said).into_owned())
}

/// Keeps the bytes if somebody wants them.
fn capture(bytes: &[u8]) -> bool {
    CAPTURED.with_borrow_mut(|kept| match kept {
        Some(kept) => {
            kept.extend_from_slice(bytes);
            true
        }
        None => false,
    })
}

/// Writes the result to the file, or to standard output if there is none. No link leads it out of one of the `roots`.
pub(crate) fn deliver(
    said: &CommandOutput,
    file: Option<&Path>,
    roots: &[PathBuf],
    color: Color,
) -> Result<()> {
    match file {
        _ if matches!(said, CommandOutput::Nothing) => Ok(()),
        Some(file) => Ok(write(file, &bytes_of(said, color == Color::Always), roots)?),
        None if capture(&bytes_of(said, false)) => Ok(()),
        None => {
            let is_styled = wants_style(&io::stdout(), color);
            stream(io::stdout(), &bytes_of(said, is_styled))
                .context("cannot write to standard output")
        }
    }
}

/// Writes text for people to standard error.
pub(crate) fn note(text: &str, color: Color) -> Result<()> {
    let is_styled = wants_style(&io::stderr(), color);
    let said = CommandOutput::Text(text.to_owned());
    if capture(&bytes_of(&said, false)) {
        return Ok(());
    }
    stream(io::stderr(), &bytes_of(&said, is_styled)).context("cannot write to standard error")
}

/// What is written to a file or a stream.
pub(crate) fn bytes_of(said: &CommandOutput, is_styled: bool) -> Cow<'_, [u8]> {
    match said {
        CommandOutput::Diff(bytes) if is_styled => {
            Cow::Owned(style::paint_diff(bytes).into_bytes())
        }
        CommandOutput::Nothing => Cow::Borrowed(&[]),
        CommandOutput::Raw(bytes) | CommandOutput::Diff(bytes) => Cow::Borrowed(bytes),
        CommandOutput::Text(text) if is_styled => Cow::Borrowed(text.as_bytes()),
        CommandOutput::Text(text) => Cow::Owned(strip_str(text).to_string().into_bytes()),
    }
}

fn wants_style(stream: &impl RawStream, color: Color) -> bool {
    match color {
        Color::Auto => AutoStream::choice(stream) != ColorChoice::Never,
        Color::Always => true,
        Color::Never => false,
    }
}
