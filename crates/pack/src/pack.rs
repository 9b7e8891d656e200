//! A pack: kinds of files, their schemas, and rules about them.

use std::collections::{BTreeMap, BTreeSet};

use check::{Safety, Severity, Tier};
use document::{Pointer, Value};
use edit::Text;
use snapshot::RelPath;

use crate::conditions::Conditions;
use crate::globs::FileGlobs;
use crate::load::{Compile, KindSchema};
use crate::path_glob::PathIndex;
use crate::pattern::resolve;
use crate::problem::PackProblem;
use crate::rules::{Body, Rule};

/// Up to so many rules, every two are compared to find which look at the same places; beyond, rules about one kind of
/// file are taken together.
const MAX_COMPARED_RULES: usize = 500;
/// How many kinds are compared with all others for what they leave out.
const MAX_COMPARED_KINDS: usize = 256;

/// A loaded pack. Every place of a rule is in one of its kinds, and every rule id is there once.
pub struct Pack {
    name: String,
    version: String,
    description: String,
    pub(crate) kinds: Vec<Kind>,
    paths: PathKinds,
    pub(crate) rules: Vec<Rule>,
    /// The rules that compare files, by position.
    pub(crate) tree_rules: Vec<usize>,
    /// Per kind, the rules that look at one file at a time.
    pub(crate) file_rules: Vec<Vec<usize>>,
    /// Per kind, the rules that compare files and have a place in it.
    pub(crate) fact_rules: Vec<Vec<usize>>,
    /// Per rule, the smallest rule that looks at the same places, also by way of others: a repair of one may concern
    /// the other.
    pub(crate) company: Vec<usize>,
    pages: BTreeMap<String, String>,
    fingerprint: [u8; 32],
}

/// A kind of file.
pub(crate) struct Kind {
    pub(crate) name: String,
    pub(crate) globs: FileGlobs,
    /// Where every file of the kind has a value.
    pub(crate) has: Option<Pointer>,
    /// What every file of the kind says.
    pub(crate) conditions: Conditions,
    /// Where a file's uid stands.
    pub(crate) uid: Option<Pointer>,
    pub(crate) schema: Option<KindSchema>,
    /// What YAML merges (`<<`) are here; without it, a key like any other.
    pub(crate) merge_keys: Option<MergeKeys>,
}

/// What YAML merges are to whoever reads the files of a kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MergeKeys {
    /// They are resolved.
    Resolve,
    /// They are an error.
    Refuse,
}

/// Which kinds a path can be of.
#[derive(Default)]
pub(crate) struct PathKinds {
    index: PathIndex,
    /// Of each kind the first one that leaves out the same files.
    leaving_out_as: Vec<usize>,
}

/// What a rule is, for lists and pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleInfo {
    /// `SEM_…` or `POL_…`.
    pub id: String,
    /// Semantic or policy.
    pub tier: Tier,
    /// Its severity unless the workspace says otherwise.
    pub severity: Severity,
    /// The kind of rule: `unique`, `reference`, ….
    pub kind: &'static str,
    /// What it is about and why, in Markdown.
    pub about: String,
    /// The strictest safety of its repairs; `None` if it has none.
    pub safety: Option<Safety>,
}

impl Pack {
    /// Reads a pack from its files, by their paths inside its folder; or everything that is wrong with it.
    pub fn load(files: &BTreeMap<String, Text>) -> Result<Pack, Vec<PackProblem>> {
        Pack::load_with(files, Compile::Now)
    }

    pub(crate) fn load_with(
        files: &BTreeMap<String, Text>,
        compile: Compile,
    ) -> Result<Pack, Vec<PackProblem>> {
        let pack = crate::load::load(files, compile)?;
        Ok(Pack { fingerprint: crate::cache::fingerprint(files), ..pack })
    }

    pub(crate) fn new(
        name: String,
        version: String,
        description: String,
        kinds: Vec<Kind>,
        paths: PathKinds,
        rules: Vec<Rule>,
        pages: BTreeMap<String, String>,
    ) -> Pack {
        let mut pack = Pack {
            name,
            version,
            description,
            tree_rules: (0..rules.len()).filter(|it| rules[*it].body.is_about_the_tree()).collect(),
            file_rules: vec![Vec::new(); kinds.len()],
            fact_rules: vec![Vec::new(); kinds.len()],
            company: Vec::new(),
            kinds,
            paths,
            rules,
            pages,
            fingerprint: [0; 32],
        };
        for (idx, rule) in pack.rules.iter().enumerate() {
            let lists = if rule.body.is_about_the_tree() {
                &mut pack.fact_rules
            } else {
                &mut pack.file_rules
            };
            for (_, place) in rule.body.places() {
                if lists[place.kind].last() != Some(&idx) {
                    lists[place.kind].push(idx);
                }
            }
        }
        pack.company = company(&pack.rules, &pack.tree_rules);
        pack
    }

    /// The pack's name: the `source` of its findings.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The pack's version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Stands for all files of the pack: equal exactly for equal files.
    pub fn fingerprint(&self) -> &[u8; 32] {
        &self.fingerprint
    }

    /// What the pack is for.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The semantic and policy rules, in the order of the pack. Schema rules are built in.
    pub fn rules(&self) -> Vec<RuleInfo> {
        let info = |rule: &Rule| RuleInfo {
            id: rule.id.clone(),
            tier: rule.tier,
            severity: rule.severity,
            kind: rule.body.name(),
            about: rule.about.clone(),
            safety: rule.body.own_safety().map(|own| crate::place::stricter(own, rule.floor)),
        };
        self.rules.iter().map(info).collect()
    }

    /// The names of the kinds, in order.
    pub fn kinds(&self) -> Vec<&str> {
        self.kinds.iter().map(|it| it.name.as_str()).collect()
    }

    /// Whether a file at this path may be of one of the kinds.
    pub fn may_concern(&self, path: &str) -> bool {
        !self.kinds_of_path(path).is_empty()
    }

    /// The kind of a file: the first whose globs match the path and whose discriminating value is there.
    pub fn kind_of(&self, path: &str, document: &Value) -> Option<&str> {
        self.kind_among(&self.kinds_of_path(path), document).map(|it| self.kinds[it].name.as_str())
    }

    /// The uid that a file states, if its kind says where.
    pub fn uid_of(&self, path: &str, document: &Value) -> Option<String> {
        let kind = self.kind_among(&self.kinds_of_path(path), document)?;
        match resolve(document, self.kinds[kind].uid.as_ref()?)? {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.text().to_owned()),
            _ => None,
        }
    }

    /// The pack's own page about a rule.
    pub(crate) fn page(&self, rule_id: &str) -> Option<&str> {
        self.pages.get(rule_id).map(String::as_str)
    }

    /// The kinds whose globs match, in order.
    pub(crate) fn kinds_of_path(&self, path: &str) -> Vec<usize> {
        let mut kinds: Vec<usize> = self.paths.index.owners(path).map(|it| it.1).collect();
        kinds.sort_unstable();
        kinds.dedup();
        // Kinds that are told apart by what files say often leave out the same.
        let mut last: Option<(usize, bool)> = None;
        kinds.retain(|kind| {
            let first = self.paths.leaving_out_as[*kind];
            let is_out = match last {
                Some((known, is_out)) if known == first => is_out,
                _ => self.kinds[*kind].globs.leaves_out(path),
            };
            last = Some((first, is_out));
            !is_out
        });
        kinds
    }

    /// The kinds whose files must be known to judge these files: those of the rules about the tree that look at a place in
    /// one of them, and of the rules in their company.
    pub(crate) fn kinds_to_compare(&self, files: &BTreeSet<RelPath>) -> BTreeSet<usize> {
        let mut kinds: BTreeSet<usize> = BTreeSet::new();
        let mut open: BTreeSet<usize> =
            files.iter().flat_map(|it| self.kinds_of_path(it.as_str())).collect();
        let kinds_of = |rule: usize| self.rules[rule].body.places().into_iter().map(|it| it.1.kind);
        let mut companies: BTreeSet<usize> = BTreeSet::new();
        while let Some(kind) = open.pop_first() {
            for &rule in &self.tree_rules {
                let company = self.company[rule];
                if companies.contains(&company) || !kinds_of(rule).any(|it| it == kind) {
                    continue;
                }
                companies.insert(company);
                let members = self.tree_rules.iter().filter(|it| self.company[**it] == company);
                let found: BTreeSet<usize> = members.flat_map(|it| kinds_of(*it)).collect();
                open.extend(found.difference(&kinds).copied());
                kinds.extend(found);
            }
        }
        kinds
    }

    pub(crate) fn kind_among(&self, kinds: &[usize], document: &Value) -> Option<usize> {
        let is_there = |has: &Pointer| resolve(document, has).is_some();
        let is_meant = |kind: &Kind| {
            kind.has.as_ref().is_none_or(is_there)
                && (kind.conditions.is_empty() || kind.conditions.hold_for(document))
        };
        kinds.iter().copied().find(|it| is_meant(&self.kinds[*it]))
    }

    /// Whether a rule needs a deep stack.
    pub(crate) fn has_guards(&self) -> bool {
        self.rules.iter().any(|it| matches!(it.body, Body::Cel(_)))
    }
}

impl std::fmt::Debug for Pack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pack({} {})", self.name, self.version)
    }
}

impl PathKinds {
    /// Puts the globs of all kinds together.
    pub(crate) fn new(kinds: &[Option<Kind>]) -> PathKinds {
        let mut index = PathIndex::default();
        for (idx, kind) in kinds.iter().enumerate() {
            for glob in kind.iter().flat_map(|it| &it.globs.includes) {
                index.add(glob.clone(), idx);
            }
        }
        let excludes = |idx: usize| kinds[idx].as_ref().map(|it| &it.globs.excludes);
        let first = |idx: usize| (0..idx).find(|it| excludes(*it) == excludes(idx)).unwrap_or(idx);
        // The last one is what most are like; a pack of thousands is not compared with itself.
        let mut leaving_out_as: Vec<usize> = Vec::with_capacity(kinds.len());
        for idx in 0..kinds.len() {
            let like_last = idx.checked_sub(1).filter(|it| excludes(*it) == excludes(idx));
            let is_small = kinds.len() <= MAX_COMPARED_KINDS;
            leaving_out_as.push(match like_last {
                Some(last) => leaving_out_as[last],
                None if is_small => first(idx),
                None => idx,
            });
        }
        PathKinds { index, leaving_out_as }
    }
}

/// Joins the rules that look at the same places.
fn company(rules: &[Rule], tree_rules: &[usize]) -> Vec<usize> {
    let mut company: Vec<usize> = (0..rules.len()).collect();
    if tree_rules.len() > MAX_COMPARED_RULES {
        let mut of_kind: BTreeMap<usize, usize> = BTreeMap::new();
        for &rule in tree_rules {
            for (_, place) in rules[rule].body.places() {
                let other = *of_kind.entry(place.kind).or_insert(rule);
                join(&mut company, rule, other);
            }
        }
    } else {
        for (n, &left) in tree_rules.iter().enumerate() {
            for &right in &tree_rules[..n] {
                let right_places = rules[right].body.places();
                let meet =
                    |left: &crate::place::Place| right_places.iter().any(|it| it.1.meets(left));
                if rules[left].body.places().iter().any(|it| meet(it.1)) {
                    join(&mut company, left, right);
                }
            }
        }
    }
    (0..rules.len()).map(|it| leader(&company, it)).collect()
}

fn leader(company: &[usize], mut rule: usize) -> usize {
    while company[rule] != rule {
        rule = company[rule];
    }
    rule
}

fn join(company: &mut [usize], left: usize, right: usize) {
    let (left, right) = (leader(company, left), leader(company, right));
    company[left.max(right)] = left.min(right);
}
