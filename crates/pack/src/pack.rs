//! A pack: kinds of files, their schemas, and rules about them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use check::{Safety, Severity, Tier};
use document::{Pointer, Value};
use edit::Text;
use snapshot::RelPath;

use crate::conditions::Conditions;
use crate::globs::FileGlobs;
use crate::load::{CompileWhen, KindSchema};
use crate::path_glob::{PathGlob, PathIndex};
use crate::pattern::resolve;
use crate::problem::PackProblem;
use crate::rules::{PackRule, RuleBody};

/// Up to so many rules, every two are compared to find which look at the same places; beyond, rules about one kind of
/// file are taken together.
const MAX_COMPARED_RULES: usize = 500;

/// A loaded pack. Every place of a rule is in one of its kinds, and every rule id is there once.
pub struct Pack {
    name: String,
    version: String,
    description: String,
    pub(crate) kinds: Vec<FileKind>,
    paths: PathKinds,
    pub(crate) rules: Vec<PackRule>,
    /// The rules that compare files, by position.
    pub(crate) tree_rules: Vec<usize>,
    /// Per kind, the rules that look at one file at a time.
    pub(crate) file_rules: Vec<Vec<usize>>,
    /// Per kind, the rules that compare files and have a place in it.
    pub(crate) occurrence_rules: Vec<Vec<usize>>,
    /// Per rule, the smallest rule that looks at the same places, also by way of others: a repair of one may concern
    /// the other.
    pub(crate) comparison_group: Vec<usize>,
    pages: BTreeMap<String, String>,
    fingerprint: [u8; 32],
}

/// A kind of file.
pub(crate) struct FileKind {
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
    /// Every kind by its globs.
    index: PathIndex,
    /// The different lists of globs after `!`; kinds that are told apart by what files say often share one.
    exclusions: Vec<Vec<PathGlob>>,
    /// For each kind, its list among them.
    exclusion_of: Vec<usize>,
}

/// What a rule is, for lists and pages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSummary {
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
        Pack::load_with(files, CompileWhen::Now)
    }

    pub(crate) fn load_with(
        files: &BTreeMap<String, Text>,
        compile: CompileWhen,
    ) -> Result<Pack, Vec<PackProblem>> {
        let pack = crate::load::load(files, compile)?;
        Ok(Pack { fingerprint: crate::cache::fingerprint(files), ..pack })
    }

    pub(crate) fn new(
        name: String,
        version: String,
        description: String,
        kinds: Vec<FileKind>,
        paths: PathKinds,
        rules: Vec<PackRule>,
        pages: BTreeMap<String, String>,
    ) -> Pack {
        let mut pack = Pack {
            name,
            version,
            description,
            tree_rules: (0..rules.len()).filter(|it| rules[*it].body.is_about_the_tree()).collect(),
            file_rules: vec![Vec::new(); kinds.len()],
            occurrence_rules: vec![Vec::new(); kinds.len()],
            comparison_group: Vec::new(),
            kinds,
            paths,
            rules,
            pages,
            fingerprint: [0; 32],
        };
        for (idx, rule) in pack.rules.iter().enumerate() {
            let lists = if rule.body.is_about_the_tree() {
                &mut pack.occurrence_rules
            } else {
                &mut pack.file_rules
            };
            for (_, place) in rule.body.places() {
                if lists[place.kind].last() != Some(&idx) {
                    lists[place.kind].push(idx);
                }
            }
        }
        pack.comparison_group = comparison_groups(&pack.rules, &pack.tree_rules);
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
    pub fn rules(&self) -> Vec<RuleSummary> {
        let info = |rule: &PackRule| RuleSummary {
            id: rule.id.clone(),
            tier: rule.tier,
            severity: rule.severity,
            kind: rule.body.name(),
            about: rule.about.clone(),
            safety: rule.body.own_safety().map(|own| crate::selector::stricter(own, rule.floor)),
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
        self.paths.of(path)
    }

    /// The kinds whose files must be known to judge these files: those of the rules about the tree that look at a place in
    /// one of them, and of the rules in their comparison groups.
    pub(crate) fn kinds_to_compare(&self, files: &BTreeSet<RelPath>) -> BTreeSet<usize> {
        let mut kinds: BTreeSet<usize> = BTreeSet::new();
        let mut open: BTreeSet<usize> =
            files.iter().flat_map(|it| self.kinds_of_path(it.as_str())).collect();
        let kinds_of = |rule: usize| self.rules[rule].body.places().into_iter().map(|it| it.1.kind);
        let mut groups: BTreeSet<usize> = BTreeSet::new();
        while let Some(kind) = open.pop_first() {
            for &rule in &self.tree_rules {
                let group = self.comparison_group[rule];
                if groups.contains(&group) || !kinds_of(rule).any(|it| it == kind) {
                    continue;
                }
                groups.insert(group);
                let members =
                    self.tree_rules.iter().filter(|it| self.comparison_group[**it] == group);
                let found: BTreeSet<usize> = members.flat_map(|it| kinds_of(*it)).collect();
                open.extend(found.difference(&kinds).copied());
                kinds.extend(found);
            }
        }
        kinds
    }

    pub(crate) fn kind_among(&self, kinds: &[usize], document: &Value) -> Option<usize> {
        let is_there = |has: &Pointer| resolve(document, has).is_some();
        let is_meant = |kind: &FileKind| {
            kind.has.as_ref().is_none_or(is_there)
                && (kind.conditions.is_empty() || kind.conditions.hold_for(document))
        };
        kinds.iter().copied().find(|it| is_meant(&self.kinds[*it]))
    }

    /// Whether a rule needs a deep stack.
    pub(crate) fn has_guards(&self) -> bool {
        self.rules.iter().any(|it| matches!(it.body, RuleBody::Cel(_)))
    }
}

impl std::fmt::Debug for Pack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pack({} {})", self.name, self.version)
    }
}

impl PathKinds {
    /// Puts the globs of all kinds together.
    pub(crate) fn new(kinds: &[Option<FileKind>]) -> PathKinds {
        let mut paths = PathKinds::default();
        let mut known: HashMap<&[PathGlob], usize> = HashMap::new();
        for (idx, kind) in kinds.iter().enumerate() {
            let globs = kind.as_ref().map(|it| &it.globs);
            for glob in globs.iter().flat_map(|it| &it.includes) {
                paths.index.add(glob.clone(), idx);
            }
            let excludes = globs.map_or(&[][..], |it| &it.excludes);
            let list = *known.entry(excludes).or_insert_with(|| {
                paths.exclusions.push(excludes.to_vec());
                paths.exclusions.len() - 1
            });
            paths.exclusion_of.push(list);
        }
        paths
    }

    /// The kinds whose globs match the path, in order.
    fn of(&self, path: &str) -> Vec<usize> {
        let mut kinds: Vec<usize> = self.index.owners(path).map(|it| it.1).collect();
        kinds.sort_unstable();
        kinds.dedup();
        // Each list is compared once while kinds in a row share it.
        let mut last: Option<(usize, bool)> = None;
        kinds.retain(|kind| {
            let list = self.exclusion_of[*kind];
            let is_out = match last {
                Some((known, is_out)) if known == list => is_out,
                _ => self.exclusions[list].iter().any(|it| it.matches(path)),
            };
            last = Some((list, is_out));
            !is_out
        });
        kinds
    }
}

/// Groups the rules that look at the same places, by union-find: every rule points to another one of its group, and the
/// smallest of a group is its root.
fn comparison_groups(rules: &[PackRule], tree_rules: &[usize]) -> Vec<usize> {
    let mut parents: Vec<usize> = (0..rules.len()).collect();
    if tree_rules.len() > MAX_COMPARED_RULES {
        let mut of_kind: BTreeMap<usize, usize> = BTreeMap::new();
        for &rule in tree_rules {
            for (_, place) in rules[rule].body.places() {
                let other = *of_kind.entry(place.kind).or_insert(rule);
                union(&mut parents, rule, other);
            }
        }
    } else {
        for (n, &left) in tree_rules.iter().enumerate() {
            for &right in &tree_rules[..n] {
                let right_places = rules[right].body.places();
                let meet = |left: &crate::selector::Selector| {
                    right_places.iter().any(|it| it.1.meets(left))
                };
                if rules[left].body.places().iter().any(|it| meet(it.1)) {
                    union(&mut parents, left, right);
                }
            }
        }
    }
    (0..rules.len()).map(|it| find_root(&parents, it)).collect()
}

fn find_root(parents: &[usize], mut rule: usize) -> usize {
    while parents[rule] != rule {
        rule = parents[rule];
    }
    rule
}

fn union(parents: &mut [usize], left: usize, right: usize) {
    let (left, right) = (find_root(parents, left), find_root(parents, right));
    parents[left.max(right)] = left.min(right);
}
