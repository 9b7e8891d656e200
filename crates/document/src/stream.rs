//! Where the documents of a YAML stream stand, without parsing it.
//!
//! A line that starts with `---` or `...` and a blank is a marker wherever it stands: no scalar may hold one. So the
//! documents of a stream that parses are found by its lines. What comes before the first marker, or after `...`, and is
//! only comments, blank lines and directives belongs to the document that follows.

use std::ops::Range;

/// The bytes of each document of a YAML stream that parses, with its markers; in order, and together the whole text.
pub fn yaml_documents(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut documents = Vec::new();
    let (mut start, mut at) = (0, 0);
    // Whether something of the document was seen that the next `---` cannot belong to.
    let mut has_content = false;
    while at < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |it| at + it + 1);
        let line = &bytes[at..end];
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
        if is_marker(line, b"---") {
            if has_content {
                documents.push(start..at);
                start = at;
            }
            has_content = true;
        } else if is_marker(line, b"...") {
            if has_content {
                documents.push(start..end);
                start = end;
            }
            has_content = false;
        } else if !has_content {
            let text = line.trim_ascii_start();
            let is_directive = line.first() == Some(&b'%');
            has_content = !text.is_empty() && text.first() != Some(&b'#') && !is_directive;
        }
        at = end;
    }
    if has_content || documents.is_empty() {
        documents.push(start..bytes.len());
    } else if let Some(last) = documents.last_mut() {
        last.end = bytes.len();
    }
    documents
}

fn is_marker(line: &[u8], marker: &[u8]) -> bool {
    line.strip_prefix(marker)
        .is_some_and(|rest| rest.first().is_none_or(|it| b" \t\r\n".contains(it)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_found_by_their_markers() {
        let check = |text: &str, expected: &[&str]| {
            let found = yaml_documents(text.as_bytes());
            let found: Vec<&str> = found.into_iter().map(|it| &text[it]).collect();
            assert_eq!(found, expected, "{text:?}");
            assert_eq!(found.concat(), text);
        };
        check("", &[""]);
        check("a: 1\n", &["a: 1\n"]);
        check("---\na: 1\n", &["---\na: 1\n"]);
        check("# c\n%YAML 1.2\n---\na: 1\n", &["# c\n%YAML 1.2\n---\na: 1\n"]);
        check("a: 1\n---\nb: 2\n", &["a: 1\n", "---\nb: 2\n"]);
        check("--- a\n--- b", &["--- a\n", "--- b"]);
        check("---\n---\n", &["---\n", "---\n"]);
        check("a\n...\n# c\n%YAML 1.2\n---\nb\n", &["a\n...\n", "# c\n%YAML 1.2\n---\nb\n"]);
        check("a\n...\n# end\n", &["a\n...\n# end\n"]);
        check("a: ---x\n---x: 1\n", &["a: ---x\n---x: 1\n"]);
        check("a: |\n  ---\n---\r\nb\r\n", &["a: |\n  ---\n", "---\r\nb\r\n"]);
    }
}
