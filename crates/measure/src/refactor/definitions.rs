//! Top-level definitions that were renamed, moved or reordered.
//!
//! Definitions are told apart by kind and name; their bodies are compared as bags of tokens, without comments and
//! white space. One that went and one of the same kind that came are the same under another name if at least 80 % of
//! the larger body is in both (all of it, for bodies of less than 12 tokens); with the same name in another file,
//! it was moved. What stayed in its file under its name is never paired, whatever happened to its body.

use std::collections::{BTreeMap, BTreeSet};

use edit::Text;

use super::items::{Definition, definitions};
use super::{MAX_BYTES, Version};
use crate::Finding;
use crate::lexer::SourceLanguage;
use crate::similarity::{Interner, can_reach, longest_rising, percent};

/// How alike bodies must be, in percent of the larger.
const SAME_PERCENT: usize = 80;
/// Smaller bodies must be equal.
const MIN_TOKENS: usize = 12;
/// Tokens that are compared before the rest cannot be judged.
const MAX_COMPARED: usize = 20_000_000;
/// Pairs that are alike beyond which the rest cannot be judged.
const MAX_CANDIDATES: usize = 500_000;
/// Bytes of source that are scanned altogether.
const MAX_TOTAL_BYTES: usize = 64 << 20;

/// The language that is scanned for definitions, by the extension of a file.
fn language(extension: Option<&str>) -> Option<SourceLanguage> {
    match extension? {
        "rs" => Some(SourceLanguage::Rust),
        "py" | "pyi" => Some(SourceLanguage::Python),
        "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
            Some(SourceLanguage::JavaScript)
        }
        "go" => Some(SourceLanguage::Go),
        "java" => Some(SourceLanguage::Java),
        "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" => Some(SourceLanguage::C),
        "clank" => Some(SourceLanguage::Clank),
        "rb" => Some(SourceLanguage::Ruby),
        _ => None,
    }
}

/// A definition that went from a file or came to one.
struct Piece<'a> {
    language: SourceLanguage,
    path: &'a snapshot::RelPath,
    definition: Definition<'a>,
    bag: Vec<u32>,
}

/// The bytes of a text that may not be there.
fn bytes(text: Option<&Text>) -> &[u8] {
    text.map(Text::bytes).unwrap_or_default()
}

/// What was renamed, moved or reordered.
pub(super) fn restructured(versions: &[Version<'_>]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (mut gone, mut come) = (Vec::new(), Vec::new());
    let mut interner = Interner::default();
    let mut n_bytes = 0usize;
    for version in versions {
        let Some(language) = language(version.path.extension()) else { continue };
        let (old, new) = (bytes(version.old.as_ref()), bytes(version.new.as_ref()));
        n_bytes = n_bytes.saturating_add(old.len()).saturating_add(new.len());
        if old.len() > MAX_BYTES || new.len() > MAX_BYTES || n_bytes > MAX_TOTAL_BYTES {
            let message =
                "is too large to be scanned for definitions, so restructuring cannot be judged";
            findings.push((Some(version.path.clone()), message.to_owned()));
            continue;
        }
        // Sources in other encodings have ASCII names in the same places.
        let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else {
            continue;
        };
        let (old, new) = (definitions(old, language), definitions(new, language));
        if let Some(message) = reordered(&old, &new) {
            findings.push((Some(version.path.clone()), message));
        }
        let (only_old, only_new) = (without(&old, &new), without(&new, &old));
        for (from, to) in [(only_old, &mut gone), (only_new, &mut come)] {
            for definition in from {
                let mut bag: Vec<u32> =
                    definition.body.iter().map(|it| interner.id(it.as_bytes())).collect();
                bag.sort_unstable();
                to.push(Piece { language, path: version.path, definition, bag });
            }
        }
    }
    findings.extend(pair(&gone, &come));
    findings
}

/// Those of `all` whose kind and name `others` has not, or has less often.
fn without<'a>(all: &[Definition<'a>], others: &[Definition<'a>]) -> Vec<Definition<'a>> {
    let mut left: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for it in others {
        *left.entry((it.kind, &it.name)).or_default() += 1;
    }
    let mut only = Vec::new();
    for it in all {
        match left.get_mut(&(it.kind, it.name.as_str())) {
            Some(n) if *n > 0 => *n -= 1,
            _ => only.push(it.clone()),
        }
    }
    only
}

fn pair(gone: &[Piece<'_>], come: &[Piece<'_>]) -> Vec<Finding> {
    let mut candidates = Vec::new();
    let mut n_compared = 0usize;
    for (from, old) in gone.iter().enumerate() {
        for (to, new) in come.iter().enumerate() {
            n_compared += 1;
            let is_alike =
                old.language == new.language && old.definition.kind == new.definition.kind;
            if is_alike && can_reach(old.bag.len(), new.bag.len(), SAME_PERCENT) {
                n_compared += old.bag.len() + new.bag.len();
                let score = if old.bag == new.bag { 100 } else { percent(&old.bag, &new.bag) };
                let needed =
                    if old.bag.len().max(new.bag.len()) < MIN_TOKENS { 100 } else { SAME_PERCENT };
                let is_moved = old.definition.name == new.definition.name;
                if score >= needed {
                    candidates.push((
                        std::cmp::Reverse((is_moved, old.path == new.path, score)),
                        from,
                        to,
                    ));
                }
            }
            if n_compared > MAX_COMPARED || candidates.len() > MAX_CANDIDATES {
                let message = "so many definitions were removed and added that restructuring cannot be judged";
                return vec![(None, message.to_owned())];
            }
        }
    }
    candidates.sort();
    let (mut taken, mut filled) = (BTreeSet::new(), BTreeSet::new());
    let mut findings = Vec::new();
    for (_, from, to) in candidates {
        let (Some(old), Some(new)) = (gone.get(from), come.get(to)) else { continue };
        if !taken.contains(&from) && !filled.contains(&to) {
            taken.insert(from);
            filled.insert(to);
            findings.push((Some(new.path.clone()), describe(old, new)));
        }
    }
    findings
}

fn describe(old: &Piece<'_>, new: &Piece<'_>) -> String {
    let (kind, name) = (old.definition.kind, &old.definition.name);
    match (old.path == new.path, *name == new.definition.name) {
        (true, _) => format!("{kind} {name} was renamed to {}", new.definition.name),
        (false, true) => format!("{kind} {name} was moved from {}", old.path),
        (false, false) => format!(
            "{kind} {name} was moved from {} and renamed to {}",
            old.path, new.definition.name
        ),
    }
}

/// Whether the definitions that both texts have once each stand in another order.
fn reordered(old: &[Definition<'_>], new: &[Definition<'_>]) -> Option<String> {
    let places = |all: &[Definition<'_>]| -> BTreeMap<(&'static str, String), Vec<usize>> {
        let mut places: BTreeMap<(&'static str, String), Vec<usize>> = BTreeMap::new();
        for (idx, it) in all.iter().enumerate() {
            places.entry((it.kind, it.name.clone())).or_default().push(idx);
        }
        places
    };
    let (old_places, new_places) = (places(old), places(new));
    let mut common: Vec<(usize, usize)> = Vec::new();
    for (key, place) in &old_places {
        if let ([from], Some([to])) = (place.as_slice(), new_places.get(key).map(Vec::as_slice)) {
            common.push((*from, *to));
        }
    }
    common.sort_unstable();
    let order: Vec<usize> = common.iter().map(|(_, to)| *to).collect();
    let n_moved = order.len() - longest_rising(&order);
    (n_moved > 0).then(|| format!("{n_moved} of {} definitions are in another order", order.len()))
}
