//! What users get: a program repaired by `fix`, and by `compile --fix`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use protocol::v1;
use service::{FixReply, Home, Interrupts, Session, SessionAccess, User};
use tempfile::TempDir;

/// The rule of the canonical layout.
const LAYOUT: &str = "CLANK_FORMAT";

/// A workspace on disk that nothing is written to.
pub(super) struct UserWorkspace {
    /// The program in it.
    file: String,
    session: Session,
    _folder: TempDir,
}

/// What a command made of a program.
#[derive(Debug)]
pub(super) struct Repaired {
    /// Its text afterwards.
    pub(super) text: String,
    /// What was applied, in order: the round and the title.
    pub(super) applied: Vec<(usize, String)>,
    /// What they were said to be, without the layout. `compile --fix` does not say it.
    pub(super) natures: Vec<Nature>,
    /// What is still wrong: the code and the offset.
    pub(super) left: BTreeSet<(String, u32)>,
}

/// What a repair was said to be when it was applied.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Nature {
    pub(super) class: v1::RepairClass,
    pub(super) confidence: v1::Confidence,
    pub(super) safety: v1::Safety,
    /// The rule whose finding it resolved.
    pub(super) rule: String,
}

impl Nature {
    fn of(it: &v1::AppliedRepair) -> Nature {
        Nature {
            class: it.class,
            confidence: it.confidence,
            safety: it.safety,
            rule: it.rule_id.clone(),
        }
    }

    /// Whether it says that nothing else can have been meant.
    pub(super) fn is_sure(&self) -> bool {
        self.class == v1::RepairClass::Repair && self.confidence == v1::Confidence::High
    }
}

impl Repaired {
    /// In how many rounds something else than the layout was changed.
    pub(super) fn n_rounds(&self) -> usize {
        let repairs = self.applied.iter().filter(|it| !it.1.starts_with("Format "));
        repairs.map(|it| it.0).collect::<BTreeSet<_>>().len()
    }
}

impl UserWorkspace {
    /// A workspace with a program of this name, and these files besides it.
    pub(super) fn new(file: &str, files: &[(String, String)]) -> Result<UserWorkspace> {
        let folder = TempDir::new()?;
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
            std::fs::write(path, text)?;
        }
        let home = Home { state: None, cache: None };
        let user = User {
            home,
            interrupts: Interrupts::new(),
            is_trusting: false,
            programs: Default::default(),
            build_tools: Default::default(),
        };
        let session = Session::open(folder.path(), SessionAccess::Build, &user)?;
        Ok(UserWorkspace { file: file.to_owned(), session, _folder: folder })
    }

    /// What `fix` makes of the program.
    pub(super) fn fix(&self, text: &str, safety: v1::Safety) -> Result<Repaired> {
        let overlay = BTreeMap::from([(self.file.clone(), text.as_bytes().to_vec())]);
        let look = v1::LookRequest {
            overlay,
            paths: vec![self.file.clone()],
            safety: Some(safety),
            ..v1::LookRequest::default()
        };
        let request = v1::Fix { look, ..v1::Fix::default() };
        let FixReply { report, mut outputs, .. } =
            service::fix(&self.session, &request, &mut |_| {}, None)?;
        let text = outputs.remove(&self.file).unwrap_or_else(|| text.as_bytes().to_vec());
        let left = report.remaining.iter().filter(|it| it.rule_id != LAYOUT);
        let place = |it: &v1::Diagnostic| it.location.as_ref().map_or(0, |it| it.start_byte);
        let natures = report.applied.iter().filter(|it| it.rule_id != LAYOUT);
        Ok(Repaired {
            text: String::from_utf8(text)?,
            natures: natures.map(Nature::of).collect(),
            applied: report.applied.into_iter().map(|it| (it.pass, it.title)).collect(),
            left: left.map(|it| (it.rule_id.clone(), place(it))).collect(),
        })
    }

    /// What `compile --fix` makes of it.
    pub(super) fn compile(&self, text: &str, safety: v1::Safety) -> Result<Repaired> {
        let request = v1::Compile {
            file: Some(self.file.clone()),
            name: self.file.clone(),
            bytes: text.as_bytes().to_vec(),
            form: v1::ProgramForm::Source,
            language: None,
            with_map: false,
            with_repairs: true,
            repair: v1::ProgramRepair::Fix(Some(safety)),
            solver: None,
        };
        let result = service::compile(Some(&self.session), &request)?.result;
        let fixed = result.fixed.context("--fix says what it did")?;
        let own = |span: &v1::CompileSpan| span.file == self.file;
        let said = result.diagnostics.iter().filter(|it| own(&it.location));
        let said = said.map(|it| (it.code.clone(), it.location.start.offset));
        let open = result.obligations.iter();
        let open = open.filter(|it| it.solver_result == "unknown" && it.kind != "assertion");
        let open = open.map(|it| {
            let code = match it.kind.as_str() {
                "precondition" => "E3002",
                "postcondition" => "E3003",
                _ => "E3001",
            };
            (code.to_owned(), it.location.start.offset)
        });
        let holes = result.holes.iter();
        let holes = holes.map(|it| ("CLANK_HOLE".to_owned(), it.location.start.offset));
        Ok(Repaired {
            text: fixed.source.context("a text comes back as a text")?,
            natures: Vec::new(),
            applied: fixed.applied.into_iter().map(|it| (it.round, it.title)).collect(),
            left: said.chain(open).chain(holes).collect(),
        })
    }

    /// How what `compile --fix` makes of the program differs from what `fix` made of it; nothing if it does not.
    pub(super) fn difference(
        &self,
        text: &str,
        safety: v1::Safety,
        fixed: &Repaired,
    ) -> Result<Option<String>> {
        let compiled = self.compile(text, safety)?;
        let seen = |it: &Repaired| (it.text.clone(), it.applied.clone(), it.left.clone());
        Ok((seen(&compiled) != seen(fixed)).then(|| {
            format!("`fix` and `compile --fix` differ on\n{text}\n`fix`: {fixed:#?}\n`compile`: {compiled:#?}")
        }))
    }
}
