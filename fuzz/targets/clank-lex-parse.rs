//! Any text has tokens that cover it and a tree whose nodes nest.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some((text, _)) = regreen_fuzz::clank::program(data) {
        regreen_fuzz::clank::reads(&text);
    }
});
