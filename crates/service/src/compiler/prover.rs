//! Who proves what must hold: our own solver, and Z3 for what that leaves open, if it is asked for.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use check::{
    Card, Check, Coverage, FailureKind, Input, LookError, Page, Parses, Reach, Report, Severity,
    Stop,
};
use clank::Oracle;
use clank_repair::ClankCheck;
use clank_run::{Z3, Z3Limits};
use protocol::v1;
use snapshot::Snapshot;

use crate::failure::{Failure, INSTALL_Z3};

/// The source of the failures of a Z3 that was asked for.
pub const Z3_SOURCE: &str = "z3";

/// The rules about goals that are proved, refuted or left open.
const GOALS: [&str; 4] = ["E3001", "E3002", "E3003", "E3004"];

/// Who is asked besides our own solver. Clones ask the same process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prover {
    z3: Option<Arc<Z3Oracle>>,
}

/// Z3 as the compiler knows it.
#[derive(Debug)]
struct Z3Oracle {
    z3: Z3,
    /// Why it could not answer since the last [`Prover::begin`].
    failure: Mutex<Option<String>>,
}

impl Oracle for Z3Oracle {
    fn ask(&self, script: &str) -> Option<String> {
        self.z3.ask(script)
    }

    fn ask_until(&self, script: &str, stop: &Stop) -> Option<String> {
        self.z3.ask_until(script, &|| stop.is_set())
    }
}

impl Prover {
    /// Nobody is started yet.
    pub(crate) fn of(solver: v1::Solver) -> Prover {
        let z3 = match solver {
            v1::Solver::Own => None,
            v1::Solver::Z3 => {
                let z3 = Z3::new(Path::new("z3"), Z3Limits::STANDARD);
                Some(Arc::new(Z3Oracle { z3, failure: Mutex::default() }))
            }
        };
        Prover { z3 }
    }

    /// Begins with the goals of some programs. Z3 is started by the first goal that needs it: if none does, nobody misses a
    /// Z3 that is not installed.
    pub(crate) fn begin(&self) {
        if let Some(asked) = &self.z3 {
            asked.z3.begin();
            *asked.failure.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }

    /// Who is asked what stays open.
    pub(crate) fn oracle(&self) -> Option<Arc<dyn Oracle>> {
        self.z3.clone().map(|it| it as Arc<dyn Oracle>)
    }

    /// Why somebody who was asked could not answer, if so: goals are open that may have been proved or refuted.
    fn failure(&self) -> Option<LookError> {
        let asked = self.z3.as_ref()?;
        let mut failure = asked.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = asked.z3.take_failure() {
            *failure = Some(format!("goals cannot be put to Z3: {error}"));
        }
        let message = format!("{}; {}", failure.as_ref()?, INSTALL_Z3);
        Some(LookError::new(FailureKind::Unavailable, message))
    }

    /// Fails if somebody who was asked could not answer, for commands that have nothing to say without the answers.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        let Some(asked) = &self.z3 else { return Ok(()) };
        match asked.z3.take_failure() {
            Some(error) => {
                Err(Failure::Solver { message: format!("goals cannot be put to Z3: {error}") })
            }
            None => Ok(()),
        }
    }
}

/// Clank as a source, with whoever proves its goals.
pub(crate) struct ProvedClank {
    clank: ClankCheck,
    prover: Prover,
}

impl ProvedClank {
    /// The compiler, which asks the prover about the goals that stay open.
    pub(crate) fn new(clank: ClankCheck, prover: Prover) -> ProvedClank {
        ProvedClank { clank: clank.with_oracle(prover.oracle()), prover }
    }
}

impl Check for ProvedClank {
    fn card(&self) -> &Card {
        Check::card(&self.clank)
    }

    /// If somebody was asked and did not answer, the goals may hold as they are. What our own solver refuted is an error,
    /// and known.
    fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
        self.prover.begin();
        let mut report = self.clank.check(input)?;
        // Goals of programs that did not change are not asked about again by themselves.
        let earlier = input.since.and_then(|it| it.report.unheard.get(Z3_SOURCE)).cloned();
        if let Some(failure) = self.prover.failure().or(earlier) {
            report.unheard.insert(Z3_SOURCE.to_owned(), failure);
            let goals = report.diagnostics.iter().filter(|it| {
                it.severity != Severity::Error && GOALS.contains(&it.rule_id.as_str())
            });
            report.doubtful = goals.map(|it| it.diagnostic_id.clone()).collect();
        }
        Ok(report)
    }

    fn repairs(&self, input: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
        self.clank.repairs(input, report)
    }

    fn reach(&self, input: &Input<'_>) -> Reach {
        Check::reach(&self.clank, input)
    }

    fn coverage(&self, snapshot: &Snapshot, report: &Report) -> Coverage {
        Check::coverage(&self.clank, snapshot, report)
    }

    fn page(&self, rule_id: &str) -> Option<Page> {
        Check::page(&self.clank, rule_id)
    }

    fn kinds(&self, snapshot: &Snapshot, parses: &Parses) -> BTreeMap<String, usize> {
        Check::kinds(&self.clank, snapshot, parses)
    }
}
