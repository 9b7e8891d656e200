//! `init`: looks at a repository that has never seen regreen, says what it can do there, and writes a configuration to
//! start from.

use std::collections::BTreeMap;
use std::sync::Arc;

use check::{Parses, Provider};
use document::Format;
use edit::Text;
use pack::Pack;
use protocol::v1;
use snapshot::{NewFile, RelPath, Snapshot, TreeChange};
use workspace::Meta;

use crate::VERSION;
use crate::assess::view::names_schema;
use crate::commands::log::TITLE;
use crate::config;
use crate::failure::Failure;
use crate::reply::InitReply;
use crate::session::Session;
use crate::session::pool;
use crate::session::steady::{ScanAttempt, steadily};
use crate::setup;
use crate::setup::TreeOverlay;
use crate::setup::registry::Registry;
use crate::toolbox;

/// Looks at the tree and writes `regreen.toml` if there is none.
pub fn init(session: &Session, request: &v1::Init) -> Result<InitReply, Failure> {
    let work = |attempt: &mut ScanAttempt| {
        let (setup, tree) = setup::load(session, &TreeOverlay::new(), true, attempt)?;
        let path = RelPath::parse(config::PATH).expect("the name of the configuration is a path");
        let found = count_kinds(&setup.registry, &tree.snapshot, &setup.parses);
        let with_schema = n_with_schema(&tree.snapshot);
        let (tools, other_tools) = toolbox::overview(session, &setup, &tree);
        let exists = setup::load_text(&session.workspace, &path)?.is_some();
        let text = (!exists).then(|| render(&setup.packs));
        let mut transaction = None;
        let may_write = !request.dry_run && attempt.moved().is_none();
        if let Some(text) = text.as_ref().filter(|_| may_write) {
            let file = NewFile { text: Text::new(text.clone()), mode: 0o644 };
            let adds = BTreeMap::from([(path.clone(), file)]);
            let change = TreeChange::new(BTreeMap::new(), adds, BTreeMap::new(), BTreeMap::new())?;
            let notes = BTreeMap::from([(TITLE.to_owned(), format!("a first {}", config::PATH))]);
            let meta = Meta { command: "init".to_owned(), time: None, notes };
            transaction = session.workspace.commit(&change, None, &meta)?;
        }
        let report = v1::InitReport {
            ok: true,
            validator_version: VERSION.to_owned(),
            transaction: transaction.map(|it| it.to_string()),
            written: transaction.map(|_| config::PATH.to_owned()),
            found,
            with_schema,
            files: tree.snapshot.paths().count(),
            tools,
            other_tools,
            pending_transaction: session.pending_transaction(),
        };
        Ok(InitReply { report, text })
    };
    pool::work(request.jobs, || steadily(work))
}

/// How many files each source knows, by kind.
fn count_kinds(registry: &Registry, snapshot: &Snapshot, parses: &Parses) -> Vec<v1::FoundFiles> {
    let of_provider = |it: Arc<dyn Provider>| {
        let pack = it.card().name.clone();
        let kinds = it.kinds(snapshot, parses);
        kinds.into_iter().map(move |(kind, files)| v1::FoundFiles {
            pack: pack.clone(),
            kind,
            files,
        })
    };
    let mut found: Vec<v1::FoundFiles> = registry.providers().flat_map(of_provider).collect();
    found.sort_by(|left, right| (&left.pack, &left.kind).cmp(&(&right.pack, &right.kind)));
    found
}

/// How many documents name a schema of their own.
fn n_with_schema(snapshot: &Snapshot) -> usize {
    let documents = snapshot.files_at(|path| Format::of_path(path.as_str()).is_some());
    documents.filter(|(_, file)| names_schema(file.text().bytes())).count()
}

/// The configuration to start from: everything is as it would be without it, and says what can be changed.
fn render(packs: &[Arc<Pack>]) -> String {
    let mut text = String::from(
        "# What regreen does in this workspace. All of it is optional; `regreen schema config` describes it.\n\
         \n\
         [workspace]\n\
         # Folders and files to pass over, as globs. What .gitignore names is passed over anyway.\n\
         exclude = []\n\
         \n\
         [fix]\n\
         # The widest safety that `regreen fix` applies by itself: \"behavior_preserving\" or \"likely_preserving\".\n\
         # Repairs that may change behavior always wait for `--allow ID`.\n\
         safety = \"likely_preserving\"\n\
         \n\
         # How bad a rule is here: \"off\", \"info\", \"warning\" or \"error\". `regreen explain` lists the rules.\n\
         [rules]\n\
         # SCHEMA_FORMAT = \"warning\"\n\
         \n\
         # The rule packs to use. Without any, the built-in ones are.\n",
    );
    for pack in packs {
        text.push_str(&format!("# [[pack]]\n# builtin = \"{}\"\n", pack.name()));
    }
    text.push_str("# [[pack]]\n# path = \"packs/mine\"\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `init` writes is a configuration without a problem, and changes nothing.
    #[test]
    fn the_first_configuration_is_fine_and_says_nothing_new() {
        let config = config::read(&Text::new(render(&[]))).unwrap();
        assert!(config.linters.is_empty() && config.rules.is_empty() && config.packs.is_none());
        assert_eq!(config.safety, config::Config::default().safety);
    }
}
