//! How a file names its own schema: a `$schema` key at its top, `# yaml-language-server: $schema=PATH` among the first
//! comments of YAML, `#:schema PATH` among those of TOML. A comment wins over the key, as it does in editors.

use std::ops::Range;

use check::Parsed;
use document::{Format, Pointer, Value};
use memchr::memmem;
use snapshot::RelPath;

use super::SchemaId;

/// Where a file names its schema, and as what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reference {
    pub(super) text: String,
    pub(super) place: ReferenceSite,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ReferenceSite {
    Key,
    Comment(Range<u32>),
    /// Nowhere in the file: it has the schema by its name.
    Name,
}

/// What a reference means for a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ReferenceTarget {
    /// One that can be looked for.
    Schema(SchemaId),
    /// Somewhere else; never fetched.
    Remote,
    /// A well-known meta-schema: the file is a schema itself.
    MetaSchema,
    /// Nothing that can be used, and why.
    Unusable(String),
}

/// Whether the bytes can have a reference at all. Most files have none, and are not parsed.
pub(super) fn may_have_one(bytes: &[u8], format: Format) -> bool {
    memmem::find(bytes, b"$schema").is_some()
        || (format == Format::Toml && memmem::find(bytes, b"#:schema").is_some())
        // The dollar sign of a key can be written as an escape.
        || (format == Format::Json && memmem::find(bytes, b"\\u0024schema").is_some())
}

/// The reference in the comments at the top of a text, which can be read even if the rest cannot.
pub(super) fn in_comments(bytes: &[u8], format: Format) -> Option<Reference> {
    if format == Format::Json {
        return None;
    }
    let mut offset = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    for line in bytes[offset..].split_inclusive(|it| *it == b'\n') {
        let start = offset;
        offset += line.len();
        let Ok(line) = std::str::from_utf8(line) else { return None };
        let text = line.trim();
        let is_top = text.is_empty() || text.starts_with(['#', '%']) || text == "---";
        if !is_top {
            return None;
        }
        let named = match format {
            Format::Yaml => text
                .strip_prefix('#')
                .and_then(|it| it.trim_start().strip_prefix("yaml-language-server:"))
                .and_then(|it| it.trim_start().strip_prefix("$schema=")),
            _ => text.strip_prefix("#:schema").filter(|it| it.starts_with([' ', '\t'])),
        };
        if let Some(named) = named.and_then(|it| it.split_whitespace().next()) {
            let column = line.rfind(named).unwrap_or_default();
            let from = u32::try_from(start + column).ok()?;
            let to = u32::try_from(start + column + named.len()).ok()?;
            return Some(Reference {
                text: named.to_owned(),
                place: ReferenceSite::Comment(from..to),
            });
        }
    }
    None
}

/// The reference in the `$schema` key of a document.
pub(super) fn in_key(parsed: &Parsed) -> Option<Reference> {
    let document = parsed.document().ok()?;
    match document.value_at(&key())? {
        Value::String(text) => Some(Reference { text, place: ReferenceSite::Key }),
        _ => None,
    }
}

/// The place of the key.
pub(super) fn key() -> Pointer {
    Pointer::from_segments(["$schema".to_owned()])
}

/// What the reference in `file` means.
pub(super) fn resolve(reference: &str, file: &RelPath) -> ReferenceTarget {
    let unusable = |why: &str| ReferenceTarget::Unusable(why.to_owned());
    let is_web = |it: &str| it.starts_with("http://") || it.starts_with("https://");
    if is_web(reference) {
        let host = reference.split_once("://").map_or("", |it| it.1);
        let is_meta = host.starts_with("json-schema.org/");
        return if is_meta { ReferenceTarget::MetaSchema } else { ReferenceTarget::Remote };
    }
    let path = reference.strip_prefix("file:").unwrap_or(reference);
    if path.contains("://") {
        return ReferenceTarget::Remote;
    }
    let path = match path.split_once('#') {
        Some((path, "")) => path,
        Some(_) => return unusable("it names a part of a schema; name the whole file"),
        None => path,
    };
    if path.is_empty() {
        return unusable("it is empty; name a file");
    }
    if path.starts_with('/') || path.contains('\\') {
        return unusable("it is not a path relative to this file; write it as one, with `/`");
    }
    let mut segments: Vec<&str> = file.segments().collect();
    segments.pop();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if segments.pop().is_some() => {}
            ".." => return unusable("it leads out of the workspace"),
            name => segments.push(name),
        }
    }
    match RelPath::parse(&segments.join("/")) {
        Ok(path) => ReferenceTarget::Schema(SchemaId::File(path)),
        Err(error) => ReferenceTarget::Unusable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(format: Format, text: &str, expected: Option<&str>) {
        let found = in_comments(text.as_bytes(), format);
        assert_eq!(found.as_ref().map(|it| it.text.as_str()), expected, "{text}");
        if let Some(Reference { text: named, place: ReferenceSite::Comment(span) }) = found {
            assert_eq!(text[span.start as usize..span.end as usize], named);
            assert!(may_have_one(text.as_bytes(), format));
        }
    }

    #[test]
    fn comments_at_the_top_name_a_schema() {
        check(Format::Yaml, "# yaml-language-server: $schema=./a.json\na: 1\n", Some("./a.json"));
        check(
            Format::Yaml,
            "\u{feff}# x\r\n---\r\n#yaml-language-server:$schema=a.json \r\n",
            Some("a.json"),
        );
        check(Format::Yaml, "a: 1\n# yaml-language-server: $schema=./a.json\n", None);
        check(Format::Yaml, "# yaml-language-server: $schema=\n", None);
        check(Format::Toml, "#:schema schema schema\n", Some("schema"));
        check(Format::Toml, "#:schemas a\n", None);
        check(Format::Toml, "# yaml-language-server: $schema=a\n", None);
        check(Format::Json, "#:schema a\n", None);
    }

    #[test]
    fn a_reference_stays_in_the_workspace() {
        let file = RelPath::parse("conf/app/x.yaml").unwrap();
        let at = |text: &str| match resolve(text, &file) {
            ReferenceTarget::Schema(id) => id.as_str().to_owned(),
            other => format!("{other:?}"),
        };
        assert_eq!(at("./s.json"), "conf/app/s.json");
        assert_eq!(at("../../s.json#"), "s.json");
        assert_eq!(at("file:../s.json"), "conf/s.json");
        assert_eq!(at("https://example.org/s.json"), "Remote");
        assert_eq!(at("ftp://example.org/s.json"), "Remote");
        assert_eq!(at("http://json-schema.org/draft-07/schema#"), "MetaSchema");
        for bad in
            ["", "../../../s.json", "/s.json", "file:///s.json", "a\\b.json", "s.json#/x", "a\0b"]
        {
            assert!(at(bad).starts_with("Unusable"), "{bad}");
        }
    }
}
