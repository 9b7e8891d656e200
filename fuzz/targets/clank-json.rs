//! Any text as AST JSON: every mistake has a path; what can be read can be written, printed and checked.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Some(text) = regreen_fuzz::clank::json(data) {
        regreen_fuzz::clank::reads_json(&text);
    }
});
