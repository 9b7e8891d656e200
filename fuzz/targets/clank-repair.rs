//! Every repair that is offered for any program and says that it was tried keeps its promise.
#![no_main]

use regreen_fuzz::{clank, repair};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((text, _)) = clank::program(data) else { return };
    repair::mends(&text);
});
