//! What the lines of a text show without a grammar: conflict markers, template markers, another encoding.

/// Where an unresolved merge conflict starts: lines of `<<<<<<<`, `=======` and `>>>>>>>` in this order.
pub(super) fn merge_conflict(bytes: &[u8]) -> Option<u32> {
    let starts = line_starts(bytes);
    let is_marker = |at: usize, mark: &[u8]| {
        bytes[at..]
            .strip_prefix(mark)
            .is_some_and(|rest| rest.first().is_none_or(|it| b" \r\n".contains(it)))
    };
    let mut first = None;
    let mut has_middle = false;
    for at in starts {
        match first {
            None if is_marker(at, b"<<<<<<<") => first = Some(at),
            Some(_) if is_marker(at, b"=======") => has_middle = true,
            Some(start) if has_middle && is_marker(at, b">>>>>>>") => {
                return u32::try_from(start).ok();
            }
            _ => {}
        }
    }
    None
}

/// Where the first marker of a template stands: `{{` of Helm, Jinja and Mustache, `{%` of Jinja, `<%` of ERB. The `${{`
/// of GitHub is part of a value.
pub(super) fn template_marker(bytes: &[u8]) -> Option<usize> {
    memchr::memchr2_iter(b'{', b'<', bytes).find(|at| {
        let (start, rest) = (bytes[*at], &bytes[at + 1..]);
        match (start, rest.first()) {
            (b'{', Some(b'{')) => at.checked_sub(1).is_none_or(|it| bytes[it] != b'$'),
            (b'{' | b'<', Some(b'%')) => true,
            _ => false,
        }
    })
}

/// The text in UTF-8, if it is one in UTF-16 or UTF-32.
pub(super) fn wide_to_utf8(bytes: &[u8]) -> Option<Vec<u8>> {
    let wide = |n: usize, is_little: bool| {
        let chunks = bytes.chunks_exact(n);
        if !chunks.remainder().is_empty() {
            return None;
        }
        let unit = |chunk: &[u8]| {
            let fold = |all: u32, it: &u8| all << 8 | u32::from(*it);
            match is_little {
                true => chunk.iter().rev().fold(0, fold),
                false => chunk.iter().fold(0, fold),
            }
        };
        let units: Vec<u32> = chunks.map(unit).collect();
        let text: Option<String> = if n == 4 {
            units.into_iter().map(char::from_u32).collect()
        } else {
            let units: Option<Vec<u16>> =
                units.into_iter().map(|it| u16::try_from(it).ok()).collect();
            String::from_utf16(&units?).ok()
        };
        text.map(String::into_bytes)
    };
    match *bytes {
        [0xFF, 0xFE, 0, 0, ..] => wide(4, true),
        [0, 0, 0xFE, 0xFF, ..] => wide(4, false),
        [0xFF, 0xFE, ..] => wide(2, true),
        [0xFE, 0xFF, ..] => wide(2, false),
        [_, 0, 0, 0, ..] => wide(4, true),
        [0, 0, 0, _, ..] => wide(4, false),
        [_, 0, ..] => wide(2, true),
        [0, _, ..] => wide(2, false),
        _ => None,
    }
}

/// Where the lines of a text start.
pub(super) fn line_starts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let after = memchr::memchr_iter(b'\n', bytes).map(|it| it + 1);
    std::iter::once(0).chain(after).filter(|it| *it < bytes.len())
}

/// The line around a place, without its end.
pub(super) fn line_around(bytes: &[u8], at: usize) -> std::ops::Range<usize> {
    let at = at.min(bytes.len());
    let start = memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |it| it + 1);
    let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |it| at + it);
    let end =
        if end > start && bytes.get(end.wrapping_sub(1)) == Some(&b'\r') { end - 1 } else { end };
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_need_all_three_markers_in_order() {
        let conflict = "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> other\n";
        assert_eq!(merge_conflict(conflict.as_bytes()), Some(5));
        for text in ["", "<<<<<<< HEAD\n", "a\n=======\n>>>>>>> x\n<<<<<<< y\n", " <<<<<<< a\n"] {
            assert_eq!(merge_conflict(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn templates_have_markers() {
        for (text, expected) in [
            ("a: {{ x }}", Some(3)),
            ("{% if %}", Some(0)),
            ("<%= x %>", Some(0)),
            ("a: ${{ x }}", None),
            ("a: {b: 1}", None),
            ("{", None),
            ("", None),
        ] {
            assert_eq!(template_marker(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn wide_texts_are_read() {
        let text = "{\"ä\": \"𝄞\"}";
        let utf16: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = utf16.iter().flat_map(|it| it.to_le_bytes()).collect();
        let big: Vec<u8> = utf16.iter().flat_map(|it| it.to_be_bytes()).collect();
        let wide: Vec<u8> = text.chars().flat_map(|it| (it as u32).to_le_bytes()).collect();
        for bytes in [little, big, wide] {
            assert_eq!(wide_to_utf8(&bytes).as_deref(), Some(text.as_bytes()));
        }
        assert_eq!(wide_to_utf8(b"plain"), None);
    }
}
