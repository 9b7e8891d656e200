//! A text whose findings are known, by which the positions of a tool are verified once per version.
//!
//! It has characters of every width, tabs, CRLF and a byte order mark before the place that is found, so that a tool
//! that counts in another unit than its adapter says lands elsewhere.

use crate::report::{Finding, ToolReport};

/// A text whose findings are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probe {
    /// Files of the tree that is looked at: names and texts. The first one is looked at, the rest are settings.
    pub files: &'static [(&'static str, &'static str)],
    /// What must be found in the first file.
    pub landmarks: &'static [Landmark],
}

/// A finding that must be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Landmark {
    /// The rule.
    pub rule: &'static str,
    /// What stands at its place; nothing for a finding about the whole file.
    pub text: &'static str,
    /// The byte at which it starts.
    pub start: u32,
    /// What the text is after the first fix of the finding; `None` if there is no fix.
    pub fixed: Option<&'static str>,
}

impl Probe {
    /// Whether a report about the probe has every landmark at its place. An `Err` says what is not as it should be: the
    /// positions of that tool and version are not used.
    pub fn judge(&self, report: &ToolReport) -> Result<(), String> {
        let (name, text) = self.files.first().copied().unwrap_or_default();
        for mark in self.landmarks {
            let end = mark.start as usize + mark.text.len();
            if text.get(mark.start as usize..end) != Some(mark.text) {
                return Err(format!("the probe has no `{}` at {}", mark.text, mark.start));
            }
            let mut found = report.findings.iter().filter(|it| it.rule == mark.rule);
            let expected = mark.start..end as u32;
            let Some(first) = found.clone().next() else {
                return Err(format!("`{}` was not found in the probe", mark.rule));
            };
            let is_there = |it: &&Finding| match mark.text {
                "" => it.range.is_none(),
                _ => it.range.as_ref() == Some(&expected),
            };
            let Some(finding) = found.find(is_there) else {
                let at = first.range.as_ref().map(|it| format!(" at {}..{}", it.start, it.end));
                let at = at.unwrap_or_default();
                return Err(format!(
                    "expected `{}` at {}..{end} of the probe, found it{at}",
                    mark.rule, mark.start
                ));
            };
            let Some(fixed) = mark.fixed else { continue };
            let fix = finding.fixes.first();
            let edits = fix.and_then(|it| it.edits.iter().find(|it| it.0.as_str() == name));
            let result = edits.and_then(|it| it.1.apply(&edit::Text::new(text)).ok());
            if result.as_ref().map(|it| it.bytes()) != Some(fixed.as_bytes()) {
                return Err(format!("the fix of `{}` does not fit the probe", mark.rule));
            }
        }
        Ok(())
    }
}
