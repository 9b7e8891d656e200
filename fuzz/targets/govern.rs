//! Everything about proposals that strangers write: records, approvals, the file of allowed signers, files of records,
//! manifests and sources that a tool leaves behind. No text may bring a reader down, what is read is written as it was,
//! and what is accepted keeps to the rules.
#![no_main]

use std::collections::BTreeMap;

use edit::Text;
use govern::approval::{AllowedSigners, Document, Key};
use govern::{Constraints, Moment, ScopeEntry, Surroundings, accept, is_sanitized, sanitize};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use snapshot::{Entry, File, RelPath, Snapshot};

const NAMES: [&str; 12] = [
    "Cargo.toml", "Cargo.lock", "package.json", "package-lock.json", "pyproject.toml", "requirements.txt", "go.mod",
    "pom.xml", "Gemfile.lock", "src/a.py", "src/a.rs", "src/a.ts",
];

fuzz_target!(|input: (u8, String, String)| {
    let (which, first, second) = input;
    match which % 4 {
        0 => {
            if let Ok(value) = serde_json::from_str::<Value>(&first)
                && let Ok(record) = accept(&value, Surroundings::default())
            {
                assert_eq!(accept(&record.to_json(), Surroundings::default()), Ok(record));
            }
            let _ = govern::exchange::read(&first, Some(&second));
        }
        1 => {
            let allowed = AllowedSigners::read(&first);
            assert!(allowed.lines.len() <= first.lines().count());
            if let Ok(document) = Document::read(&second) {
                assert_eq!(Document::read(&document.write()), Ok(document));
            }
            let _ = Key::parse(&first);
            let _ = govern::approval::check_signature(&first, second.as_bytes());
        }
        2 => {
            assert!(is_sanitized(&sanitize(&first)));
            let _ = Moment::parse(&first);
            if let (Ok(one), Ok(other)) = (ScopeEntry::parse(&first), ScopeEntry::parse(&second)) {
                assert_eq!(ScopeEntry::parse(&one.to_string()), Ok(one.clone()));
                // Within is an order: both ways only for the same place.
                assert!(!(one.is_within(&other) && other.is_within(&one)) || one.path() == other.path());
            }
        }
        _ => {
            let name = NAMES[usize::from(which / 4) % NAMES.len()];
            let tree = |text: &str| {
                let file = File::new(Text::new(text.as_bytes().to_vec()), 0o644);
                let path = RelPath::parse(name).expect("the names are paths");
                Snapshot::new(BTreeMap::from([(path, Entry::File(file))])).expect("one file is a tree")
            };
            let (before, after) = (tree(&first), tree(&second));
            let changes = measure::changes(&before, &after);
            assert_eq!(changes.is_empty(), first == second);
            let scope = [ScopeEntry::parse(name).expect("the names are entries")];
            let strict = Constraints {
                max_files_changed: Some(1),
                no_new_dependencies: Some(true),
                no_refactor: Some(true),
            };
            let _ = measure::violations(&changes, &before, &after, &scope, &strict);
        }
    }
});
