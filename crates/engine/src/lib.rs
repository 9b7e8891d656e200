//! The verified loop: asks the providers what is wrong, tries the best repairs together in memory, asks again, and
//! keeps only what did what it claimed and made nothing worse.
//!
//! Everything happens on snapshots. [`assess`] says what is known of one version of a tree; [`fix`] goes from one
//! assessment to a better one and gives the change between them. Providers are not trusted: one that lies, panics,
//! never settles or changes its mind is contained and named.
//!
//! A batch of repairs that fails is searched for the ones to blame by delta debugging (Zeller and Hildebrandt 2002); the
//! module `search` has a worked example.
//!
//! ```
//! use std::collections::BTreeSet;
//! use std::sync::{Arc, LazyLock};
//!
//! use check::*;
//! use document::Limits;
//! use edit::{Edit, EditSet, Text};
//! use engine::{Options, Run, Sieve, Sources, assess, fix};
//! use plan::Policy;
//! use snapshot::{Entry, File, RelPath, Snapshot};
//!
//! /// Finds text files that do not end with a line break, and adds it.
//! struct FinalNewline;
//!
//! static CARD: LazyLock<Card> = LazyLock::new(|| Card {
//!     name: "newline".to_owned(),
//!     phases: vec!["text".to_owned()],
//!     rules: RuleSet::closed([RuleInfo {
//!         id: "FINAL_NEWLINE".to_owned(),
//!         tier: Tier::Semantic,
//!         severity: Some(Severity::Error),
//!     }]),
//!     interest: Interest::extensions(&["txt"]),
//!     cost: Cost::InProcess,
//!     trust: Trust::Sealed,
//!     languages: Vec::new(),
//! });
//!
//! impl Check for FinalNewline {
//!     fn card(&self) -> &Card {
//!         &CARD
//!     }
//!
//!     fn check(&self, input: &Input<'_>) -> Result<Report, LookError> {
//!         let rule = |rule_id| RuleOrigin { source: "newline", phase: "text", tier: Tier::Semantic, rule_id };
//!         let open = input.snapshot.files().filter(|(_, it)| !it.text().bytes().ends_with(b"\n"));
//!         let mut found: Vec<Diagnostic> = open
//!             .map(|(path, _)| {
//!                 let message = "the file does not end with a line break";
//!                 Diagnostic::new(rule("FINAL_NEWLINE"), Severity::Error, path.as_str(), message)
//!             })
//!             .collect();
//!         sort_and_assign_ids(&mut found);
//!         Ok(Report { diagnostics: found.into_iter().map(Arc::new).collect(), ..Report::default() })
//!     }
//!
//!     fn repairs(&self, input: &Input<'_>, report: &mut Report) -> Result<(), LookError> {
//!         let mut repairs = Vec::new();
//!         for finding in &report.diagnostics {
//!             let Ok(path) = RelPath::parse(&finding.file) else { continue };
//!             let Some(file) = input.snapshot.file(&path) else { continue };
//!             let text = file.text();
//!             let Ok(end) = u32::try_from(text.len()) else { continue };
//!             let Ok(edits) = EditSet::new(&text, vec![Edit::insert(end, "\n")]) else { continue };
//!             let ops = vec![RepairOp::Text { file: path, edits }];
//!             let title = "Add the line break";
//!             let (safety, confidence) = (Safety::LikelyPreserving, Confidence::High);
//!             repairs.push(Repair::resolving(finding, title, safety, confidence, ops));
//!         }
//!         assign_repair_ids(&mut repairs, input.snapshot);
//!         report.repairs = repairs.into_iter().map(Arc::new).collect();
//!         Ok(())
//!     }
//!
//!     fn coverage(&self, snapshot: &Snapshot, _: &Report) -> Coverage {
//!         let mut coverage = Coverage::default();
//!         snapshot.files().for_each(|(path, _)| coverage.add(path));
//!         coverage
//!     }
//! }
//!
//! let path = RelPath::parse("a.txt")?;
//! let file = Entry::File(File::new(Text::new("the end"), 0o644));
//! let tree = Snapshot::new([(path.clone(), file)].into())?;
//!
//! let sources = Sources::new(&[&FinalNewline], Environment::default());
//! let (parses, sieve, stop) = (Arc::new(Parses::new(Limits::DEFAULT)), Sieve::default(), Stop::new());
//! let run = Run { sources: &sources, parses: &parses, sieve: &sieve, stop: &stop, only: None };
//!
//! let start = assess(&run, &tree, None);
//! assert_eq!(start.diagnostics[0].rule_id, "FINAL_NEWLINE");
//!
//! let policy = Policy { safety: Safety::LikelyPreserving, allow: BTreeSet::new() };
//! let options = Options {
//!     policy: &policy,
//!     is_editable: &|_| true,
//!     wants: &|_| true,
//!     max_passes: 10,
//!     max_rechecks: 100,
//! };
//! let fixed = fix(&run, &start, &options, &mut |_| {});
//! assert!(fixed.applied[0].verified && fixed.end.diagnostics.is_empty());
//! let after = tree.apply(&fixed.change)?;
//! assert_eq!(after.file(&path).map(|it| it.text().bytes().to_vec()), Some(b"the end\n".to_vec()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Knows nothing about the disk, about how findings are shown, or about what any provider checks.
#![deny(clippy::disallowed_methods)] // IO belongs at the named edges.
#![warn(missing_docs)]

mod ask;
mod assessment;
mod comments;
mod compare;
mod count;
mod cures;
mod erratic;
mod fix;
mod ignore;
mod invariants;
mod judge;
mod lines;
mod outcome;
mod run;
mod search;
mod sources;
mod words;

pub use assessment::{Assessment, ProviderFailure, assess, reach};
pub use fix::fix;
pub use ignore::{IGNORE_SIGN, IGNORE_WITHOUT_RULE, OWN_SOURCE, UNUSED_IGNORE};
pub use outcome::{Applied, Ending, Fixed, Options, Progress, RejectedRepair};
pub use run::{RuleLevel, Run, Sieve};
pub use sources::Sources;
