//! The exit codes: one table for every command.

use std::process::ExitCode;

use service::Verdict;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum ExitStatus {
    Clean,
    Findings,
    Usage,
    Failed,
}

impl ExitStatus {
    pub(crate) const TABLE: [(ExitStatus, u8, &str); 4] = [
        (
            ExitStatus::Clean,
            0,
            "clean: no errors (after `fix`: none left), everything applied, nothing to do",
        ),
        (
            ExitStatus::Findings,
            1,
            "findings: errors are left, an operation failed, or something was refused",
        ),
        (ExitStatus::Usage, 2, "the command line is wrong"),
        (
            ExitStatus::Failed,
            3,
            "the work could not be done: I/O, a missing source, a bad configuration, a lock, action mode",
        ),
    ];

    /// Clean if everything went well, else findings.
    pub(crate) fn of(ok: bool) -> ExitStatus {
        if ok { ExitStatus::Clean } else { ExitStatus::Findings }
    }

    /// How a look at the tree ends the command.
    pub(crate) fn of_verdict(verdict: Verdict) -> ExitStatus {
        match verdict {
            Verdict::Green | Verdict::NothingChecked => ExitStatus::Clean,
            Verdict::Red => ExitStatus::Findings,
            Verdict::Failed => ExitStatus::Failed,
        }
    }

    pub(crate) fn code(self) -> u8 {
        // The table is in the order of the variants; a test holds it to that.
        ExitStatus::TABLE[self as usize].1
    }

    /// The table as `--help` shows it.
    pub(crate) fn help() -> String {
        let rows = ExitStatus::TABLE.map(|(_, code, meaning)| format!("  {code}  {meaning}\n"));
        format!("Exit codes:\n{}", rows.concat())
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(exit: ExitStatus) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_has_the_codes_that_are_promised() {
        let codes =
            [ExitStatus::Clean, ExitStatus::Findings, ExitStatus::Usage, ExitStatus::Failed]
                .map(ExitStatus::code);
        assert_eq!(codes, [0, 1, 2, 3]);
        for (idx, (exit, _, _)) in ExitStatus::TABLE.into_iter().enumerate() {
            assert_eq!(exit as usize, idx);
        }
    }
}
