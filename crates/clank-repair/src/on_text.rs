//! Repairs of texts that cannot be read whole. Their tree is what was meant, not what stands there: whether a change of the
//! tree is one of the text is found out only by making it.

use std::collections::BTreeMap;

use check::Confidence;
use clank::code::Code;
use clank::program::Program;
use clank::{Checked, CheckedModule, check_with};
use clank_syntax::Parsed;
use clank_syntax::patch::{self, PatchOp};

use super::progress::progress_of;
use super::{FindingId, Repair};

/// How many repairs are tried on the text.
const MAX_TRIED: usize = 64;

/// Tries repairs on the text of a module: its own mistake must be gone, and no other come up, when the new text is read and
/// checked. Those that do not pass were not verified. Says how often the program was checked.
pub(super) fn try_on_text(
    program: &Program,
    checked: &Checked,
    module: usize,
    list: &mut [Repair],
) -> usize {
    let in_module = &checked.modules[module];
    let Some(source) = in_module.ast.sources().first().filter(|it| !it.text.is_empty()) else {
        return 0;
    };
    let parsed = clank_syntax::parse(&source.file, &source.text);
    let mut n_checks = 0;
    for repair in list.iter_mut().filter(|it| it.is_verified) {
        let after = match n_checks < MAX_TRIED && repair.compatibility.requires.is_empty() {
            true => patched(&parsed, repair, in_module),
            false => None,
        };
        let keeps = after.is_some_and(|after| {
            n_checks += 1;
            let after = program.with_text(module, after);
            let after = check_with(&after, Some(checked), checked.oracle.clone());
            keeps_promise(in_module, &after.modules[module], repair)
        });
        if !keeps {
            repair.is_verified = false;
            repair.confidence = repair.confidence.max(Confidence::Medium);
        }
    }
    n_checks
}

/// The text after a repair, read again.
fn patched(parsed: &Parsed, repair: &Repair, module: &CheckedModule) -> Option<Parsed> {
    let own = repair.edits.iter().filter(|it| it.0 == module.file);
    let ops: Vec<PatchOp> = own.flat_map(|it| it.1.iter().cloned()).collect();
    let patched = patch::patch(&parsed.ast, &ops).ok()?;
    let text = edit::Text::new(parsed.tokens.source());
    let after = patch::edits(parsed, &patched).ok()?.apply(&text).ok()?;
    let after = std::str::from_utf8(after.bytes()).ok()?;
    let file = parsed.ast.sources().first().map_or("", |it| it.file.as_str());
    Some(clank_syntax::parse(file, after))
}

/// Whether of every code there are fewer by those that the repair resolves, or as many as before. What mends a mistake may
/// bring to light warnings and goals that could not be seen before, and the mistakes that it says it reveals.
fn keeps_promise(before: &CheckedModule, after: &CheckedModule, repair: &Repair) -> bool {
    let mut allowed = by_code(before);
    let mut allowed_rest = progress_of(before);
    let mut mends_mistake = false;
    for target in &repair.resolves {
        match *target {
            FindingId::Diagnostic(index) => {
                let code = before.diagnostics[index].code;
                mends_mistake |= code.is_error();
                let count = allowed.entry(code).or_default();
                *count = count.saturating_sub(1);
            }
            FindingId::Goal(_) => allowed_rest[1] = allowed_rest[1].saturating_sub(1),
            FindingId::Hole(_) => allowed_rest[2] = allowed_rest[2].saturating_sub(1),
        }
    }
    for code in &repair.reveals {
        *allowed.entry(*code).or_default() += 1;
    }
    let fits = |(code, count): (Code, usize)| {
        let may_come = mends_mistake && !code.is_error();
        may_come || count <= allowed.get(&code).copied().unwrap_or(0)
    };
    let rest = progress_of(after);
    by_code(after).into_iter().all(fits)
        && (mends_mistake || rest[1] <= allowed_rest[1])
        && rest[2] <= allowed_rest[2]
}

fn by_code(module: &CheckedModule) -> BTreeMap<Code, usize> {
    let mut counts = BTreeMap::new();
    for it in &module.diagnostics {
        *counts.entry(it.code).or_default() += 1;
    }
    counts
}
