//! The run-time library's JavaScript is its TypeScript without types, and the TypeScript has no error.

use std::path::Path;
use std::process::Command;

const TYPED: &str = include_str!("../../../clank-emit/src/runtime/clank.ts");

const OPTIONS: &str = r#"{ "files": ["clank.ts"], "compilerOptions": {
    "target": "es2022", "module": "es2022", "lib": ["es2022"], "types": [], "strict": true,
    "noUncheckedIndexedAccess": true, "exactOptionalPropertyTypes": true, "noUnusedLocals": true,
    "noUnusedParameters": true, "noImplicitOverride": true, "noImplicitReturns": true,
    "noPropertyAccessFromIndexSignature": true, "erasableSyntaxOnly": true } }"#;

fn shell(folder: &Path, script: &str) {
    let output = Command::new("sh").args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The compiler indents by four.
fn with_half_the_indent(text: &str) -> String {
    let half = |line: &str| {
        let blanks = line.len() - line.trim_start().len();
        // The lines of a comment stand one further.
        " ".repeat(blanks / 2 + blanks % 2) + line.trim_start() + "\n"
    };
    text.lines().map(half).collect()
}

/// To accept a change of `clank.ts`, copy what this test compares with to `clank.js`.
#[test]
fn the_javascript_is_the_typescript_without_types() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("clank.ts"), TYPED).unwrap();
    std::fs::write(folder.path().join("tsconfig.json"), OPTIONS).unwrap();
    std::fs::write(folder.path().join("package.json"), "{}").unwrap();
    shell(folder.path(), "npm install --silent typescript@5.9.3 && npx tsc -p .");
    let compiled = std::fs::read_to_string(folder.path().join("clank.js")).unwrap();
    assert_eq!(with_half_the_indent(&compiled), super::support::LIBRARY);
}
