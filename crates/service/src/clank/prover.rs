//! Who proves what must hold: our own solver, and Z3 for what that leaves open, if it is asked for.

use std::path::Path;
use std::sync::Arc;

use ::clank::Oracle;
use clank_run::{Z3, Z3Limits};
use protocol::v1;

use crate::failure::Failure;

/// Who is asked besides our own solver. Clones ask the same process.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prover {
    z3: Option<Arc<Asked>>,
}

/// Z3 as the compiler knows it.
#[derive(Debug)]
struct Asked(Z3);

impl Oracle for Asked {
    fn ask(&self, script: &str) -> Option<String> {
        self.0.ask(script)
    }
}

impl Prover {
    /// Nobody is started yet.
    pub(crate) fn of(solver: v1::Solver) -> Prover {
        let z3 = match solver {
            v1::Solver::Own => None,
            v1::Solver::Z3 => Some(Arc::new(Asked(Z3::new(Path::new("z3"), Z3Limits::STANDARD)))),
        };
        Prover { z3 }
    }

    /// Starts who was asked for, so that nobody takes goals for open that were never looked at.
    pub(crate) fn start(&self) -> Result<(), Failure> {
        match &self.z3 {
            Some(z3) => z3.0.start().map_err(|it| failure(it.to_string())),
            None => Ok(()),
        }
    }

    /// Who is asked what stays open.
    pub(crate) fn oracle(&self) -> Option<Arc<dyn Oracle>> {
        self.z3.clone().map(|it| it as Arc<dyn Oracle>)
    }

    /// Fails if somebody who was asked could not answer.
    pub(crate) fn finish(&self) -> Result<(), Failure> {
        match self.z3.as_ref().and_then(|it| it.0.take_failure()) {
            Some(error) => Err(failure(error.to_string())),
            None => Ok(()),
        }
    }
}

fn failure(message: String) -> Failure {
    Failure::Solver { message: format!("goals cannot be put to Z3: {message}") }
}
