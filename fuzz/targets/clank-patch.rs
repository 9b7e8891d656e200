//! Any operations on any program: refused, or a program comes of them, as a tree and as a text.
#![no_main]

use regreen_fuzz::{clank, repair};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (decisions, program) = data.split_at(data.len() / 2);
    let Some((text, from)) = clank::program(program) else { return };
    // Most of the time a program that somebody wrote: there is more in it to change.
    let text = match from {
        Some(from) if data.len() % 4 != 0 => from.tokens.source(),
        _ => &text,
    };
    let _ = repair::patches(text, decisions);
});
