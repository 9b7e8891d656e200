//! What a repository may do on this machine. Its configuration can name programs to run, a server to contact and the keys
//! that may approve; all of that can come with a clone, so none of it counts before the user has said so.
//!
//! What needs trust is a list of items, each with a digest of its content ([`item`]). What the user trusts is a record of
//! such digests in the user's own state folder ([`record`]). An item counts if its digest is in the record, so a change of
//! one item asks about that one again. Keys are trusted line by line: those that may approve are the lines that are in the
//! file now and in the record.
//!
//! Being untrusted never makes a policy milder. A `[govern]` table that the user has not seen may ask for more, not for
//! less, and what the last trusted one asked for still holds ([`WorkspaceTrust::policy`]).

mod item;
mod record;

use std::collections::BTreeSet;

use govern::approval::{AllowedSigners, DEFAULT_APPROVAL_DAYS, Policy};
use protocol::v1::{self, TrustItem, TrustReport, TrustState, UntrustedItem};
use snapshot::RelPath;

use crate::commands::schemas;
use crate::config::{Config, Govern, OwnerConfig, PackPlace, RegistryPlace};
use crate::failure::Failure;
use crate::session::Session;
use crate::session::identity;
use crate::session::steady::steadily;
use crate::setup;
use crate::toolbox::{RepositoryCode, Toolbox};

use item::TrustEntry;
use record::{Record, TrustedPolicy};

/// What counts in this run.
pub(crate) struct WorkspaceTrust {
    granted: Granted,
    items: Vec<TrustEntry>,
}

enum Granted {
    /// All of it: the user said so for this run.
    All,
    Recorded(Record),
}

/// What the user trusts this repository with.
struct RecordedTrust {
    record: Record,
    /// Why what was recorded does not count.
    note: Option<String>,
}

/// A build has no user, and its workspace no record.
fn kept(session: &Session) -> RecordedTrust {
    let nothing = |note: Option<String>| RecordedTrust { record: Record::default(), note };
    let ignored = |reason: String| {
        nothing(Some(format!("{reason}; nothing that was trusted here before counts")))
    };
    match session.workspace.read_trust() {
        Ok(None) => nothing(None),
        Err(error) => ignored(error.to_string()),
        Ok(Some(bytes)) => match Record::parse(&bytes) {
            Ok(record) => RecordedTrust { record, note: None },
            Err(reason) => ignored(reason),
        },
    }
}

impl WorkspaceTrust {
    /// What counts of this configuration and the files that it names. The note says why a record does not count.
    pub(crate) fn of(session: &Session, config: &Config) -> (WorkspaceTrust, Option<String>) {
        let RecordedTrust { record, note } = kept(session);
        let items = items(session, config, &record);
        if session.is_trusting() {
            return (WorkspaceTrust { granted: Granted::All, items }, None);
        }
        // Where nothing needs trust, a record that cannot be read keeps nothing from anybody.
        let note = note.filter(|_| !items.is_empty());
        (WorkspaceTrust { granted: Granted::Recorded(record), items }, note)
    }

    fn counts(&self, item: &TrustEntry) -> bool {
        match &self.granted {
            Granted::All => true,
            Granted::Recorded(record) => record.has(item),
        }
    }

    /// What does not count, in the order of the configuration.
    pub(crate) fn untrusted(&self) -> Vec<UntrustedItem> {
        self.items.iter().filter(|it| !self.counts(it)).map(TrustEntry::named).collect()
    }

    /// The item of that kind and name, if it does not count.
    fn left_out(&self, kind: &str, name: Option<&str>) -> Option<&TrustEntry> {
        let is_meant =
            |it: &&TrustEntry| it.kind == kind && name.is_none_or(|name| it.name == name);
        self.items.iter().find(|it| is_meant(it) && !self.counts(it))
    }

    /// Why the tool of that name may not run; `None` if it may.
    pub(crate) fn forbids_tool(&self, name: &str) -> Option<String> {
        self.left_out("tool", Some(name)).map(|it| not_trusted(&it.title))
    }

    /// The same with what tools would run that came with the repository.
    pub(crate) fn with_tools(mut self, code: &[RepositoryCode]) -> WorkspaceTrust {
        add_tools(&mut self.items, code);
        self
    }

    /// Whether the tool that regreen knows by that name may run what came with the repository, or might before its settings
    /// changed.
    pub(crate) fn of_linter(&self, name: &str) -> TrustState {
        let Granted::Recorded(record) = &self.granted else { return TrustState::Trusted };
        let is_meant = |it: &&TrustEntry| {
            [item::LINTER, item::LINTER_SETTINGS].contains(&it.kind) && it.name == name
        };
        let mut states = self.items.iter().filter(is_meant).map(|it| record.state(it));
        states.find(|it| *it != TrustState::Trusted).unwrap_or(TrustState::Trusted)
    }

    /// Why the tool of the workspace's own may not run; `None` if it may.
    pub(crate) fn forbids_source(&self, name: &str) -> Option<String> {
        self.left_out(item::SOURCE, Some(name)).map(|it| not_trusted(&it.title))
    }

    /// Why the registry may not be contacted; `None` if it may.
    pub(crate) fn forbids_registry(&self) -> Option<String> {
        self.left_out(item::REGISTRY, None).map(|it| not_trusted(&it.title))
    }

    /// Why nothing is approved or carried out here: the user knows this repository's identity from another one.
    pub(crate) fn forbids_repository(&self) -> Option<String> {
        self.left_out(item::REPOSITORY, None).map(|it| not_trusted(&it.title))
    }

    /// Why the `[govern]` table does not count; `None` if it does, or if there is none and none was trusted.
    pub(crate) fn forbids_govern(&self) -> Option<String> {
        self.left_out(item::GOVERN, None).map(|it| not_trusted(&it.title))
    }

    /// Why an address that the configuration names may not be fetched; `None` if it may.
    pub(crate) fn forbids_schema(&self, url: &str) -> Option<String> {
        self.left_out(item::SCHEMA, Some(url)).map(|it| not_trusted(&it.title))
    }

    /// Why a pack outside the workspace may not be read; `None` if it may.
    pub(crate) fn forbids_pack(&self, path: &str) -> Option<String> {
        self.left_out(item::PACK, Some(path)).map(|it| not_trusted(&it.title))
    }

    /// Why the addresses of the lock may not be fetched; `None` if they may.
    pub(crate) fn forbids_lock(&self) -> Option<String> {
        self.left_out(item::SCHEMA_LOCK, None).map(|it| not_trusted(&it.title))
    }

    /// The signers that count: of those in the file now, the ones that the user trusts.
    pub(crate) fn signers(&self, present: AllowedSigners) -> AllowedSigners {
        match &self.granted {
            Granted::All => present,
            Granted::Recorded(record) => present.only(|line| record.signers.contains(line)),
        }
    }

    /// What an approval must be. A table that does not count is read as the strictest of what it says, of the defaults and
    /// of what the last trusted one said.
    pub(crate) fn policy(&self, govern: &Govern) -> Result<Policy, Failure> {
        let strict = match &self.granted {
            Granted::Recorded(record) if self.forbids_govern().is_some() => Some(&record.policy),
            _ => None,
        };
        let mut protected = govern.protected.clone();
        let mut require_signature = govern.require_signature;
        if let Some(trusted) = strict {
            let defaults = Govern::default();
            let signers = [&defaults.allowed_signers, &govern.allowed_signers];
            let escaped = |it: &RelPath| globset::escape(it.as_str());
            protected.extend(defaults.protected);
            protected.extend(signers.into_iter().map(escaped));
            protected.extend(trusted.iter().flat_map(|it| it.protected.iter().cloned()));
            protected.extend(trusted.iter().map(|it| globset::escape(&it.allowed_signers)));
            require_signature |= trusted.as_ref().is_some_and(|it| it.require_signature);
        }
        let mut approval_days = govern.approval_days;
        if let Some(trusted) = strict {
            let days = trusted.as_ref().map_or(DEFAULT_APPROVAL_DAYS, |it| it.approval_days);
            approval_days = approval_days.min(days);
        }
        let trusted = strict.iter().flat_map(|it| it.iter()).flat_map(|it| it.owners.iter());
        let owners: Vec<&OwnerConfig> = govern.owners.iter().chain(trusted).collect();
        Ok(policy(require_signature, govern, &protected, &owners)?
            .with_approval_days(approval_days))
    }

    /// Whether only what was planned may be approved and carried out.
    pub(crate) fn requires_plan(&self, govern: &Govern) -> bool {
        let trusted = match &self.granted {
            Granted::Recorded(record) if self.forbids_govern().is_some() => record.policy.as_ref(),
            _ => None,
        };
        govern.require_plan || trusted.is_some_and(|it| it.require_plan)
    }

    /// Everybody whom the file names, or named when the user trusted it: taking somebody out is not a reason to ask fewer.
    pub(crate) fn known_signers(&self, present: &AllowedSigners) -> AllowedSigners {
        let mut known = present.clone();
        if let Granted::Recorded(record) = &self.granted {
            let lines: Vec<&str> = record.signers.iter().map(String::as_str).collect();
            known.lines.extend(AllowedSigners::read(&lines.join("\n")).lines);
        }
        known
    }
}

/// What an approval must be if the table counts.
pub(crate) fn configured_policy(govern: &Govern) -> Result<Policy, Failure> {
    policy(
        govern.require_signature,
        govern,
        &govern.protected,
        &govern.owners.iter().collect::<Vec<_>>(),
    )
}

fn policy(
    require_signature: bool,
    govern: &Govern,
    protected: &[String],
    owners: &[&OwnerConfig],
) -> Result<Policy, Failure> {
    let globs: Vec<&str> = protected.iter().map(String::as_str).collect();
    let policy = Policy::new(require_signature, govern.allowed_signers.clone(), &globs);
    let policy = owners.iter().fold(policy, |policy, owner| {
        policy?.with_owner(&owner.paths, &owner.keys, owner.approvals)
    });
    policy
        .map(|it| it.with_approval_days(govern.approval_days))
        .map_err(|error| Failure::Usage { message: error.to_string() })
}

/// Whether the user trusted a table with `require_approval` that is another one now, or gone: that is not a reason to apply
/// more than before.
pub(crate) fn remembers_require_approval(session: &Session, config: &Config) -> bool {
    if config.require_approval || session.is_trusting() {
        return false;
    }
    let record = kept(session).record;
    record.policy.as_ref().is_some_and(|it| it.require_approval)
        && item::govern(config.govern.table.as_ref(), &record).is_some_and(|it| !record.has(&it))
}

/// One line on something that does not count.
pub(crate) fn not_trusted(title: &str) -> String {
    format!("{title} of this repository is not trusted; run `regreen trust`")
}

/// Everything that needs trust, in the order of the configuration; then the keys, in the order of their file.
fn items(session: &Session, config: &Config, record: &Record) -> Vec<TrustEntry> {
    let mut items: Vec<TrustEntry> = config.commands.iter().map(item::command).collect();
    items.extend(item::govern(config.govern.table.as_ref(), record));
    if let Some(RegistryPlace::Postgres(url)) = &config.govern.registry {
        items.push(item::registry(url));
    }
    let outside = config.packs.iter().flatten().filter_map(|it| match &it.place {
        PackPlace::Outside(path) => Some(item::pack(path)),
        PackPlace::Folder(_) | PackPlace::Builtin(_) => None,
    });
    items.extend(outside);
    let urls = config.schemas.iter().filter_map(|it| match &it.schema {
        pack::MappedSchema::Address(url) => Some(url),
        pack::MappedSchema::File(_) => None,
    });
    let urls: BTreeSet<&String> = urls.chain(&config.catalogue).collect();
    items.extend(urls.into_iter().map(|it| item::schema(it)));
    // A lock that cannot be read names nobody; who needs it says so.
    if let Ok(Some(lock)) = schemas::load_lock(&session.workspace) {
        let urls = lock.0.schemas.iter().map(|it| it.url.as_str());
        let hosts: BTreeSet<&str> =
            urls.filter(|it| !schemas::is_public(it)).map(schemas::host).collect();
        if !hosts.is_empty() {
            items.push(item::schema_lock(&hosts));
        }
    }
    let path = &config.govern.allowed_signers;
    // Whom a file names that cannot be read is said by who needs to know it; nobody is let in by it.
    let text = setup::load_text(&session.workspace, path).ok().flatten();
    let text = text.map(|it| String::from_utf8_lossy(it.bytes()).into_owned());
    let signers = AllowedSigners::read(&text.unwrap_or_default());
    let mut seen = BTreeSet::new();
    let lines = signers.lines.iter().filter(|it| seen.insert(&it.text));
    items.extend(lines.map(|it| item::signer(path, it)));
    if let Some((id, origin)) = identity::stranger(session) {
        items.push(item::repository(&id, &origin));
    }
    items
}

/// Adds the tools that would run what came with the repository. Of one that a table names, the settings are a thing of their
/// own: the table was read by others too.
fn add_tools(items: &mut Vec<TrustEntry>, code: &[RepositoryCode]) {
    for it in code {
        let is_known = |item: &TrustEntry| item.kind == item::LINTER && item.name == it.name;
        if !items.iter().any(is_known) {
            items.push(item::linter(&it.name, &it.what, &it.settings));
        } else if !it.settings.is_empty() {
            items.push(item::linter_settings(&it.name, &it.settings));
        }
    }
}

/// What `regreen trust` is about: what needs trust now, and what is trusted.
pub struct TrustReview<'a> {
    session: &'a Session,
    config: Config,
    items: Vec<TrustEntry>,
    kept: RecordedTrust,
}

impl<'a> TrustReview<'a> {
    /// Reads the configuration, the files that it names, and what is trusted.
    pub fn open(session: &'a Session) -> Result<TrustReview<'a>, Failure> {
        let config = setup::load_config(session, &setup::TreeOverlay::new())?.0;
        let kept = kept(session);
        let mut items = items(session, &config, &kept.record);
        // What is not trusted yet must not keep anybody from trusting it.
        let request = v1::LookRequest { tolerate_tools: true, ..v1::LookRequest::default() };
        let overlay = setup::TreeOverlay::new();
        let tree =
            steadily(
                |attempt| Ok(setup::load_with(session, &overlay, true, &request, attempt)?.1),
            )?;
        add_tools(&mut items, &Toolbox::repository_code(session, &config, &tree.snapshot));
        Ok(TrustReview { session, config, items, kept })
    }

    /// What needs trust, what of it is trusted, and what changed since.
    pub fn report(&self) -> TrustReport {
        let RecordedTrust { record, note } = &self.kept;
        let items: Vec<TrustItem> =
            self.items.iter().map(|it| it.report(record.state(it))).collect();
        TrustReport {
            ok: items.iter().all(|it| it.state == TrustState::Trusted),
            items,
            gone: record.gone(&self.items),
            note: note.clone(),
        }
    }

    /// Records that the user trusts exactly what was reported, and nothing else any more.
    pub fn trust(&self) -> Result<TrustReport, Failure> {
        let record = Record::of(&self.items, self.trusted_policy());
        if self.items.is_empty() {
            self.session.workspace.remove_trust()?;
        } else {
            self.session.workspace.write_trust(record.render().as_bytes())?;
        }
        if let Some(id) = identity::read(self.session)? {
            identity::remember(self.session, &id)?;
        }
        let items = self.items.iter().filter(|it| it.is_present);
        let items = items.map(|it| it.report(TrustState::Trusted)).collect();
        Ok(TrustReport { ok: true, items, gone: Vec::new(), note: None })
    }

    /// Forgets what the user trusts this repository with; says what needs trust now. The report is fine if there is nothing
    /// left that counts, which is what was asked for.
    pub fn revoke(&self) -> Result<TrustReport, Failure> {
        self.session.workspace.remove_trust()?;
        let items = self.items.iter().filter(|it| it.is_present);
        let items = items.map(|it| it.report(TrustState::New)).collect();
        Ok(TrustReport { ok: true, items, gone: Vec::new(), note: None })
    }

    fn trusted_policy(&self) -> Option<TrustedPolicy> {
        let govern = &self.config.govern;
        govern.table.as_ref().map(|_| TrustedPolicy {
            require_signature: govern.require_signature,
            require_approval: self.config.require_approval,
            require_plan: govern.require_plan,
            approval_days: govern.approval_days,
            protected: govern.protected.clone(),
            allowed_signers: govern.allowed_signers.to_string(),
            owners: govern.owners.clone(),
        })
    }
}
