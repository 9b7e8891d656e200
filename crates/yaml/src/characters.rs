//! Which characters a stream may hold: production 1 (`c-printable`) everywhere, production 2 (`nb-json`) in quotes.
//!
//! The text is looked at once before it is parsed, in blocks that a compiler turns into vector instructions. What is
//! allowed in quotes alone is next to unknown, so that its places are listed and compared with the nodes afterwards.

/// The places of characters that only quoted scalars may hold: U+007F, C1 controls, byte order marks, U+FFFE and
/// U+FFFF. A C0 control is an error: its place.
pub(crate) fn survey(bytes: &[u8]) -> Result<Vec<usize>, usize> {
    let mut is_odd = false;
    for (index, block) in bytes.chunks(4096).enumerate() {
        let mut control = false;
        for &byte in block {
            control |= byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != b'\r';
            is_odd |= byte >= 0x7F;
        }
        if control {
            let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
            let within = block.iter().position(is_control).unwrap_or(0);
            return Err(index * 4096 + within);
        }
    }
    Ok(if is_odd { odd(bytes) } else { Vec::new() })
}

fn odd(bytes: &[u8]) -> Vec<usize> {
    let is_odd = |at: &usize| match bytes[*at..] {
        [0x7F, ..] => true,
        [0xC2, next, ..] => next < 0xA0 && next != 0x85,
        [0xEF, 0xBB, 0xBF, ..] => true,
        [0xEF, 0xBF, next, ..] => next >= 0xBE,
        _ => false,
    };
    memchr::memchr3_iter(0x7F, 0xC2, 0xEF, bytes).filter(is_odd).collect()
}
