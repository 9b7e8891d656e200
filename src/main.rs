//! The binary `regreen`: flags in, text or JSON out, an exit code. What the commands do is in `service`.

mod cli;
mod command;
mod destination;
mod environment;
mod exit;
mod failure;
mod git;
mod input;
mod inputs;
mod output;
mod policy;
mod progress;
mod render;
mod signals;
mod words;
mod worker;

use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::Parser;

use crate::exit::ExitStatus;

/// Checking is many small strings that come and go on several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the last panic said.
static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

fn main() -> ExitCode {
    let started = worker::started(std::env::args_os().collect());
    if let Ok(worker::Started::Command(arguments)) = started {
        let cli = cli::Cli::parse_from(arguments);
        keep_panics_quiet();
        return or_failed(|| command::run(&cli)).into();
    }
    keep_panics_quiet();
    match started {
        Ok(_) => worker::run(|cli| or_failed(|| command::run(cli))).into(),
        Err(error) => {
            // If even this cannot be written, the exit code is all that is left to say it.
            let _ = output::note(&format!("error: {error:#}\n"), cli::Color::Never);
            ExitStatus::Usage.into()
        }
    }
}

/// A source of findings that panics is contained and named in the report, so a panic is only told if nobody caught it.
/// Whoever asks for a backtrace gets every one.
fn keep_panics_quiet() {
    if std::env::var_os("RUST_BACKTRACE").is_none() {
        panic::set_hook(Box::new(|panic| {
            *LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
        }));
    }
}

/// A defect of ours is work that could not be done, like any other: its exit code is in the table. A transaction that
/// was cut short is settled by the next command.
fn or_failed(run: impl FnOnce() -> ExitStatus) -> ExitStatus {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let panic = LAST_PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        let text = format!(
            "error: this is a defect of regreen; please report it with the command and its input\n{}\n",
            words::printable(&panic)
        );
        // If even this cannot be written, the exit code is all that is left to say it.
        let _ = output::note(&text, cli::Color::Never);
        ExitStatus::Failed
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_defect_has_an_exit_code_of_the_table() {
        assert_eq!(or_failed(|| panic!("on purpose")), ExitStatus::Failed);
        assert_eq!(or_failed(|| ExitStatus::Findings), ExitStatus::Findings);
    }
}
