//! The JSON Schemas under `docs/formats`: generated from the wire types, checked in, and compared in the tests.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Writes every schema.
pub(crate) fn write(root: &Path) -> Result<()> {
    let folder = root.join("docs/formats");
    fs::create_dir_all(&folder)?;
    for (name, text) in schemas()? {
        fs::write(folder.join(file_name(name)), text)?;
    }
    Ok(())
}

/// Fails if a schema in the tree is not the generated one.
pub(crate) fn check(root: &Path) -> Result<()> {
    for (name, text) in schemas()? {
        let path = root.join("docs/formats").join(file_name(name));
        let found = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        if found != text {
            bail!("docs/formats/{} is not current; run `cargo xtask codegen`", file_name(name));
        }
    }
    Ok(())
}

fn schemas() -> Result<Vec<(&'static str, String)>> {
    let mut all = patch::v1::schemas();
    all.extend(protocol::v1::schemas().into_iter().map(|(name, schema)| (name, schema.to_value())));
    all.push(("clank-ast", clank_syntax::json::schema()));
    all.extend(govern::schemas());
    all.into_iter()
        .map(|(name, schema)| Ok((name, serde_json::to_string_pretty(&schema)? + "\n")))
        .collect()
}

fn file_name(name: &str) -> String {
    format!("{name}.schema.json")
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_schemas_in_the_tree_are_current() {
        super::check(&crate::root()).unwrap();
    }
}
