//! Whether repairs do what they say.

use std::collections::BTreeMap;

use clank_repair::{Budget, FindingId, ModuleRepairs, Repair, repairs, with_required};
use clank_syntax::patch::PatchOp;

use super::subject::StudyProgram;

pub(super) fn offered(subject: &StudyProgram) -> ModuleRepairs {
    let asked = subject.checked.asked.expect("the program has the module that it was loaded for");
    repairs(&subject.program, &subject.checked, asked, &Budget::default())
}

fn ops(repair: &Repair) -> Vec<PatchOp> {
    repair.edits.iter().flat_map(|it| it.1.iter().cloned()).collect()
}

/// What is wrong with a repair that says it was tried: it is applied to the text, after what it requires, and the result is
/// checked afresh. What they promise is gone, no mistake comes up, and nothing else does unless a mistake went for it.
pub(super) fn broken_promise(
    subject: &StudyProgram,
    list: &[Repair],
    place: usize,
) -> Option<String> {
    if !list[place].is_verified {
        return None;
    }
    let Some(places) = with_required(list, place) else {
        return Some("requires what is not there".to_owned());
    };
    let all: Vec<PatchOp> = places.iter().flat_map(|it| ops(&list[*it])).collect();
    let after = match subject.patched(&all) {
        Ok(text) => StudyProgram::new(&text),
        Err(error) => return Some(format!("cannot be applied: {error}")),
    };
    let module = subject.module();
    let mut promised: BTreeMap<&str, usize> = BTreeMap::new();
    let mut n_goals = 0;
    let mut mends_mistake = false;
    let goals: Vec<bool> = module
        .goals()
        .map(|(_, _, proof)| matches!(proof, clank::proof::Proof::Unknown(_)))
        .collect();
    for target in places.iter().flat_map(|it| &list[*it].resolves) {
        match *target {
            FindingId::Diagnostic(index) => {
                let code = module.diagnostics[index].code;
                mends_mistake |= code.is_error();
                *promised.entry(code.name()).or_default() += 1;
            }
            FindingId::Goal(index) => n_goals += usize::from(goals[index]),
            FindingId::Hole(_) => {}
        }
    }
    let (before_codes, after_codes) = (subject.codes(), after.codes());
    for (code, count) in after_codes {
        let before = before_codes.get(code).copied().unwrap_or(0);
        let expected = before.saturating_sub(promised.get(code).copied().unwrap_or(0));
        let may_come = code.starts_with('W') && mends_mistake;
        if count > expected && !may_come {
            let found = after.findings().join("; ");
            return Some(format!("{code} is there {count} times, not {expected}: {found}"));
        }
    }
    let expected = subject.progress()[1] - n_goals;
    if after.progress()[1] > expected && !mends_mistake {
        let found = after.findings().join("; ");
        return Some(format!(
            "{} goals are not proved, not {expected}: {found}",
            after.progress()[1]
        ));
    }
    None
}
