//! Ctrl-C and its kin. While files are being written a signal waits until the transaction is finished or taken back; at
//! any other time it ends the process as it always does.

use std::sync::atomic::Ordering;

use anyhow::{Context, Result};
use service::{Failure, Interrupts};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

const SIGNALS: [i32; 3] = [SIGHUP, SIGINT, SIGTERM];

/// Lets signals wait for transactions, from here on.
pub(crate) fn install(interrupts: &Interrupts) -> Result<()> {
    for signal in SIGNALS.into_iter().filter(|it| !is_ignored(*it)) {
        let number = usize::try_from(signal).unwrap_or_default();
        flag::register_conditional_default(signal, interrupts.idle_flag())
            .and_then(|_| flag::register_usize(signal, interrupts.signal_slot(), number))
            .context("cannot handle signals")?;
    }
    // A signal that came in between was not an interruption of anything.
    interrupts.signal_slot().store(0, Ordering::SeqCst);
    Ok(())
}

/// What `nohup` and shells ignore for a process stays ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|it| it.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or(0);
    u32::try_from(signal - 1).is_ok_and(|bit| mask >> bit & 1 == 1)
}

/// The signal that made a transaction be taken back, if that is what the error is about.
pub(crate) fn rolled_back(error: &anyhow::Error) -> Option<i32> {
    error.downcast_ref::<Failure>().and_then(Failure::signal)
}

/// Ends the process as the signal would have, so that whoever waits for it knows why.
pub(crate) fn end_by(signal: i32) -> ! {
    // It returns only for signals that do not end a process.
    let _ = low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal)
}

/// The name of the signal.
pub(crate) fn name(signal: i32) -> &'static str {
    low_level::signal_name(signal).unwrap_or("a signal")
}
