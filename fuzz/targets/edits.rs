//! Edit sets: any ranges on any bytes; apply, invert and compose hold their laws or refuse.
#![no_main]

use edit::{Edit, EditSet, Text};

libfuzzer_sys::fuzz_target!(|input: (Vec<u8>, Vec<(u32, u32, Vec<u8>)>)| {
    let (bytes, edits) = input;
    let text = Text::new(bytes);
    let edits = edits.into_iter().map(|(start, end, text)| Edit::replace(start % 64, end % 64, text)).collect();
    let Ok(edits) = EditSet::new(&text, edits) else { return };
    let after = edits.apply(&text).expect("made for this text");
    let (result, back) = edits.invert(&text).expect("made for this text");
    assert_eq!(result, after);
    assert_eq!(back.apply(&after).expect("made for that text"), text);
});
