//! The crate `yaml-edit`: a lossless syntax tree that is changed in place.

use std::str::FromStr;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use yaml_edit::{Document, Mapping, Sequence, YamlNode, YamlValue};

use crate::operation::Operation;

/// The text after the operations.
pub(crate) fn edit(text: &str, operations: &[Operation]) -> Result<String> {
    let document = Document::from_str(text)?;
    for operation in operations {
        apply(&document, operation)?;
    }
    Ok(document.to_string())
}

fn apply(document: &Document, operation: &Operation) -> Result<()> {
    match operation {
        Operation::Replace { at, value } => {
            let (last, parent) = at.split_last().context("the root stays")?;
            match find(document, parent)? {
                YamlNode::Mapping(mapping) => mapping.set(last.as_str(), convert(value)),
                YamlNode::Sequence(sequence) => {
                    ensure!(sequence.set(last.parse()?, convert(value)), "no item {last}");
                }
                _ => bail!("not a container"),
            }
        }
        Operation::AddKey { at, key, value } => {
            mapping(document, at)?.set(key.as_str(), convert(value))
        }
        Operation::RemoveKey { at, key } => {
            mapping(document, at)?.remove(key.as_str()).context("no such key")?;
        }
        Operation::RenameKey { at, from, to } => {
            ensure!(mapping(document, at)?.rename_key(from.as_str(), to.as_str()), "no key {from}");
        }
        Operation::InsertItem { at, index, value } => {
            sequence(document, at)?.insert(*index, convert(value))
        }
        Operation::AppendItem { at, value } => sequence(document, at)?.push(convert(value)),
        Operation::DeleteItem { at, index } => {
            sequence(document, at)?.remove(*index).context("no such item")?;
        }
        Operation::MoveKey { from, to, key } => {
            let source = mapping(document, from)?;
            let value = source.get(key.as_str()).context("no such key")?;
            source.remove(key.as_str());
            mapping(document, to)?.set(key.as_str(), value);
        }
    }
    Ok(())
}

fn find(document: &Document, path: &[String]) -> Result<YamlNode> {
    let root = YamlNode::Mapping(document.as_mapping().context("the root is no mapping")?);
    path.iter().try_fold(root, |node, segment| {
        let child = match &node {
            YamlNode::Mapping(mapping) => mapping.get(segment.as_str()),
            YamlNode::Sequence(sequence) => sequence.get(segment.parse()?),
            _ => None,
        };
        child.with_context(|| format!("nothing at {segment}"))
    })
}

fn mapping(document: &Document, path: &[String]) -> Result<Mapping> {
    match find(document, path)? {
        YamlNode::Mapping(mapping) => Ok(mapping),
        _ => bail!("not a mapping"),
    }
}

fn sequence(document: &Document, path: &[String]) -> Result<Sequence> {
    match find(document, path)? {
        YamlNode::Sequence(sequence) => Ok(sequence),
        _ => bail!("not a sequence"),
    }
}

fn convert(value: &Value) -> YamlValue {
    match value {
        Value::Object(members) => YamlValue::Mapping(
            members.iter().map(|(key, value)| (key.clone(), convert(value))).collect(),
        ),
        Value::Array(items) => YamlValue::Sequence(items.iter().map(convert).collect()),
        Value::String(text) => YamlValue::from(text.as_str()),
        Value::Number(number) => YamlValue::from(number.as_i64().unwrap_or_default()),
        Value::Bool(flag) => YamlValue::from(*flag),
        Value::Null => YamlValue::from(""),
    }
}
