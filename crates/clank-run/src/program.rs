//! What is run: modules in memory.

use std::collections::BTreeMap;

/// One ES module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Where other modules find it, with `/`, relative to the program's root: `a/b.js`.
    pub path: String,
    /// Its JavaScript.
    pub text: String,
}

/// Modules of which one is started.
///
/// Every path is relative, has no empty, `.` or `..` segment and occurs once; the entry is one of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    modules: BTreeMap<String, String>,
    entry: String,
}

/// Why modules are not a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramError {
    /// The path would lead out of the program, or nowhere.
    #[error("`{path}` is not a module path: relative, with `/`, without `.` and `..`")]
    Path {
        /// The path.
        path: String,
    },
    /// Two modules have one path.
    #[error("two modules have the path `{path}`")]
    Duplicate {
        /// The path.
        path: String,
    },
    /// The entry is not among the modules.
    #[error("the entry `{entry}` is not a module of the program")]
    NoEntry {
        /// The entry.
        entry: String,
    },
}

impl Program {
    /// A program that starts with the module at `entry`: it is evaluated, and its `main` is called if it exports one.
    pub fn new(modules: Vec<Module>, entry: &str) -> Result<Program, ProgramError> {
        let mut by_path = BTreeMap::new();
        for Module { path, text } in modules {
            let is_plain = |it: &str| !it.is_empty() && it != "." && it != "..";
            if !path.split('/').all(is_plain) || path.contains(['\\', '\0', ':']) {
                return Err(ProgramError::Path { path });
            }
            if by_path.contains_key(&path) {
                return Err(ProgramError::Duplicate { path });
            }
            by_path.insert(path, text);
        }
        if !by_path.contains_key(entry) {
            return Err(ProgramError::NoEntry { entry: entry.to_owned() });
        }
        Ok(Program { modules: by_path, entry: entry.to_owned() })
    }

    /// The module that is started.
    pub fn entry(&self) -> &str {
        &self.entry
    }

    /// The modules' texts by path.
    pub fn modules(&self) -> &BTreeMap<String, String> {
        &self.modules
    }

    /// The path of the module that `base` names `name` in an import; `None` if it is not in the program.
    pub fn resolve(&self, base: &str, name: &str) -> Option<String> {
        if !name.starts_with("./") && !name.starts_with("../") {
            return self.modules.contains_key(name).then(|| name.to_owned());
        }
        let mut segments: Vec<&str> = base.split('/').collect();
        segments.pop();
        for segment in name.split('/') {
            match segment {
                "." => {}
                ".." => {
                    segments.pop()?;
                }
                _ => segments.push(segment),
            }
        }
        let path = segments.join("/");
        self.modules.contains_key(&path).then_some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(paths: &[&str], entry: &str) -> Result<Program, ProgramError> {
        let module = |path: &&str| Module { path: (*path).to_owned(), text: String::new() };
        Program::new(paths.iter().map(module).collect(), entry)
    }

    #[test]
    fn paths_stay_inside_and_are_unique() {
        for path in ["", "/a.js", "a//b.js", "../a.js", "a/./b.js", "a\\b.js", "c:/a.js", "a/"] {
            assert_eq!(program(&[path], path), Err(ProgramError::Path { path: path.to_owned() }));
        }
        let path = "a.js".to_owned();
        assert_eq!(program(&["a.js", "a.js"], "a.js"), Err(ProgramError::Duplicate { path }));
        let entry = "b.js".to_owned();
        assert_eq!(program(&["a.js"], "b.js"), Err(ProgramError::NoEntry { entry }));
    }

    #[test]
    fn imports_are_relative_to_the_importing_module() {
        let program = program(&["main.js", "a/b.js", "a/c.js"], "main.js").unwrap();
        let check = |base: &str, name: &str, expected: Option<&str>| {
            assert_eq!(program.resolve(base, name).as_deref(), expected, "{base} {name}");
        };
        check("main.js", "./a/b.js", Some("a/b.js"));
        check("a/b.js", "./c.js", Some("a/c.js"));
        check("a/b.js", "../main.js", Some("main.js"));
        check("a/b.js", "a/c.js", Some("a/c.js"));
        check("main.js", "../main.js", None);
        check("main.js", "./../../x.js", None);
        check("main.js", "node:fs", None);
        check("main.js", "./missing.js", None);
    }
}
