//! What every tool did, for reports: a fold over what was found, applied and rejected.

use std::collections::BTreeSet;
use std::time::Duration;

use check::RepairClass;
use engine::{Assessment, Fixed};
use plan::Reason;
use protocol::v1::{ToolState, ToolSummary};
use snapshot::{RelPath, Snapshot};

use crate::assess::request_scope::RequestScope;
use crate::setup::Setup;
use crate::toolbox::answers::ToolAnswers;
use crate::toolbox::{ToolAvailability, ToolMember};

/// What each tool did in a look, and how long it took.
pub(crate) fn of_check(
    setup: &Setup,
    look: &RequestScope,
    assessment: &Assessment,
) -> (Vec<ToolSummary>, Vec<(String, Duration)>) {
    let members = setup.toolbox.members();
    let asked = look.asked(&assessment.snapshot);
    let summaries = members.iter().filter(|it| concerns(it, asked.as_ref()));
    let summaries = summaries.map(|it| summary(it, look, assessment, assessment)).collect();
    (summaries, times(members))
}

/// What each tool did in a run that repaired.
pub(crate) fn of_fix(
    setup: &Setup,
    look: &RequestScope,
    start: &Assessment,
    fixed: &Fixed,
) -> (Vec<ToolSummary>, Vec<(String, Duration)>) {
    let members = setup.toolbox.members();
    let asked = look.asked(&start.snapshot);
    let summaries = members.iter().filter(|it| concerns(it, asked.as_ref())).map(|member| {
        let mut it = summary(member, look, start, &fixed.end);
        it.fixed = fixed.applied.iter().filter(|of| of.repair.source == it.name).count();
        for rejected in fixed.rejected.iter().filter(|of| of.repair.source == it.name) {
            match rejected.rejection.reason {
                Reason::Conflict => it.conflicts += 1,
                Reason::Unverified | Reason::Regressed | Reason::Cycle => it.unverified += 1,
                _ => it.refused += 1,
            }
        }
        it
    });
    (summaries.collect(), times(members))
}

/// Whether a tool is about one of the files that were asked about, if not all were.
fn concerns(member: &ToolMember, asked: Option<&BTreeSet<RelPath>>) -> bool {
    let (Some(asked), Some(adapter)) = (asked, linters::adapter(&member.name)) else { return true };
    member.required || asked.iter().any(|it| adapter.files.has_path(it.as_str()))
}

/// A tool before it was asked.
pub(super) fn before(member: &ToolMember, tree: &Snapshot) -> ToolSummary {
    let files = match &member.place {
        ToolAvailability::Ready(tool) => tool.files(tree).len(),
        ToolAvailability::Absent { .. } => 0,
    };
    ToolSummary { files, ..untried(member) }
}

fn untried(member: &ToolMember) -> ToolSummary {
    let name = member.name.clone();
    let mut summary = ToolSummary {
        name,
        version: None,
        state: ToolState::Ran,
        reason: member.reason.clone(),
        message: None,
        files: 0,
        findings: 0,
        fixed: 0,
        conflicts: 0,
        refused: 0,
        unverified: 0,
        silencing: 0,
        notes: Vec::new(),
    };
    if let ToolAvailability::Absent { state, message } = &member.place {
        summary.state = *state;
        summary.message = Some(message.clone());
    }
    summary
}

fn summary(
    member: &ToolMember,
    look: &RequestScope,
    start: &Assessment,
    end: &Assessment,
) -> ToolSummary {
    let mut summary = untried(member);
    if matches!(member.place, ToolAvailability::Absent { .. }) {
        return summary;
    }
    let name = member.name.clone();
    if let Some(failure) = end.failures.iter().find(|it| it.source == name) {
        summary.state = ToolState::Failed;
        summary.message = Some(failure.message.clone());
    }
    let Some(known) = start.product::<ToolAnswers>(&name) else { return summary };
    summary.version.clone_from(&known.version);
    summary.files = known.files.keys().filter(|it| look.covers(it.as_str())).count();
    let found = start.diagnostics.iter().filter(|it| it.source == name && look.takes(it));
    summary.findings = found.count();
    let silencing = start.repairs.iter().filter(|it| it.source == name);
    let is_silencing =
        |it: &&std::sync::Arc<check::Repair>| it.grounds.at_least == Some(RepairClass::Suppress);
    summary.silencing = silencing.filter(is_silencing).count();
    summary.notes.clone_from(&known.notes);
    let dropped = known.files.iter().filter(|it| look.covers(it.0.as_str()));
    let mut dropped = dropped.flat_map(|it| &it.1.dropped);
    if let Some(first) = dropped.next() {
        let n = 1 + dropped.count();
        let more = if n > 1 { format!(", and {} more", n - 1) } else { String::new() };
        let note = format!("not used: {} in {}: {}{more}", first.rule, first.file, first.reason);
        summary.notes.push(note);
    }
    summary
}

fn times(members: &[ToolMember]) -> Vec<(String, Duration)> {
    let time = |member: &ToolMember| match &member.place {
        ToolAvailability::Ready(tool) => Some((member.name.clone(), tool.spent())),
        ToolAvailability::Absent { .. } => None,
    };
    members.iter().filter_map(time).collect()
}
