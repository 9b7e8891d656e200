//! Programs as short texts, and what they did.

use std::io::{BufReader, Write};
use std::time::Duration;

use clank_run::{Io, Limits, Module, Program, ProgramExit, RunError};

/// The run-time library, which every program may import as `./clank.js`.
pub(crate) const LIBRARY: &str = include_str!("../../../clank-emit/src/runtime/clank.js");

pub(crate) const LIMITS: Limits =
    Limits { time: Duration::from_secs(300), memory: 64 << 20, stack: 16 << 20 };

/// How a program ended and what it wrote.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) ended: Result<ProgramExit, RunError>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Ran {
    /// Everything that can be seen from outside, as one text.
    pub(crate) fn text(&self) -> String {
        let mut text = self.output.clone();
        for line in self.errors.lines() {
            text += &format!("errors: {line}\n");
        }
        let frames = |frames: &[clank_run::Frame]| -> String {
            let own = frames.iter().filter(|it| it.module != "clank.js");
            own.map(|it| format!(" {}:{}", it.module, it.line)).collect()
        };
        text += &match &self.ended {
            Ok(ProgramExit::Done) => "done".to_owned(),
            Ok(ProgramExit::Panic { message, frames: at }) => {
                format!("panic: {message}{}", frames(at))
            }
            Ok(ProgramExit::Raised { message, .. }) => format!("raised: {message}"),
            Ok(ProgramExit::Stopped { limit, .. }) => format!("stopped: {limit:?}"),
            Err(error) => format!("error: {error}"),
        };
        text
    }
}

/// A program of modules that start with `//- path`; the first one is the entry.
pub(crate) fn program(text: &str) -> Program {
    let mut modules = vec![];
    let text =
        if text.starts_with("//- ") { text.to_owned() } else { format!("//- main.js\n{text}") };
    for part in text.split("//- ").skip(1) {
        let (path, text) = part.split_once('\n').unwrap();
        modules.push(Module { path: path.to_owned(), text: text.to_owned() });
    }
    let entry = modules[0].path.clone();
    modules.push(Module { path: "clank.js".to_owned(), text: LIBRARY.to_owned() });
    Program::new(modules, &entry).unwrap()
}

pub(crate) fn run(text: &str, input: &str, limits: &Limits) -> Ran {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let io = Io {
        input: &mut BufReader::new(input.as_bytes()),
        output: &mut output,
        errors: &mut errors,
    };
    let ended = clank_run::run(&program(text), limits, io);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { ended, output: text(output), errors: text(errors) }
}

#[cfg(feature = "live")]
pub(crate) fn run_node(text: &str, input: &str, limits: &Limits) -> Ran {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let io = clank_run::NodeIo::Piped {
        input: input.as_bytes(),
        output: &mut output,
        errors: &mut errors,
    };
    let ended = clank_run::run_node(&program(text), "node".as_ref(), limits, io);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { ended, output: text(output), errors: text(errors) }
}

/// A writer that takes some bytes and then fails as a closed pipe does.
pub(crate) struct Closing(pub(crate) usize);

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
