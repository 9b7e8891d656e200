//! Paths as tools print them: absolute, relative, with `./`, as `file:` URLs. What leads out of the root is refused.

use snapshot::RelPath;

/// The path inside the root that a tool means; `None` if it is not inside. `root` is absolute, as the tool saw it;
/// a relative path is relative to `base`, a folder inside the root, which is empty for the root itself.
pub(crate) fn resolve(named: &str, root: &str, base: &str) -> Option<RelPath> {
    let decoded;
    let mut path = named;
    if let Some(rest) = named.strip_prefix("file:") {
        let rest = rest.strip_prefix("//localhost").or_else(|| rest.strip_prefix("//"));
        decoded = percent_decoded(rest.unwrap_or(named.trim_start_matches("file:")))?;
        path = &decoded;
    }
    let root = root.trim_end_matches('/');
    let (is_absolute, inside) = match path.strip_prefix(root) {
        Some(rest) if !root.is_empty() && rest.starts_with('/') => (true, &rest[1..]),
        _ => (path.starts_with('/'), path),
    };
    if is_absolute && inside.starts_with('/') {
        return None;
    }
    if is_absolute && inside.len() == path.len() {
        return None;
    }
    let base = if is_absolute { "" } else { base };
    RelPath::parse(&normal(base, inside)?).ok()
}

/// A relative path without `.` and `..`; `None` if it leads out.
fn normal(base: &str, path: &str) -> Option<String> {
    let mut segments: Vec<&str> = Vec::new();
    for segment in base.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            it => segments.push(it),
        }
    }
    Some(segments.join("/"))
}

pub(crate) fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_into_the_root_or_nowhere() {
        let check = |named: &str, expected: Option<&str>| {
            let found = resolve(named, "/w", "");
            assert_eq!(found.as_ref().map(RelPath::as_str), expected, "{named}");
        };
        check("a/b.py", Some("a/b.py"));
        check("./a/b.py", Some("a/b.py"));
        check("a/./../b.py", Some("b.py"));
        check("/w/a.py", Some("a.py"));
        check("/w//a.py", None);
        check("/w/../etc/passwd", None);
        check("/wide/a.py", None);
        check("/etc/passwd", None);
        check("../a.py", None);
        check("a/../../b", None);
        check("file:///w/a%20b.py", Some("a b.py"));
        check("file://localhost/w/a.py", Some("a.py"));
        check("file:///etc/passwd", None);
        check("file:///w/%2e%2e/x", None);
        check("file:///w/%zz", None);
        check("C:\\a.py", None);
        check("", None);
        check("/w", None);
        check("/", None);
    }

    #[test]
    fn relative_paths_start_at_the_folder_of_the_tool() {
        let found = resolve("../x.rs", "/w", "crates/a");
        assert_eq!(found.as_ref().map(RelPath::as_str), Some("crates/x.rs"));
        assert_eq!(resolve("../../../x.rs", "/w", "crates/a"), None);
        assert_eq!(resolve("/w/x.rs", "/w", "crates/a").unwrap().as_str(), "x.rs");
    }
}
