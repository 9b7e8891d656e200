//! `init`: looks at a repository that has never seen regreen, says what it can do there, and writes a configuration to
//! start from.

use std::collections::BTreeMap;
use std::sync::Arc;

use ::check::Parses;
use document::Format;
use edit::Text;
use pack::Pack;
use protocol::v1;
use rayon::prelude::*;
use snapshot::{NewFile, RelPath, Snapshot, TreeChange};
use workspace::Meta;

use crate::config;
use crate::failure::Failure;
use crate::log::TITLE;
use crate::reply::InitReply;
use crate::session::Session;
use crate::setup::{self, Overlay};
use crate::steady::{Attempt, steadily};
use crate::view::names_schema;
use crate::{VERSION, pool};

/// Looks at the tree and writes `regreen.toml` if there is none.
pub fn init(session: &Session, request: &v1::Init) -> Result<InitReply, Failure> {
    let work = |attempt: &mut Attempt| {
        let (setup, tree) = setup::load(session, &Overlay::new(), true, attempt)?;
        let path = RelPath::parse(config::PATH).expect("the name of the configuration is a path");
        let found = count_kinds(&tree.snapshot, &setup.packs, &setup.parses);
        let with_schema = n_with_schema(&tree.snapshot);
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
            pending_transaction: session.pending_transaction(),
        };
        Ok(InitReply { report, text })
    };
    pool::work(request.jobs, || steadily(work))
}

/// How many files each pack is about, by kind. A file that cannot be read as a document is none.
fn count_kinds(snapshot: &Snapshot, packs: &[Arc<Pack>], parses: &Parses) -> Vec<v1::FoundFiles> {
    let is_known =
        |it: &RelPath| Format::of_path(it.as_str()).is_some() || it.extension() == Some("clank");
    let files: Vec<_> = snapshot.files_at(is_known).collect();
    let kinds_of = |(path, file): &(&RelPath, &snapshot::File)| -> Vec<(String, String)> {
        let Some(format) = Format::of_path(path.as_str()) else { return Vec::new() };
        if !packs.iter().any(|it| it.may_concern(path.as_str())) {
            return Vec::new();
        }
        let parsed = parses.of(file, format);
        let Ok(document) = parsed.document() else { return Vec::new() };
        let value = document.value();
        let kind = |it: &Arc<Pack>| {
            Some((it.name().to_owned(), it.kind_of(path.as_str(), &value)?.to_owned()))
        };
        packs.iter().filter_map(kind).collect()
    };
    let found: Vec<Vec<(String, String)>> = files.par_iter().map(kinds_of).collect();
    let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
    for kind in found.into_iter().flatten() {
        *counts.entry(kind).or_default() += 1;
    }
    let programs = files.iter().filter(|it| it.0.extension() == Some("clank")).count();
    if programs > 0 {
        counts.insert(("clank".to_owned(), "program".to_owned()), programs);
    }
    let line = |((pack, kind), files)| v1::FoundFiles { pack, kind, files };
    counts.into_iter().map(line).collect()
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
        assert!(config.infos.is_empty() && config.rules.is_empty() && config.packs.is_none());
        assert_eq!(config.safety, config::Config::default().safety);
    }
}
