//! Manual pages and completions, as the binary itself writes them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// What is installed beside the binary.
#[derive(Clone, Debug)]
pub(crate) struct Pages {
    /// By file name, such as `regreen-check.1`.
    pub(crate) manual: BTreeMap<String, Vec<u8>>,
    /// By the shell's name.
    pub(crate) completions: BTreeMap<&'static str, Vec<u8>>,
}

/// The shells, and the file name under which each looks for completions.
pub(crate) const SHELLS: [(&str, &str); 5] = [
    ("bash", "regreen.bash"),
    ("elvish", "regreen.elv"),
    ("fish", "regreen.fish"),
    ("powershell", "_regreen.ps1"),
    ("zsh", "_regreen"),
];

pub(crate) fn collect(binary: &Path) -> Result<Pages> {
    let list = String::from_utf8(output(binary, &["man", "--list"])?)?;
    let mut manual = BTreeMap::new();
    for typed in list.lines() {
        let words: Vec<&str> = typed.split(' ').skip(1).collect();
        let page = output(binary, &[&["man"], words.as_slice()].concat())?;
        manual.insert(format!("{}.1", typed.replace(' ', "-")), page);
    }
    ensure!(manual.len() > 1, "`regreen man --list` names no commands");
    let completions = SHELLS
        .iter()
        .map(|(shell, _)| Ok((*shell, output(binary, &["completions", shell])?)))
        .collect::<Result<_>>()?;
    Ok(Pages { manual, completions })
}

fn output(binary: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    // The width of a terminal and the language of the user must not show.
    let output = Command::new(binary).args(arguments).env_clear().output();
    let output = output.with_context(|| format!("cannot start {}", binary.display()))?;
    ensure!(
        output.status.success(),
        "regreen {} ended with {}",
        arguments.join(" "),
        output.status
    );
    ensure!(!output.stdout.is_empty(), "regreen {} said nothing", arguments.join(" "));
    Ok(output.stdout)
}
