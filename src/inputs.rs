//! The list of a build action's inputs (`--inputs FILE`): the whole workspace, as far as the action may know it.
//!
//! A line is a file: its path in the workspace, a tab, where it is on disk, and, for a file that is read and not reported on,
//! another tab and `context`. Without a tab the two paths are the same.
//!
//! ```text
//! app/main.clank
//! app/api.yaml<TAB>bazel-out/k8-fastbuild/bin/app/api.yaml
//! app/api.schema.json<TAB>app/api.schema.json<TAB>context
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::failure::UsageError;

/// The files that a build action may look at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Inputs {
    /// Where each file is on disk, by its path from the folder that the list is seen from.
    pub(crate) files: BTreeMap<String, PathBuf>,
    /// Those that are reported on.
    pub(crate) reported: Vec<String>,
}

impl Inputs {
    /// Reads a list. Files on disk are found from `directory`; files outside `root`, a folder of the list, are left out.
    pub(crate) fn parse(text: &str, directory: &Path, root: &str) -> Result<Inputs, UsageError> {
        let mut inputs = Inputs::default();
        for (idx, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty()) {
            let problem =
                |what: &str| UsageError(format!("line {} of the list of inputs: {what}", idx + 1));
            let parts: Vec<&str> = line.split('\t').collect();
            let (path, file, is_context) = match parts[..] {
                [path] => (path, path, false),
                [path, file] => (path, file, false),
                [path, file, "context"] => (path, file, true),
                _ => {
                    return Err(problem(
                        "expected PATH, PATH<TAB>FILE or PATH<TAB>FILE<TAB>context",
                    ));
                }
            };
            let below = match root {
                "" => Some(path),
                root => path.strip_prefix(root).and_then(|it| it.strip_prefix('/')),
            };
            let Some(path) = below else { continue };
            let file = directory.join(file);
            match inputs.files.insert(path.to_owned(), file.clone()) {
                None if is_context => {}
                None => inputs.reported.push(path.to_owned()),
                // A file may be a source and be named by the configuration, too.
                Some(before) if before == file && is_context => {}
                Some(before) if before == file => inputs.reported.push(path.to_owned()),
                Some(_) => return Err(problem(&format!("{path} is listed twice, as two files"))),
            }
        }
        if inputs.files.is_empty() && !text.trim().is_empty() {
            return Err(UsageError(format!("no file of the list of inputs lies in {root}")));
        }
        inputs.reported.sort();
        inputs.reported.dedup();
        Ok(inputs)
    }

    /// Fails if the path, seen from `directory`, is one of the inputs: an action does not write what it reads.
    pub(crate) fn refuse(&self, directory: &Path, output: &Path) -> Result<(), UsageError> {
        let Ok(found) = directory.join(output).canonicalize() else { return Ok(()) };
        let is_same = |it: &&PathBuf| it.canonicalize().is_ok_and(|it| it == found);
        match self.files.values().find(is_same) {
            Some(_) => Err(UsageError(format!(
                "{} is an input of this build action, and an action writes no input",
                output.display()
            ))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, root: &str, expected: &str) {
        let found = match Inputs::parse(text, Path::new("/x"), root) {
            Ok(it) => {
                let name = |(path, file): (&String, &PathBuf)| {
                    let mark = if it.reported.contains(path) { "" } else { " context" };
                    format!("{path}={}{mark}", file.display())
                };
                it.files.iter().map(name).collect::<Vec<_>>().join(", ")
            }
            Err(error) => error.0,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_line_is_a_file() {
        check("", "", "");
        check("a.yaml\n\nb/c d.yaml\n", "", "a.yaml=/x/a.yaml, b/c d.yaml=/x/b/c d.yaml");
        check("a.yaml\tbin/a.yaml\n", "", "a.yaml=/x/bin/a.yaml");
        check("a.yaml\t/abs/a.yaml\tcontext", "", "a.yaml=/abs/a.yaml context");
    }

    #[test]
    fn a_file_that_is_listed_twice_is_one_file() {
        check("a\ta\tcontext\na\n", "", "a=/x/a");
        check("a\na\ta\tcontext\n", "", "a=/x/a");
        check("a\tb\na\tc\n", "", "line 2 of the list of inputs: a is listed twice, as two files");
    }

    #[test]
    fn a_list_is_seen_from_a_folder_of_it() {
        check("app/a\napp2/b\nc\n", "app", "a=/x/app/a");
        check("app/a\n", "web", "no file of the list of inputs lies in web");
    }

    #[test]
    fn a_line_that_is_no_file_is_refused() {
        let problem = "line 1 of the list of inputs: expected PATH, PATH<TAB>FILE or PATH<TAB>FILE<TAB>context";
        check("a\tb\tc", "", problem);
        check("a\tb\tcontext\t", "", problem);
    }

    #[test]
    fn an_input_is_no_output_whatever_it_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.yaml");
        std::fs::write(&source, "").unwrap();
        let link = folder.path().join("link.yaml");
        std::os::unix::fs::symlink(&source, &link).unwrap();
        let inputs = Inputs::parse("a.yaml\tlink.yaml\n", folder.path(), "").unwrap();
        assert!(inputs.refuse(folder.path(), &source).is_err());
        assert!(inputs.refuse(folder.path(), Path::new("link.yaml")).is_err());
        assert!(inputs.refuse(folder.path(), Path::new("out.json")).is_ok());
    }
}
