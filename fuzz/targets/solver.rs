//! Any question is answered: the same answer twice, and no small values contradict it.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = regreen_fuzz::repair::decides(data);
});
