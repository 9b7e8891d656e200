//! The tree that tools are timed on: sources as people write them, every third with something that each of its tools fixes.

use anyhow::Result;

use super::Site;
use crate::random::Random;

/// The files of a repository that shows that it uses the tools.
const SETTINGS: [(&str, &str); 3] = [
    ("ruff.toml", "[lint]\nselect = [\"F\", \"E9\"]\n[format]\nquote-style = \"double\"\n"),
    (".prettierrc", "{}\n"),
    (".typos.toml", ""),
];

const NAMES: [&str; 8] =
    ["account", "balance", "request", "handler", "payload", "context", "session", "message"];

/// Writes `n_files` files and the settings of the tools.
pub(super) fn write(site: &Site, n_files: usize) -> Result<()> {
    for (path, text) in SETTINGS {
        site.write(path, text)?;
    }
    // What runners keep in the tree, and their settings, are nobody's source.
    site.write(".prettierignore", "*.toml\n*.yml\n*.yaml\n")?;
    let mut random = Random::new(18);
    for number in 0..n_files {
        let has_fault = number % 3 == 0;
        let folder = format!("part{:02}", number % 20);
        let (extension, text) = match number % 10 {
            0..5 => ("py", python(&mut random, has_fault)),
            5 | 6 => ("js", javascript(&mut random, has_fault)),
            7 => ("css", css(&mut random, has_fault)),
            8 => ("md", markdown(&mut random, has_fault)),
            _ => ("sh", shell(&mut random, has_fault)),
        };
        site.write(&format!("{folder}/file{number:05}.{extension}"), &text)?;
    }
    Ok(())
}

fn name(random: &mut Random) -> &'static str {
    NAMES[random.below(NAMES.len())]
}

/// A word in prose that is wrong in a file with a fault.
fn the(has_fault: bool) -> &'static str {
    if has_fault { "teh" } else { "the" }
}

fn python(random: &mut Random, has_fault: bool) -> String {
    let mut text = String::from("import sys\n");
    if has_fault {
        text.push_str("import os\n");
    }
    for number in 0..12 {
        let (one, two) = (name(random), name(random));
        text.push_str(&format!(
            "\n\ndef {one}_{number}(value):\n    # Where {} {two} is made.\n",
            the(has_fault)
        ));
        text.push_str(match has_fault {
            true => "    pair = {'first':value,  'second': len(sys.argv)}\n",
            false => "    pair = {\"first\": value, \"second\": len(sys.argv)}\n",
        });
        text.push_str(&format!("    return pair, \"{two}\"\n"));
    }
    text
}

fn javascript(random: &mut Random, has_fault: bool) -> String {
    let mut text = String::new();
    for number in 0..12 {
        let (one, two) = (name(random), name(random));
        text.push_str(&format!("// Where {} {two} is made.\n", the(has_fault)));
        text.push_str(&match has_fault {
            true => {
                format!("export function {one}{number}( value ) {{ return [value,'{two}'] }}\n")
            }
            false => format!(
                "export function {one}{number}(value) {{\n  return [value, \"{two}\"];\n}}\n"
            ),
        });
    }
    text
}

fn css(random: &mut Random, has_fault: bool) -> String {
    let rule = |number: usize| {
        let name = name(random);
        let comment = format!("/* Where {} {name} is. */\n", the(has_fault));
        comment
            + &match has_fault {
                true => format!(".{name}-{number} {{ color:red; margin : {number}px }}\n"),
                false => format!(".{name}-{number} {{\n  color: red;\n  margin: {number}px;\n}}\n"),
            }
    };
    (1..20).map(rule).collect()
}

fn markdown(random: &mut Random, has_fault: bool) -> String {
    let mut text = String::from("# Notes\n");
    for number in 0..20 {
        let (one, two) = (name(random), name(random));
        let bullet = if has_fault { "*  " } else { "- " };
        text.push_str(&format!(
            "\n## About {one} {number}\n\nWhere {} {two} is made.\n\n",
            the(has_fault)
        ));
        text.push_str(&format!("{bullet}{one}\n{bullet}{two}\n"));
    }
    text
}

fn shell(random: &mut Random, has_fault: bool) -> String {
    let mut text = String::from("#!/bin/bash\n");
    for _ in 0..12 {
        let name = name(random);
        let argument = if has_fault { "$1" } else { "\"$1\"" };
        text.push_str(&format!(
            "# Where {} {name} is made.\necho {name} {argument}\n",
            the(has_fault)
        ));
    }
    text
}
