//! Any bytes as a document of a kind: it is checked and fixed with everything allowed, it is still a document if it was
//! one, and a second run changes nothing.
#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use check::{Environment, Parses, Safety, Stop};
use document::{Format, Limits};
use edit::Text;
use engine::{Ending, Fixed, Options, Run, Sieve, Sources};
use libfuzzer_sys::fuzz_target;
use pack::{Pack, PackCheck};
use plan::Policy;
use snapshot::{RelPath, Snapshot};

const PACK: &str = include_str!("../../crates/bench/src/mutation/pack/pack.yaml");
const PRODUCT: &str = include_str!("../../crates/bench/src/mutation/pack/schemas/product.schema.json");
const MODULE: &str = include_str!("../../crates/bench/src/mutation/pack/schemas/module.schema.json");
const LOCK: &str = include_str!("../../crates/bench/src/mutation/pack/schemas/lock.schema.json");

static STUDY: LazyLock<Arc<Pack>> = LazyLock::new(|| {
    let files = [
        ("pack.yaml", PACK),
        ("schemas/product.schema.json", PRODUCT),
        ("schemas/module.schema.json", MODULE),
        ("schemas/lock.schema.json", LOCK),
    ];
    let files = files.iter().map(|(path, text)| (path.to_string(), Text::new(*text))).collect();
    Arc::new(Pack::load(&files).expect("the pack of the mutation study loads"))
});

fuzz_target!(|bytes: &[u8]| {
    let [choice, document @ ..] = bytes else { return };
    let name = ["product.yaml", "modules/a.yaml", "modules/a.json", "lock.toml"][usize::from(choice % 4)];
    let tree = regreen_fuzz::tree(&[(name, document)]);
    let first = fix(&tree);
    let path = RelPath::parse(name).expect("the names above are paths");
    assert!(!is_document(&tree, &path) || is_document(&first.end.snapshot, &path));
    if first.ending == Ending::Settled {
        let second = fix(&first.end.snapshot);
        assert!(second.change.is_empty(), "a second run finds nothing to do");
    }
});

fn fix(tree: &Snapshot) -> Fixed {
    let provider = PackCheck::new(Arc::clone(&STUDY));
    let sources = Sources::new(&[&provider], Environment::default());
    let (parses, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Stop::new());
    let sieve = Sieve { levels: BTreeMap::new(), baseline: Default::default() };
    let run = Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
    let policy = Policy { safety: Safety::BehaviorChanging, allow: Default::default() };
    let options = Options {
        policy: &policy,
        is_editable: &|_| true,
        wants: &|_| true,
        max_passes: 20,
        max_rechecks: 200,
    };
    let start = engine::assess(&run, tree, None);
    assert!(start.failures.is_empty(), "{:?}", start.failures);
    engine::fix(&run, &start, &options, &mut |_| {})
}

fn is_document(tree: &Snapshot, path: &RelPath) -> bool {
    let text = tree.file(path).expect("the file is there").text();
    let format = Format::of_path(path.as_str()).expect("the names above have formats");
    document::parse(&text, format, &Limits::DEFAULT).is_ok()
}
