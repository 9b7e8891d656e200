//! Confines the calling thread, and with it everything that it starts: capabilities, Landlock.
//!
//! A confined thread stays confined, so it must be a fresh one.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError,
    RulesetStatus, Scope as LandlockScope,
};
use rustix::thread::{CapabilitySet, CapabilitySets};

use super::scope::{SYSTEM, Scope};
use super::system;
use crate::{SandboxError, SandboxLevel};

// The first one that scopes signals, without which a job could kill what watches it.
const NEEDED: ABI = ABI::V6;

const DEVICES_READ: &[&str] = &["/dev/random", "/dev/urandom", "/dev/zero"];
const DEVICES_WRITTEN: &[&str] = &["/dev/full", "/dev/null"];

/// Takes all capabilities away: an owner who is root would keep the means to leave any scope.
pub(crate) fn drop_capabilities() -> Result<(), SandboxError> {
    rustix::thread::set_no_new_privs(true)
        .map_err(|error| system("give up new privileges", error))?;
    rustix::thread::clear_ambient_capability_set()
        .map_err(|error| system("drop capabilities", error))?;
    for capability in CapabilitySet::all().iter() {
        // Refused to those who have none; with no new privileges the empty sets below are what counts.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, sets).map_err(|error| system("drop capabilities", error))
}

/// Landlock for the whole scope: files, TCP, signals and abstract sockets. All of it or an error.
pub(crate) fn landlock(scope: &Scope<'_>) -> Result<(), SandboxError> {
    let reason = match restrict(scope) {
        Ok(true) => return Ok(()),
        Ok(false) => "the kernel enforces only part of it".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(SandboxError::Unavailable { level: SandboxLevel::Landlock, reason })
}

/// The scopes of Landlock alone, if the kernel has them: a network that is shared also shares abstract
/// sockets.
pub(crate) fn abstract_sockets() {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .scope(LandlockScope::from_all(NEEDED))
        .and_then(Ruleset::create);
    // What an older kernel cannot do is not part of what the level promises.
    let _ = ruleset.and_then(RulesetCreated::restrict_self);
}

/// Whether all of it is enforced.
fn restrict(scope: &Scope<'_>) -> Result<bool, RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))?
        .scope(LandlockScope::from_all(NEEDED))?;
    if !scope.job.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEEDED))?;
    }
    let mut rules = ruleset.create()?;
    let read = AccessFs::from_read(NEEDED);
    // A device that a job with the right owner could make would be the disk itself.
    let write = AccessFs::from_all(NEEDED)
        & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev);
    for path in SYSTEM.iter().chain(DEVICES_READ).map(Path::new) {
        rules = allow(rules, path, read)?;
    }
    for path in scope.readable.iter().chain([&scope.directory]) {
        rules = allow(rules, path, read)?;
    }
    for path in DEVICES_WRITTEN.iter().map(Path::new) {
        rules = allow(rules, path, AccessFs::ReadFile | AccessFs::WriteFile)?;
    }
    for path in &scope.writable {
        rules = allow(rules, path, write)?;
    }
    Ok(rules.restrict_self()?.ruleset == RulesetStatus::FullyEnforced)
}

/// A path that is not there cannot be allowed, which is the safe side.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let Ok(opened) = PathFd::new(path) else { return Ok(rules) };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEEDED) };
    rules.add_rule(PathBeneath::new(opened, access))
}
