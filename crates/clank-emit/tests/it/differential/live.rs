//! The same on Node, from JavaScript and from TypeScript that `tsc --strict` has accepted.

use std::path::Path;
use std::process::Command;

use super::*;

/// How many programs there are.
const COUNT: u64 = 200;

/// The programs that the interpreter comes to an end with, and what they should write.
fn programs() -> Vec<(String, Checked, Ran)> {
    let all = written().chain(generated(COUNT));
    let checked = all.map(|(name, text)| (name, checked(&text).expect("the program is accepted")));
    checked
        .filter_map(|(name, checked)| {
            let expected = interpreted(&checked)?;
            Some((name, checked, expected))
        })
        .collect()
}

fn on_node(files: Vec<OutputFile>) -> Ran {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let io = clank_run::NodeIo::Piped { input: b"", output: &mut output, errors: &mut errors };
    let outcome = clank_run::run_node(&program_of(files), Path::new("node"), &Limits::STANDARD, io);
    ran(&output, &outcome.expect("Node is installed"))
}

fn compare(faults: impl Iterator<Item = Option<String>>) {
    let faults: Vec<String> = faults.flatten().collect();
    assert!(faults.is_empty(), "{} differ:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn many_generated_programs_run_as_the_interpreter_says_on_both_engines() {
    compare(programs().iter().map(|(name, checked, expected)| {
        let node = on_node(compiled(checked, OutputLanguage::JavaScript));
        difference(&format!("{name}, embedded"), expected, &embedded(checked))
            .or_else(|| difference(&format!("{name}, Node"), expected, &node))
    }));
}

/// `CLANK_TSC` is the TypeScript compiler, `tsc` on the `PATH` if it is not set.
#[test]
fn generated_programs_run_as_the_interpreter_says_from_typescript_that_tsc_accepts() {
    let programs = programs();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut paths = Vec::new();
    for (index, (_, checked, _)) in programs.iter().enumerate() {
        let path = folder.path().join(format!("program{index}.ts"));
        let files = compiled(checked, OutputLanguage::TypeScript);
        assert_eq!(files.len(), 1, "a program of one module is one file");
        std::fs::write(&path, &files[0].text).expect("the file can be written");
        paths.push(path);
    }
    let tsc = std::env::var("CLANK_TSC").unwrap_or_else(|_| "tsc".to_owned());
    let compiled = Command::new(tsc)
        .args([
            "--strict",
            "--noUncheckedIndexedAccess",
            "--noImplicitReturns",
            "--target",
            "es2022",
        ])
        .args(["--module", "es2022", "--moduleResolution", "bundler", "--skipLibCheck"])
        .arg("--outDir")
        .arg(folder.path())
        .args(&paths)
        .output()
        .expect("tsc is installed");
    let said = String::from_utf8_lossy(&compiled.stdout);
    let names: Vec<String> = programs
        .iter()
        .enumerate()
        .filter(|(index, _)| said.contains(&format!("program{index}.ts")))
        .map(|(index, program)| format!("program{index}.ts is {}", program.0))
        .collect();
    assert!(compiled.status.success(), "{said}\n{}", names.join("\n"));
    compare(programs.iter().zip(&paths).map(|((name, checked, expected), path)| {
        let mut files = super::compiled(checked, OutputLanguage::JavaScript);
        files[0].text = std::fs::read_to_string(path.with_extension("js")).expect("tsc wrote it");
        difference(name, expected, &on_node(files))
    }));
}
