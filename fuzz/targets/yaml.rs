//! The YAML parser on any bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| regreen_fuzz::read(document::Format::Yaml, data));
