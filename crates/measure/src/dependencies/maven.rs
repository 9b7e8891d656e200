//! Maven: `pom.xml`. Dependencies, plugins, extensions, the parent, and the repositories that they come from. Properties
//! of the same file are put in; those of a parent stay as they are written.

use std::collections::BTreeMap;

use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, address};
use super::xml::{Element, XmlTree, parse};

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    (name == "pom.xml" || name.ends_with(".pom")).then_some(Manifest { label: "pom.xml", read })
}

fn read(text: &str) -> Result<Dependencies, String> {
    let tree = parse(text)?;
    if tree.elements.first().is_none_or(|it| it.name != "project") {
        return Err("its root is not `project`".to_owned());
    }
    let properties = properties(&tree);
    let mut found = Dependencies::default();
    for element in &tree.elements {
        let is_managed =
            tree.around(element).any(|it| it == "dependencyManagement" || it == "pluginManagement");
        let kind = match element.name.as_str() {
            "dependency" if is_managed => DependencyKind::Managed,
            "dependency" => match tree.child_text(element, "scope") {
                Some("test") => DependencyKind::Dev,
                _ => DependencyKind::Normal,
            },
            "plugin" if is_managed => DependencyKind::Managed,
            "plugin" | "extension" | "path" | "annotationProcessorPath" => DependencyKind::Plugin,
            "parent" => DependencyKind::Managed,
            "repository" | "pluginRepository" | "mirror" => {
                if let Some(url) = tree.child_text(element, "url") {
                    found.add(DependencyKind::Source, address(&filled(url, &properties)), "");
                }
                continue;
            }
            "module" => {
                found.add(DependencyKind::Local, element.text.clone(), "modules");
                continue;
            }
            _ => continue,
        };
        if let Some(name) = name(&tree, element, &properties) {
            let system = tree.child_text(element, "systemPath").unwrap_or("");
            found.add(kind, name, system);
        }
    }
    Ok(found)
}

fn name(tree: &XmlTree, element: &Element, properties: &BTreeMap<&str, &str>) -> Option<String> {
    let artifact = filled(tree.child_text(element, "artifactId")?, properties);
    let default = if element.name == "plugin" { "org.apache.maven.plugins" } else { "" };
    let group = filled(tree.child_text(element, "groupId").unwrap_or(default), properties);
    Some(format!("{group}:{artifact}"))
}

fn properties(tree: &XmlTree) -> BTreeMap<&str, &str> {
    let tables = tree.elements.iter().filter(|it| it.name == "properties");
    tables.flat_map(|it| tree.children(it)).map(|it| (it.name.as_str(), it.text.as_str())).collect()
}

/// The text with the properties of the file put in, as often as Maven writers nest them.
fn filled(text: &str, properties: &BTreeMap<&str, &str>) -> String {
    let mut text = text.to_owned();
    for _ in 0..8 {
        let Some((before, rest)) = text.split_once("${") else { break };
        let Some((name, after)) = rest.split_once('}') else { break };
        let Some(value) = properties.get(name).filter(|it| it.len() + text.len() < 4096) else {
            break;
        };
        text = format!("{before}{value}{after}");
    }
    text
}
