//! Versions of tools, and which of them are understood.

use std::fmt;

/// A version as tools print it: the first numbers with dots in a text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second number.
    pub minor: u32,
    /// The third number; 0 if there is none.
    pub patch: u32,
}

impl Version {
    /// A version.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Version {
        Version { major, minor, patch }
    }

    /// The first version in what a tool printed about itself.
    pub fn find(text: &str) -> Option<Version> {
        let text: String = text.chars().take(2_000).collect();
        text.split(|it: char| !it.is_ascii_digit() && it != '.').find_map(|word| {
            let mut numbers = word.trim_matches('.').split('.');
            let mut next = || numbers.next().map(str::parse::<u32>);
            let (major, minor) = (next()?.ok()?, next()?.ok()?);
            let patch = next().and_then(Result::ok).unwrap_or(0);
            Some(Version { major, minor, patch })
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The versions of a tool whose output is understood.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Versions {
    /// The first one.
    pub from: Version,
    /// The first one that is not.
    pub below: Version,
}

impl Versions {
    /// From one version on, up to another one.
    pub const fn between(from: Version, below: Version) -> Versions {
        Versions { from, below }
    }

    /// Whether the version is one of them.
    pub fn contains(&self, version: Version) -> bool {
        self.from <= version && version < self.below
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_tools_print() {
        let check = |text: &str, expected: Option<(u32, u32, u32)>| {
            let found = Version::find(text).map(|it| (it.major, it.minor, it.patch));
            assert_eq!(found, expected, "{text}");
        };
        check("ruff 0.17.4", Some((0, 17, 4)));
        check("v10.14.0", Some((10, 14, 0)));
        check("ShellCheck - shell script analysis tool\nversion: 0.9.0\n", Some((0, 9, 0)));
        check("clippy 0.1.95 (59807616e1 2026-04-14)", Some((0, 1, 95)));
        check("rustfmt 1.9.0-stable (59807616e1 2026-04-14)", Some((1, 9, 0)));
        check("LLVM (http://llvm.org/):\n  LLVM version 23.1.4", Some((23, 1, 4)));
        check("go version go1.27.3 linux/amd64", Some((1, 27, 3)));
        check("Version: 2.6.6", Some((2, 6, 6)));
        check("tool 99999999999.1", None);
        check("none", None);
        check("7", None);
    }

    #[test]
    fn a_range_of_versions_has_its_start_and_not_its_end() {
        let versions = Versions::between(Version::new(0, 5, 0), Version::new(1, 0, 0));
        assert!(versions.contains(Version::new(0, 5, 0)));
        assert!(versions.contains(Version::new(0, 17, 4)));
        assert!(!versions.contains(Version::new(1, 0, 0)));
        assert!(!versions.contains(Version::new(0, 4, 9)));
    }
}
