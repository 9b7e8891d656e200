//! Reading the bytes between nodes: blanks, comments, lines and columns.

/// The first byte at or after `at` that is not a blank, a line break or part of a comment.
pub(super) fn skip_trivia(bytes: &[u8], at: u32) -> u32 {
    let mut at = at as usize;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t' | b'\r' | b'\n') => at += 1,
            // A carriage return alone ends a comment too, for the parser as well.
            Some(b'#') => {
                let rest = &bytes[at..];
                at += memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            }
            _ => return offset(at),
        }
    }
}

/// The first byte at or after `at` that is neither a space nor a tab.
pub(super) fn skip_blanks(bytes: &[u8], at: u32) -> u32 {
    let rest = bytes.get(at as usize..).unwrap_or_default();
    at + offset(rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count())
}

/// The end of the blanks before `at`, going back.
pub(super) fn skip_blanks_back(bytes: &[u8], at: u32, limit: u32) -> u32 {
    let mut at = at;
    while at > limit && matches!(bytes.get(at as usize - 1), Some(b' ' | b'\t')) {
        at -= 1;
    }
    at
}

/// Where the line of `at` starts. A BOM is not part of the first line.
pub(super) fn line_start(bytes: &[u8], at: u32) -> u32 {
    let before = bytes.get(..at as usize).unwrap_or(bytes);
    match memchr::memrchr(b'\n', before) {
        Some(found) => offset(found + 1),
        None => bom_len(bytes).min(at),
    }
}

/// The line break that ends the line of `at`, or the end of the text.
pub(super) fn line_content_end(bytes: &[u8], at: u32) -> u32 {
    let rest = bytes.get(at as usize..).unwrap_or_default();
    match memchr::memchr(b'\n', rest) {
        Some(found) if found > 0 && rest[found - 1] == b'\r' => at + offset(found - 1),
        Some(found) => at + offset(found),
        None => offset(bytes.len()),
    }
}

/// The start of the line after the one of `at`, or the end of the text.
pub(super) fn next_line(bytes: &[u8], at: u32) -> u32 {
    let rest = bytes.get(at as usize..).unwrap_or_default();
    memchr::memchr(b'\n', rest).map_or(offset(bytes.len()), |found| at + offset(found + 1))
}

/// Where the line after a node begins: block scalars end there by themselves.
pub(super) fn line_after(bytes: &[u8], start: u32, end: u32) -> u32 {
    if end > start && bytes.get(end as usize - 1) == Some(&b'\n') {
        end
    } else {
        next_line(bytes, end)
    }
}

/// `end` without a line break right before it.
pub(super) fn before_break(bytes: &[u8], start: u32, end: u32) -> u32 {
    match bytes.get(start as usize..end as usize) {
        Some([.., b'\r', b'\n']) => end - 2,
        Some([.., b'\n']) => end - 1,
        _ => end,
    }
}

/// The number of characters before `at` on its line.
pub(super) fn column(bytes: &[u8], at: u32) -> usize {
    let line = bytes.get(line_start(bytes, at) as usize..at as usize).unwrap_or_default();
    line.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// Whether only blanks stand before `at` on its line.
pub(super) fn is_first_on_line(bytes: &[u8], at: u32) -> bool {
    let before = bytes.get(bom_len(bytes) as usize..at as usize).unwrap_or_default();
    let other = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t'));
    matches!(other, None | Some(b'\n'))
}

/// Whether a comment stands in bytes that hold nothing but separators, blanks and comments.
pub(super) fn has_comment(bytes: &[u8], start: u32, end: u32) -> bool {
    bytes.get(start as usize..end as usize).unwrap_or_default().contains(&b'#')
}

/// Whether both offsets are on one line.
pub(super) fn same_line(bytes: &[u8], start: u32, end: u32) -> bool {
    !bytes.get(start as usize..end as usize).unwrap_or_default().contains(&b'\n')
}

pub(super) fn bom_len(bytes: &[u8]) -> u32 {
    if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 }
}

/// Texts beyond 4 GiB are refused before they are parsed.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_ends_at_any_line_break() {
        for text in ["#\r- x", "#\n- x", "# \r\n- x", " #a\r#b\n- x"] {
            let at = skip_trivia(text.as_bytes(), 0);
            assert_eq!(&text[at as usize..], "- x", "{text:?}");
        }
    }
}
