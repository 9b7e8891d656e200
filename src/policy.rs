//! Whether this run may write sources (AE-29, AE-36): decided once, at the start, and passed on as a value.

use service::SessionAccess;

use crate::environment::ProcessEnvironment;

/// Who runs us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WritePolicy {
    /// A person or a hook.
    User,
    /// A build: sources are inputs, and `--output` is the only output.
    Action(PathEvidence),
}

/// What a command is about to do with the workspace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wants {
    /// It promises to write nothing.
    Look,
    Write,
}

impl Wants {
    /// To write, unless this is only a rehearsal.
    pub(crate) fn unless(is_dry: bool) -> Wants {
        if is_dry { Wants::Look } else { Wants::Write }
    }
}

/// Why we think that a build runs us.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PathEvidence {
    Asked,
    Bazel,
    Inputs,
}

/// A command that would write was run by a build.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`regreen {command}` writes sources, and this is a build action ({})", .evidence.describe())]
pub(crate) struct ActionRefusal {
    command: &'static str,
    evidence: PathEvidence,
}

impl ActionRefusal {
    /// What to do instead.
    pub(crate) fn help(self) -> &'static str {
        match self.command {
            "apply" => {
                "run it from a shell instead, or emit what it would do as an output: \
                 `regreen apply PATCH --diff --output FILE`"
            }
            "fix" => {
                "run it from a shell instead, or emit what it would do as an output: \
                 `regreen fix --diff --output FILE`"
            }
            _ => "run it from a shell instead; an action must not change its inputs",
        }
    }
}

impl PathEvidence {
    fn describe(self) -> &'static str {
        match self {
            PathEvidence::Asked => "REGREEN_ACTION is set",
            PathEvidence::Bazel => "Bazel's sandbox was detected",
            PathEvidence::Inputs => "its inputs are listed",
        }
    }
}

impl WritePolicy {
    /// An explicit wish beats `bazel run`, which beats what the surroundings look like. Who lists the inputs of a command
    /// is a build.
    pub(crate) fn decide(environment: &ProcessEnvironment, has_inputs: bool) -> WritePolicy {
        if has_inputs {
            WritePolicy::Action(PathEvidence::Inputs)
        } else if environment.is_action_asked_for {
            WritePolicy::Action(PathEvidence::Asked)
        } else if environment.bazel_run_root.is_none() && environment.is_bazel_action {
            WritePolicy::Action(PathEvidence::Bazel)
        } else {
            WritePolicy::User
        }
    }

    /// Fails in a build, before anything is read or written.
    pub(crate) fn allow_writes(self, command: &'static str) -> Result<(), ActionRefusal> {
        match self {
            WritePolicy::User => Ok(()),
            WritePolicy::Action(evidence) => Err(ActionRefusal { command, evidence }),
        }
    }

    /// What a command may do that wants to write, or only to look.
    pub(crate) fn access(self, wants: Wants) -> SessionAccess {
        match (self, wants) {
            (WritePolicy::Action(_), _) => SessionAccess::Build,
            (WritePolicy::User, Wants::Look) => SessionAccess::Look,
            (WritePolicy::User, Wants::Write) => SessionAccess::Write,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_explicit_wish_beats_bazel_run_and_that_beats_the_surroundings() {
        let decide = |asked: bool, run: bool, sandbox: bool| {
            let environment = ProcessEnvironment {
                is_action_asked_for: asked,
                bazel_run_root: run.then(|| "/ws".into()),
                is_bazel_action: sandbox,
                ..ProcessEnvironment::default()
            };
            assert_eq!(
                WritePolicy::decide(&environment, true),
                WritePolicy::Action(PathEvidence::Inputs)
            );
            WritePolicy::decide(&environment, false)
        };
        assert_eq!(decide(false, false, false), WritePolicy::User);
        assert_eq!(decide(false, true, true), WritePolicy::User);
        assert_eq!(decide(false, false, true), WritePolicy::Action(PathEvidence::Bazel));
        assert_eq!(decide(true, true, false), WritePolicy::Action(PathEvidence::Asked));
    }
}
