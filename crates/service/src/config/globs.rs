//! Globs over paths of the workspace, as the configuration writes them. `*` stays in a folder, `**` does not; a
//! pattern that matches a folder means everything in it.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use snapshot::RelPath;

/// A set of globs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globs {
    patterns: Vec<globset::Glob>,
    set: GlobSet,
}

impl Globs {
    /// Adds a glob; it matters after [`Globs::build`].
    pub(crate) fn add(&mut self, pattern: &str) -> Result<(), String> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
        if pattern.is_empty() {
            return Err("it is empty".to_owned());
        }
        if pattern.starts_with('/') || pattern.split('/').any(|it| it == "..") {
            return Err("it must be relative to the root and stay beneath it".to_owned());
        }
        let glob = GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build();
        self.patterns.push(glob.map_err(|error| error.kind().to_string())?);
        Ok(())
    }

    /// Makes the set of what was added.
    pub(crate) fn build(&mut self) -> Result<(), String> {
        let mut builder = GlobSetBuilder::new();
        self.patterns.iter().for_each(|it| {
            builder.add(it.clone());
        });
        self.set = builder.build().map_err(|error| error.kind().to_string())?;
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether a glob may match something in the folder, as far as its beginning without wildcards tells.
    pub(crate) fn may_match_in(&self, folder: &RelPath) -> bool {
        let folder = folder.as_str();
        self.patterns.iter().any(|it| {
            let pattern = it.glob();
            let end = pattern.find(['*', '?', '[', '{', '\\']).unwrap_or(pattern.len());
            let plain = &pattern[..end];
            // Where a wildcard starts inside a name, only the folders before it are known.
            let known = if end == pattern.len() { plain } else { folders_of(plain) };
            known.is_empty() || is_inside(folder, known) || is_inside(known, folder)
        })
    }

    /// Whether a glob matches the path or a folder that it lies in.
    pub(crate) fn matches(&self, path: &RelPath) -> bool {
        let text = path.as_str();
        let folders = text.match_indices('/').map(|(end, _)| &text[..end]);
        self.set.is_match(text) || folders.into_iter().any(|it| self.set.is_match(it))
    }
}

fn folders_of(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..end])
}

/// Whether one path is the other or lies beneath it.
fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_may_hold_what_a_glob_matches_unless_they_part_before_a_wildcard() {
        for (pattern, folder, may_match) in [
            ("conf/**", "conf", true),
            ("conf/**", "conf/a", true),
            ("conf/a/*.yaml", "conf", true),
            ("conf/**", "private", false),
            ("conf*/a.yaml", "conf1", true),
            ("conf", "conf/a", true),
            ("conf", "confx", false),
            ("**/*.yaml", "private", true),
        ] {
            let mut globs = Globs::default();
            globs.add(pattern).unwrap();
            globs.build().unwrap();
            let folder = RelPath::parse(folder).unwrap();
            assert_eq!(globs.may_match_in(&folder), may_match, "{pattern} {folder}");
        }
    }

    #[track_caller]
    fn check(pattern: &str, path: &str, matches: bool) {
        let mut globs = Globs::default();
        globs.add(pattern).unwrap();
        globs.build().unwrap();
        assert_eq!(globs.matches(&RelPath::parse(path).unwrap()), matches, "{pattern} {path}");
    }

    #[test]
    fn a_glob_matches_files_and_everything_in_a_folder() {
        check("*.yaml", "a.yaml", true);
        check("*.yaml", "b/a.yaml", false);
        check("**/*.yaml", "b/a.yaml", true);
        check("**/*.yaml", "a.yaml", true);
        check("vendor", "vendor/a/b.json", true);
        check("vendor/", "vendor/a.json", true);
        check("./vendor/**", "vendor/a.json", true);
        check("vendor", "my/vendor/a.json", false);
        check("**/vendor", "my/vendor/a.json", true);
        check("{a,b}/*.json", "b/x.json", true);
    }

    #[test]
    fn a_glob_that_is_none_or_leaves_the_root_is_refused() {
        for pattern in ["", "/", "/etc/*", "../x", "a/../../b", "a[", "{a"] {
            assert!(Globs::default().add(pattern).is_err(), "{pattern}");
        }
    }
}
