//! Globs over the paths of a workspace, as packs and configurations write them: `*` stays inside one folder, `**` does
//! not, and a glob after `!` takes out again what the others let in.

use globset::GlobBuilder;

use crate::path_glob::{MAX_PATTERN, PathGlob};

/// Which files something is about.
#[derive(Clone, Debug, Default)]
pub struct FileGlobs {
    pub(crate) includes: Vec<PathGlob>,
    pub(crate) excludes: Vec<PathGlob>,
}

impl FileGlobs {
    /// Adds a glob, or says why it is none.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        let (list, glob) = match text.strip_prefix('!') {
            Some(glob) => (&mut self.excludes, glob),
            None => (&mut self.includes, text),
        };
        if glob.is_empty()
            || glob.len() > MAX_PATTERN
            || glob.starts_with('/')
            || glob.contains('\\')
        {
            return Err(format!(
                "expected a glob of 1 to {MAX_PATTERN} bytes, relative to the root, with `/` between names"
            ));
        }
        match GlobBuilder::new(glob).literal_separator(true).build() {
            // The library says what is not a glob, and why; to compile what is one would cost more than all else.
            Ok(_) => list.extend(PathGlob::from_root(glob)),
            Err(error) => {
                return Err(format!(
                    "invalid glob `{}`: {}",
                    crate::schema::cut(glob),
                    error.kind()
                ));
            }
        }
        Ok(())
    }

    /// Whether nothing is let in.
    pub fn is_empty(&self) -> bool {
        self.includes.is_empty()
    }

    /// Whether a glob takes something out.
    pub(crate) fn takes_out(&self) -> bool {
        !self.excludes.is_empty()
    }

    /// Whether a file at this path is meant.
    pub fn matches(&self, path: &str) -> bool {
        self.includes.iter().any(|it| it.matches(path)) && !self.leaves_out(path)
    }

    /// Whether a glob after `!` takes the path out.
    pub(crate) fn leaves_out(&self, path: &str) -> bool {
        self.excludes.iter().any(|it| it.matches(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_is_not_meant() {
        let mut globs = FileGlobs::default();
        for glob in ["conf/**/*.yaml", "!conf/**/secret-*.yaml", "!conf/old/**"] {
            globs.add(glob).unwrap();
        }
        for (path, is_meant) in [
            ("conf/a.yaml", true),
            ("conf/x/y/a.yaml", true),
            ("conf/x/secret-a.yaml", false),
            ("conf/old/a.yaml", false),
            ("a.yaml", false),
        ] {
            assert_eq!(globs.matches(path), is_meant, "{path}");
        }
        for bad in ["", "!", "/a", "a\\b", "[", "!["] {
            assert!(globs.add(bad).is_err(), "{bad}");
        }
    }
}
