//! What GitHub runs for us and for those who copy from the guide: zizmor looks at the workflows and the action, shellcheck at
//! the scripts.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::python_tools;
use crate::{command, execute, report};

const CONFIG: &str = ".github/zizmor.yml";

pub(crate) fn run(root: &Path) -> Result<()> {
    zizmor(root)?;
    let mut scripts = vec![root.join(".ci/run")];
    for entry in fs::read_dir(root.join(".github/action"))? {
        scripts.push(entry?.path());
    }
    ensure!(scripts.len() > 3, "the scripts of the action are in .github/action");
    execute(command("shellcheck", root).args(["--enable", "quote-safe-variables"]).args(scripts))
}

fn zizmor(root: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut files = vec!["action.yml".to_owned(), ".pre-commit-hooks.yaml".to_owned()];
    for entry in fs::read_dir(root.join(".github/workflows"))? {
        files.push(format!(".github/workflows/{}", entry?.file_name().to_string_lossy()));
    }
    let n_own = files.len();
    for entry in fs::read_dir(root.join("docs/guide"))? {
        let page = entry?.path();
        let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
        for block in text.split("\n```yaml .github/workflows/").skip(1) {
            let (name, block) = block.split_once('\n').context("a block has a first line")?;
            let (block, _) = block.split_once("\n```").context("a block has an end")?;
            let page = folder.path().join(page.file_stem().unwrap_or_default());
            let file = page.join(".github/workflows").join(name);
            fs::create_dir_all(file.parent().context("a file is in a folder")?)?;
            fs::write(&file, format!("{block}\n"))?;
            files.push(file.display().to_string());
        }
    }
    ensure!(files.len() > n_own, "the guide has no workflow");
    let mut zizmor = command(&python_tools(root)?.join("zizmor").to_string_lossy(), root);
    zizmor.args(["--offline", "--no-progress", "--strict-collection", "--config", CONFIG]);
    let output = zizmor.args(&files).output().context("zizmor")?;
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    ensure!(output.status.success(), "zizmor ended with {}:\n{text}", output.status);
    for file in &files {
        ensure!(
            text.contains(&format!("completed {file}\n")),
            "zizmor passed over {file}:\n{text}"
        );
    }
    report(&format!("workflows: zizmor finds nothing in {} files", files.len()));
    Ok(())
}
