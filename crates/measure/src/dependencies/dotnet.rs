//! .NET: project files and the property files beside them, `packages.config`, `packages.lock.json`, `nuget.config`.

use document::Format;
use snapshot::RelPath;

use super::Manifest;
use super::set::{Dependencies, DependencyKind, address};
use super::structured::{members, object, string};
use super::xml::parse;

pub(super) fn manifest(_: &RelPath, name: &str) -> Option<Manifest> {
    let lower = name.to_ascii_lowercase();
    let is_project = [".csproj", ".fsproj", ".vbproj", ".props", ".targets"]
        .iter()
        .any(|it| lower.ends_with(it));
    match lower.as_str() {
        "packages.config" => Some(Manifest { label: "packages.config", read: read_packages }),
        "nuget.config" => Some(Manifest { label: "nuget.config", read: read_sources }),
        "packages.lock.json" => Some(Manifest { label: "packages.lock.json", read: read_lock }),
        _ if is_project => Some(Manifest { label: "MSBuild project", read: read_project }),
        _ => None,
    }
}

fn read_project(text: &str) -> Result<Dependencies, String> {
    let tree = parse(text)?;
    let mut found = Dependencies::default();
    for element in &tree.elements {
        let kind = match element.name.as_str() {
            "PackageReference" | "Reference" | "FrameworkReference" | "COMReference" => {
                DependencyKind::Normal
            }
            "PackageVersion" => DependencyKind::Managed,
            "GlobalPackageReference" | "DotNetCliToolReference" | "Sdk" | "Analyzer" => {
                DependencyKind::Plugin
            }
            "ProjectReference" => DependencyKind::Local,
            "Import" => DependencyKind::Include,
            _ => continue,
        };
        let hint = element
            .attribute("HintPath")
            .or_else(|| tree.child_text(element, "HintPath"))
            .unwrap_or("");
        for attribute in ["Include", "Update", "Name", "Project"] {
            for name in element
                .attribute(attribute)
                .unwrap_or("")
                .split(';')
                .map(str::trim)
                .filter(|it| !it.is_empty())
            {
                // An assembly's full name has its version behind a comma.
                let name = name.split(',').next().unwrap_or(name);
                found.add(kind, name.to_ascii_lowercase(), hint);
            }
        }
    }
    for sdk in tree.elements.first().and_then(|it| it.attribute("Sdk")).unwrap_or("").split(';') {
        let name = sdk.split('/').next().unwrap_or(sdk).trim();
        if !name.is_empty() {
            found.add(DependencyKind::Plugin, name.to_ascii_lowercase(), "");
        }
    }
    for element in tree
        .elements
        .iter()
        .filter(|it| it.name == "RestoreSources" || it.name == "RestoreAdditionalProjectSources")
    {
        element
            .text
            .split(';')
            .for_each(|it| found.add(DependencyKind::Source, address(it.trim()), ""));
    }
    Ok(found)
}

fn read_packages(text: &str) -> Result<Dependencies, String> {
    let tree = parse(text)?;
    let mut found = Dependencies::default();
    for element in tree.elements.iter().filter(|it| it.name == "package") {
        let id = element.attribute("id").ok_or("a package has no id")?;
        found.add(DependencyKind::Normal, id.to_ascii_lowercase(), "");
    }
    Ok(found)
}

fn read_sources(text: &str) -> Result<Dependencies, String> {
    let tree = parse(text)?;
    let mut found = Dependencies::default();
    for element in tree.elements.iter().filter(|it| it.name == "add") {
        if tree.around(element).next() == Some("packageSources") {
            found.add(
                DependencyKind::Source,
                address(element.attribute("value").unwrap_or("")),
                "",
            );
        }
    }
    Ok(found)
}

fn read_lock(text: &str) -> Result<Dependencies, String> {
    let root = object(text, Format::Json)?;
    let mut found = Dependencies::default();
    for (_, framework) in members(root.get("dependencies")) {
        for (name, package) in members(Some(framework)) {
            let source = if string(package, "type") == Some("Project") { "project" } else { "" };
            found.add(DependencyKind::Locked, name.to_ascii_lowercase(), source);
        }
    }
    Ok(found)
}
