//! Any program keeps its tokens and its tree in canonical layout, and stays as it is the second time.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some((text, _)) = regreen_fuzz::clank::program(data) {
        regreen_fuzz::clank::lays_out(&text);
    }
});
