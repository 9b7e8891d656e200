//! Random operations on random documents.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = regreen_fuzz::lower(data);
});
