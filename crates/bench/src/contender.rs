//! Contenders in processes of their own: so that peak memory is theirs alone, and so that one that would take
//! hours can be stopped.
//!
//! The library contenders are this program again, started with [`FLAG`]; it prepares the input, runs, and prints
//! its time and its peak memory.

use std::io::{Read, Seek, SeekFrom, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use edit::Text;

use crate::fleet::{Syntax, fleet};
use crate::measure::{Clock, best_of, peak_memory};
use crate::peers::{regreen, reserialize, yaml_editor};
use crate::table::say;

/// The argument that makes this program a contender.
pub(crate) const FLAG: &str = "--contender";

/// After this time a contender is stopped and reported as slower.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);

/// A contender that works inside this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Library {
    Regreen,
    /// regreen's parser alone, to show what the parse costs.
    RegreenParse,
    SerdeJson,
    YamlEdit,
}

impl Library {
    const ALL: [Library; 4] =
        [Library::Regreen, Library::RegreenParse, Library::SerdeJson, Library::YamlEdit];

    fn argument(self) -> &'static str {
        match self {
            Library::Regreen => "regreen",
            Library::RegreenParse => "regreen-parse",
            Library::SerdeJson => "serde_json",
            Library::YamlEdit => "yaml-edit",
        }
    }
}

/// How a process ended.
pub(crate) struct Finished {
    /// Whether it exited with success.
    pub(crate) success: bool,
    /// Whether it was stopped.
    pub(crate) timed_out: bool,
    /// The time it took, or that it was given: processor time where that is known and shorter, else wall time.
    pub(crate) elapsed: Duration,
    /// The largest resident size seen, in bytes.
    pub(crate) peak: u64,
    /// What it wrote to standard output.
    pub(crate) output: String,
}

/// Runs a library contender on a fleet of this size, in a process of its own.
pub(crate) fn run(
    library: Library,
    syntax: Syntax,
    bytes: usize,
    operations: usize,
    runs: usize,
) -> Result<Finished> {
    let syntax = match syntax {
        Syntax::Json => "json",
        Syntax::Yaml => "yaml",
    };
    let mut command = Command::new(std::env::current_exe()?);
    command.args([FLAG, library.argument(), syntax]);
    command.args([bytes, operations, runs].map(|number| number.to_string()));
    let finished = wait(&mut command, None)?;
    if finished.timed_out || !finished.success {
        return Ok(finished);
    }
    let mut words = finished.output.split_whitespace();
    let (Some(seconds), Some(peak)) = (words.next(), words.next()) else {
        bail!("{} gave no time", library.argument());
    };
    let (elapsed, peak) = (Duration::from_secs_f64(seconds.parse()?), peak.parse()?);
    Ok(Finished { elapsed, peak, ..finished })
}

/// The other side of [`run`].
pub(crate) fn serve(arguments: &[&str]) -> Result<()> {
    let [library, syntax, bytes, operations, runs] = arguments else {
        bail!("a contender takes five arguments")
    };
    let library = Library::ALL
        .into_iter()
        .find(|it| it.argument() == *library)
        .context("no such contender")?;
    let syntax = if *syntax == "yaml" { Syntax::Yaml } else { Syntax::Json };
    let fleet = fleet(syntax, bytes.parse()?, operations.parse()?);
    let text = Text::new(fleet.text);
    let as_str = std::str::from_utf8(text.bytes())?;
    let mut peak = 0;
    let work = |()| -> Result<usize> {
        let len = match library {
            Library::Regreen => regreen::edit(syntax, &text, &fleet.operations)?.len(),
            Library::RegreenParse => regreen::parse(syntax, &text)?,
            Library::SerdeJson => reserialize::edit(as_str, &fleet.operations)?.len(),
            Library::YamlEdit => yaml_editor::edit(as_str, &fleet.operations)?.len(),
        };
        if peak == 0 {
            peak = peak_memory("self").unwrap_or(0);
        }
        Ok(len)
    };
    let (elapsed, result) = best_of(Clock::Processor, runs.parse()?, || (), work);
    result?;
    say(&format!("{} {peak}", elapsed.as_secs_f64()));
    Ok(())
}

/// Below this the kernel's count of processor time is too coarse.
const COARSE: Duration = Duration::from_millis(300);

/// The processor time of all children that have ended, as far as `/proc` tells, in steps of 10 ms.
pub(crate) fn children_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace();
    let ticks: u64 = fields.skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// Starts the command, gives it `input`, and waits until it ends or patience does. Its files stand in memory or in
/// the system's temporary directory, so that a full pipe cannot stop it.
pub(crate) fn wait(command: &mut Command, input: Option<String>) -> Result<Finished> {
    let mut output = tempfile::tempfile()?;
    if let Some(input) = input {
        let mut file = tempfile::tempfile()?;
        file.write_all(input.as_bytes())?;
        file.seek(SeekFrom::Start(0))?;
        command.stdin(file);
    } else {
        command.stdin(Stdio::null());
    }
    let (start, before) = (Instant::now(), children_time());
    let mut child = command
        .stdout(output.try_clone()?)
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let process = child.id().to_string();
    let mut peak = 0;
    let (mut pause, mut timed_out) = (Duration::from_micros(200), false);
    let status = loop {
        peak = peak_memory(&process).unwrap_or(0).max(peak);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            timed_out = true;
            break child.wait()?;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(5));
    };
    // The machine may be busy with something else; that is not to count against a peer.
    let elapsed = start.elapsed();
    let processor = children_time().saturating_sub(before);
    let elapsed = if processor > COARSE { processor.min(elapsed) } else { elapsed };
    output.seek(SeekFrom::Start(0))?;
    let mut text = String::new();
    output.read_to_string(&mut text)?;
    Ok(Finished { success: status.success(), timed_out, elapsed, peak, output: text })
}
