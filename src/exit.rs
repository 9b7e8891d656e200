//! The exit codes: one table for every command.

use std::process::ExitCode;

use service::Verdict;

/// How a command ended.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Exit {
    Clean,
    Findings,
    Usage,
    Failed,
}

impl Exit {
    pub(crate) const TABLE: [(Exit, u8, &str); 4] = [
        (
            Exit::Clean,
            0,
            "clean: no errors (after `fix`: none left), everything applied, nothing to do",
        ),
        (
            Exit::Findings,
            1,
            "findings: errors are left, an operation failed, or something was refused",
        ),
        (Exit::Usage, 2, "the command line is wrong"),
        (
            Exit::Failed,
            3,
            "the work could not be done: I/O, a missing source, a bad configuration, a lock, action mode",
        ),
    ];

    /// Clean if everything went well, else findings.
    pub(crate) fn of(ok: bool) -> Exit {
        if ok { Exit::Clean } else { Exit::Findings }
    }

    /// How a look at the tree ends the command.
    pub(crate) fn of_verdict(verdict: Verdict) -> Exit {
        match verdict {
            Verdict::Green | Verdict::NothingChecked => Exit::Clean,
            Verdict::Red => Exit::Findings,
            Verdict::Failed => Exit::Failed,
        }
    }

    pub(crate) fn code(self) -> u8 {
        // The table is in the order of the variants; a test holds it to that.
        Exit::TABLE[self as usize].1
    }

    /// The table as `--help` shows it.
    pub(crate) fn help() -> String {
        let rows = Exit::TABLE.map(|(_, code, meaning)| format!("  {code}  {meaning}\n"));
        format!("Exit codes:\n{}", rows.concat())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_has_the_codes_that_are_promised() {
        let codes = [Exit::Clean, Exit::Findings, Exit::Usage, Exit::Failed].map(Exit::code);
        assert_eq!(codes, [0, 1, 2, 3]);
        for (idx, (exit, _, _)) in Exit::TABLE.into_iter().enumerate() {
            assert_eq!(exit as usize, idx);
        }
    }
}
