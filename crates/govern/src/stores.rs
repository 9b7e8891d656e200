//! What belongs to git and to regreen, whatever a file system makes of its name. Neither a scope nor a change may lead
//! there, and both ask here.

use snapshot::RelPath;

/// The folders of git and of regreen.
const STORES: [&str; 2] = [".git", ".regreen"];

/// Whether a path leads into what git or regreen keep, at whatever depth.
pub(crate) fn is_store(path: &RelPath) -> bool {
    path.segments().any(|it| STORES.contains(&folded(it).as_str()))
}

/// The name of a configuration, in whatever folder.
pub(crate) const CONFIGURATION: &str = "regreen.toml";

/// Whether a path is that of a configuration, at whatever depth.
pub(crate) fn is_configuration(path: &RelPath) -> bool {
    path.segments().last().is_some_and(|it| folded(it) == CONFIGURATION)
}

/// A segment as the most forgiving file systems see it: without case, without characters that do not show, without
/// dots and blanks at its end or the name of a stream, and not by the short name that Windows gives.
pub(crate) fn folded(segment: &str) -> String {
    let shown: String = segment.chars().filter(|it| !is_ignored(*it)).collect();
    let name = shown.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let name = case_folded(if name.is_empty() { segment } else { name });
    match name.split_once('~') {
        Some(("git", n)) if n.starts_with(|it: char| it.is_ascii_digit()) => ".git".to_owned(),
        Some(("regree", n)) if n.starts_with(|it: char| it.is_ascii_digit()) => {
            if n.contains('.') { "regreen.toml" } else { ".regreen" }.to_owned()
        }
        _ => name,
    }
}

/// Through upper case first, so that `ſ` and `ß` meet their partners.
pub(crate) fn case_folded(text: &str) -> String {
    text.to_uppercase().to_lowercase()
}

fn is_ignored(it: char) -> bool {
    matches!(it,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_one_under_every_name_that_leads_there() {
        for (path, expected) in [
            (".git", true),
            (".git/hooks/pre-commit", true),
            ("vendor/lib/.git/config", true),
            (".GIT/config", true),
            (".gıt/config", true),
            (".g\u{200c}it/config", true),
            (".git\u{feff}", true),
            ("git~1/config", true),
            ("GIT~2", true),
            ("git~x", false),
            (".regreen/registry.db", true),
            (".ReGreen", true),
            ("src/regree~1", true),
            ("regree~1.tom", false),
            (".gitignore", false),
            (".gitattributes", false),
            (".github/workflows", false),
            ("git", false),
            ("regreen", false),
            ("regreen.toml", false),
            ("src/.regreen2/x", false),
        ] {
            assert_eq!(is_store(&RelPath::parse(path).unwrap()), expected, "{path:?}");
        }
        // Not every path type admits these names; file systems that cut them do.
        for segment in [".git.", ".git ", ".git. .", ".git::$INDEX_ALLOCATION", ".GIT:x"] {
            assert_eq!(folded(segment), ".git", "{segment:?}");
        }
    }
}
