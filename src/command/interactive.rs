//! `fix --interactive`: a person is shown each repair and says yes or no. Nothing is written before the last answer.

use std::io::{BufRead, Write};

use service::{RepairAnswer, RepairQuestion};

use crate::render::changes::render_changes;
use crate::render::frame::Framer;
use crate::render::repair::nature;
use crate::render::style::{BOLD, DIM, WARN, paint};
use crate::words::{printable, rule_name};

const PROMPT: &str = "Make this change? [y]es [n]o [a]ll [q]uit [?] ";
const HELP: &str = "  y  make it
  n  leave it
  a  make it, and all others that are safe; those that need approval are asked about one by one
  q  leave it and stop asking: what you said yes to is made, nothing else
  ?  this help
Nothing is written before the last answer.
";

/// The prompt of `fix --interactive`: asks about each repair on one stream and reads the answers from another.
pub(super) struct RepairPrompt<I, O> {
    input: I,
    output: O,
    is_verbose: bool,
}

impl<I: BufRead, O: Write> RepairPrompt<I, O> {
    pub(super) fn new(input: I, output: O, is_verbose: bool) -> RepairPrompt<I, O> {
        RepairPrompt { input, output, is_verbose }
    }

    /// Shows the repair and reads until there is an answer. The end of the input means quit, and so does an output that
    /// nobody can see.
    pub(super) fn ask(&mut self, question: &RepairQuestion<'_>) -> RepairAnswer {
        let mut text = render_question(question, self.is_verbose);
        loop {
            text.push_str(&paint(BOLD, PROMPT));
            if self.output.write_all(text.as_bytes()).and_then(|()| self.output.flush()).is_err() {
                return RepairAnswer::Quit;
            }
            let mut line = String::new();
            match self.input.read_line(&mut line) {
                Ok(0) | Err(_) => return RepairAnswer::Quit,
                Ok(_) => {}
            }
            match line.trim().to_lowercase().as_str() {
                "y" | "yes" => return RepairAnswer::Yes,
                "n" | "no" => return RepairAnswer::No,
                "a" | "all" => return RepairAnswer::All,
                "q" | "quit" => return RepairAnswer::Quit,
                _ => text = HELP.to_owned(),
            }
        }
    }
}

fn render_question(question: &RepairQuestion<'_>, is_verbose: bool) -> String {
    let repair = question.repair;
    let safety = nature(repair.safety, repair.class);
    let safety = if question.needs_approval {
        paint(WARN, &format!("{safety}: needs your approval"))
    } else {
        paint(DIM, &safety)
    };
    let number = format!("[{}/{}]", question.number, question.of);
    let mut text = format!(
        "\n{} {} {}\n  {safety}\n",
        paint(DIM, &number),
        paint(BOLD, &repair.title),
        paint(DIM, &format!("({}, {})", rule_name(&repair.source, &repair.rule_id), repair.id)),
    );
    let mut framer = Framer::new(question.frames);
    for diagnostic in question.diagnostics {
        text.push_str(&framer.render(diagnostic));
    }
    if !repair.rationale.is_empty() {
        text.push_str(&format!("  {}\n", printable(&repair.rationale)));
    }
    text.push_str(&render_changes(&question.preview.changes, is_verbose));
    text
}

#[cfg(test)]
mod tests {
    use protocol::v1::{
        Confidence, ExpectedDelta, Repair, RepairClass, RepairKind, RepairScope, RepairTargets,
        Safety, Severity,
    };
    use service::{FileChange, FileChangeKind, Frames, Preview};

    use super::*;

    fn repair() -> Repair {
        Repair {
            id: "r_000000000001".into(),
            title: "Rename `nmae` to `name`".into(),
            rationale: "`name` is the only key it can be.".into(),
            source: "app".into(),
            phase: "schema".into(),
            rule_id: "SCHEMA_KEY".into(),
            severity: Severity::Error,
            confidence: Confidence::Medium,
            safety: Safety::BehaviorChanging,
            kind: RepairKind::LocalFix,
            class: RepairClass::Repair,
            scope: RepairScope { node_count: 1, crosses_function: false, files: 1 },
            targets: RepairTargets {
                diagnostic_codes: vec!["SCHEMA_KEY".into()],
                obligation_ids: Vec::new(),
                hole_ids: Vec::new(),
            },
            preconditions: Vec::new(),
            edits: Vec::new(),
            expected_delta: ExpectedDelta {
                diagnostics_resolved: Vec::new(),
                obligations_discharged: Vec::new(),
                holes_filled: Vec::new(),
            },
            reveals: Vec::new(),
            compatibility: None,
        }
    }

    fn ask(input: &str) -> (RepairAnswer, String) {
        let change = FileChange {
            kind: FileChangeKind::Edited,
            file: "a.yaml".into(),
            new_file: None,
            diff: "@@ -1,1 +1,1 @@\n-nmae: x\n+name: x\n".into(),
        };
        let preview = Preview { changes: vec![change], ..Preview::default() };
        let question = RepairQuestion {
            repair: &repair(),
            diagnostics: &[],
            preview: &preview,
            frames: &Frames::default(),
            needs_approval: true,
            number: 1,
            of: 2,
        };
        let mut output = Vec::new();
        let answer = RepairPrompt::new(input.as_bytes(), &mut output, false).ask(&question);
        let output = String::from_utf8(output).unwrap();
        (answer, anstream::adapter::strip_str(&output).to_string())
    }

    #[test]
    fn a_question_shows_what_would_change_and_how_safe_that_is() {
        insta::assert_snapshot!(ask("y\n").1, @r"
        [1/2] Rename `nmae` to `name` (app/SCHEMA_KEY, r_000000000001)
          behavior_changing: needs your approval
          `name` is the only key it can be.
        a.yaml
             - nmae: x
           1 + name: x
        Make this change? [y]es [n]o [a]ll [q]uit [?]
        ");
    }

    #[test]
    fn answers_are_letters_or_words_and_anything_else_is_answered_with_help() {
        assert_eq!(ask("y\n").0, RepairAnswer::Yes);
        assert_eq!(ask("NO\n").0, RepairAnswer::No);
        assert_eq!(ask(" all \n").0, RepairAnswer::All);
        assert_eq!(ask("q").0, RepairAnswer::Quit);
        let (answer, output) = ask("what\n\n?\nn\n");
        assert_eq!(answer, RepairAnswer::No);
        assert_eq!(output.matches(PROMPT).count(), 4);
        assert_eq!(output.matches("  y  make it\n  n  leave it\n").count(), 3);
    }

    #[test]
    fn the_end_of_the_input_is_quit() {
        assert_eq!(ask("").0, RepairAnswer::Quit);
        assert_eq!(ask("?\n").0, RepairAnswer::Quit);
    }
}
