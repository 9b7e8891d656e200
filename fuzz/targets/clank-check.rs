//! Any program is checked, afresh and with what was known about another one, and compiled if nothing is wrong.
#![no_main]

use regreen_fuzz::clank;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((text, from)) = clank::program(data) else { return };
    let before = from.map(|it| ::clank::check(&clank::text_program(it.tokens.source()), None));
    clank::checks(clank::text_program(&text), before.as_ref());
});
