//! Classes of bytes, as one table: what a scanner does next is a lookup.
//!
//! Byte 0 stands for the end of the text: texts that hold one are refused before they are scanned.

/// A space or a tab.
pub(crate) const BLANK: u8 = 1;
/// A line break or the end of the text.
pub(crate) const BREAK: u8 = 2;
/// `,`, `[`, `]`, `{` or `}`.
pub(crate) const FLOW: u8 = 4;
/// What may end a plain scalar in block context.
pub(crate) const PLAIN_STOP: u8 = 8;
/// What may end a plain scalar in flow context.
pub(crate) const FLOW_STOP: u8 = 16;
/// What no plain scalar starts with, wherever it stands; `-`, `?` and `:` depend on what follows.
pub(crate) const INDICATOR: u8 = 32;
/// What may stand in a URI, besides `%`.
pub(crate) const URI: u8 = 64;

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let rows: [(&[u8], u8); 8] = [
        (b" \t", BLANK),
        (b"\n\r\0", BREAK | PLAIN_STOP | FLOW_STOP),
        (b",[]{}", FLOW | FLOW_STOP),
        (b":#", PLAIN_STOP | FLOW_STOP),
        (b",[]{}#&*!|>'\"%@`", INDICATOR),
        (b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", URI),
        (b"-#;/?:@&=+$,_.!~*'()[]", URI),
        (b"", 0),
    ];
    let mut row = 0;
    while row < rows.len() {
        let (bytes, class) = rows[row];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] |= class;
            at += 1;
        }
        row += 1;
    }
    table
}

/// Whether a byte is of one of the classes.
#[inline(always)]
pub(crate) fn is(byte: u8, class: u8) -> bool {
    CLASSES[byte as usize] & class != 0
}

/// Whether a byte is one of the digits of a hexadecimal number.
pub(crate) fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}
