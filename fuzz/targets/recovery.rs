//! Recovery from journals that somebody else wrote: no panic, and nothing of git's or regreen's is changed.
#![no_main]

use arbitrary::Unstructured;

#[path = "../../crates/workspace/tests/it/hostile_journal.rs"]
mod hostile_journal;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut input = Unstructured::new(data);
    let mut choose = |below: usize| input.int_in_range(0..=below.max(1) - 1).unwrap_or_default();
    let _ = hostile_journal::check(&mut choose);
});
