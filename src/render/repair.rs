//! A repair for people: what it does, how safe that is, and the lines that would change.

use std::fmt::Write;

use protocol::v1::{ClassCounts, Confidence, LookRequest, Repair, RepairClass, Safety};
use service::{Preview, PreviewBudget};

use super::changes::render_preview;
use super::style::{BOLD, COMMAND, DIM, GOOD, paint};
use crate::cli::Common;
use crate::words::{count_fixes, printable};

/// The name that flags and reports have for it.
pub(crate) fn safety_name(safety: Safety) -> &'static str {
    match safety {
        Safety::BehaviorPreserving => "behavior_preserving",
        Safety::LikelyPreserving => "likely_preserving",
        Safety::BehaviorChanging => "behavior_changing",
    }
}

/// What a repair may do to the meaning and, unless it makes the cause go away, what it does instead.
pub(crate) fn nature(safety: Safety, class: RepairClass) -> String {
    match class {
        RepairClass::Repair => safety_name(safety).to_owned(),
        _ => format!("{}, {}", class.name(), safety_name(safety)),
    }
}

/// ` (4 repair, 1 stub)`; nothing if all of them make the cause go away.
pub(crate) fn render_classes(classes: &ClassCounts) -> String {
    let some = classes.all().into_iter().filter(|it| it.1 > 0);
    if some.clone().all(|it| it.0 == RepairClass::Repair) {
        return String::new();
    }
    let parts: Vec<String> = some.map(|(class, n)| format!("{n} {}", class.name())).collect();
    format!(" ({})", parts.join(", "))
}

/// What a repair waits for.
pub(crate) fn render_wait(with: Option<&str>, detail: &str) -> String {
    match with {
        Some(with) => format!("waits for {with}: {detail}"),
        None => format!("waits: {detail}"),
    }
}

/// Whether a person has to say yes to this repair before `fix` tries it.
pub(crate) fn needs_approval(repair: &Repair, look: &LookRequest) -> bool {
    let widest = look.safety.unwrap_or(Safety::LikelyPreserving);
    let is_named = look.allow.contains(&repair.id);
    let hides = repair.class == RepairClass::Suppress;
    !is_named && (hides || repair.safety > widest || repair.confidence == Confidence::Low)
}

/// How many fixes are shown without the lines that they change.
pub(crate) fn render_left_out(budget: &PreviewBudget, common: &Common) -> Option<String> {
    let n_left_out = budget.n_left_out();
    let diff = common.command_line(&["fix", "--diff"]);
    let what = format!("The lines that {} would change are not shown:", count_fixes(n_left_out));
    (n_left_out > 0).then(|| format!("{} {}\n", paint(DIM, &what), paint(COMMAND, &diff)))
}

/// What is shown of a repair under the finding that it resolves.
pub(crate) struct RepairOffer<'a> {
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    pub(crate) rationale: &'a str,
    pub(crate) safety: Safety,
    pub(crate) class: RepairClass,
    pub(crate) preview: Option<Preview>,
    pub(crate) needs_approval: bool,
    /// What it waits for, in words.
    pub(crate) waits: Option<String>,
}

/// The repair under a finding in `file`.
pub(crate) fn render_offer(offer: &RepairOffer<'_>, file: &str, common: &Common) -> String {
    let (word, style) = match offer.needs_approval || offer.waits.is_some() {
        true => ("possible fix", BOLD),
        false => ("fix", GOOD),
    };
    let nature = nature(offer.safety, offer.class);
    let mut out = format!(
        "{}{} {} {}\n",
        paint(style, word),
        paint(BOLD, ":"),
        printable(offer.title),
        paint(DIM, &format!("({nature}, {})", offer.id))
    );
    if common.verbose && !offer.rationale.is_empty() {
        let _ = writeln!(out, "     {}", paint(DIM, offer.rationale));
    }
    if let Some(preview) = &offer.preview {
        out.push_str(&render_preview(&preview.changes, file, common.verbose));
    }
    if let Some(waits) = &offer.waits {
        let _ = writeln!(out, "     {}", paint(DIM, waits));
    } else if offer.needs_approval {
        let allow = common.command_line(&["fix", "--allow", offer.id]);
        let _ = writeln!(
            out,
            "     {} {}",
            paint(DIM, "if that is what you mean:"),
            paint(COMMAND, &allow)
        );
    }
    out
}
