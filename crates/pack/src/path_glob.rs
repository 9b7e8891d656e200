//! Globs over paths: those of packs and configurations, which start at the root, and the `fileMatch` patterns of catalogues
//! as editors read them, which mean the end of a path. `*` and `?` stay inside a name, `**` does not; `[ab]` and `{a,b}` are
//! known, and in catalogues `!(a|b)`.
//!
//! Nothing is compiled: there are hundreds of patterns and a workspace has a few files that one of them is about, so a
//! pattern costs two comparisons until the end of a name fits, and one that is a plain name is looked up. Matching is a
//! table of what matches up to where, so that no pattern costs more than its length times that of the path.

use std::collections::BTreeMap;

/// Longer patterns are none.
pub(crate) const MAX_PATTERN: usize = 512;
const MAX_BRACES: usize = 64;

/// One pattern.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PathGlob {
    /// From the start of a path or of anything in it.
    segments: Vec<Segment>,
    /// What the name starts and ends with, whatever else.
    prefix: String,
    suffix: String,
    /// How many characters are not wildcards: what is more special wins.
    pub(crate) weight: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Segment {
    /// Any number of folders.
    Folders,
    Name(NameGlob),
}

/// What one name is compared with: most patterns need no table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum NameGlob {
    Literal(String),
    /// Something between a start and an end.
    Around(String, String),
    Tokens(Vec<Token>),
}

impl NameGlob {
    fn of(tokens: Vec<Token>) -> NameGlob {
        let text =
            |tokens: &[Token]| -> Option<String> { tokens.iter().map(Token::literal).collect() };
        let mut parts = tokens.splitn(2, |it| *it == Token::Any).map(text);
        match (parts.next(), parts.next()) {
            (Some(Some(literal)), None) => NameGlob::Literal(literal),
            (Some(Some(start)), Some(Some(end))) => NameGlob::Around(start, end),
            _ => NameGlob::Tokens(tokens),
        }
    }

    fn fits(&self, name: &str) -> bool {
        match self {
            NameGlob::Literal(it) => it == name,
            NameGlob::Around(start, end) => {
                name.len() >= start.len() + end.len()
                    && name.starts_with(start.as_str())
                    && name.ends_with(end.as_str())
            }
            NameGlob::Tokens(tokens) => fits(tokens, &name.chars().collect::<Vec<char>>()),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Token {
    Literal(char),
    AnyOne,
    Any,
    /// `[a-z]`, or with `true` none of these.
    Class(bool, Vec<(char, char)>),
    /// `!(a|b)`: anything that none of these matches whole.
    Not(Vec<Vec<Token>>),
}

impl Token {
    fn literal(&self) -> Option<char> {
        match self {
            Token::Literal(it) => Some(*it),
            _ => None,
        }
    }
}

impl PathGlob {
    /// The patterns that one text of a catalogue means; none if it is none.
    pub(crate) fn anywhere(text: &str) -> Vec<PathGlob> {
        PathGlob::parse(text, Start::Anywhere)
    }

    /// The patterns that a glob from the root means; none if it is none.
    pub(crate) fn from_root(text: &str) -> Vec<PathGlob> {
        PathGlob::parse(text, Start::Root)
    }

    fn parse(text: &str, start: Start) -> Vec<PathGlob> {
        if text.is_empty() || text.len() > MAX_PATTERN {
            return Vec::new();
        }
        let mut texts = Vec::new();
        expand(text, &mut texts);
        texts.iter().filter_map(|it| PathGlob::of(it, start)).collect()
    }

    fn of(text: &str, start: Start) -> Option<PathGlob> {
        let mut segments = Vec::new();
        let mut last = Vec::new();
        let mut weight = 0;
        let text = match start {
            Start::Root => text,
            Start::Anywhere => {
                segments.push(Segment::Folders);
                text.trim_start_matches("./").trim_start_matches('/')
            }
        };
        for part in text.split('/').filter(|it| !it.is_empty()) {
            match part {
                "**" if segments.last() == Some(&Segment::Folders) => {}
                "**" => segments.push(Segment::Folders),
                name => {
                    last = tokens(name, start)?;
                    weight += last.iter().filter_map(Token::literal).count();
                    segments.push(Segment::Name(NameGlob::of(last.clone())));
                }
            }
        }
        // `a/**` is everything beneath `a`.
        if start == Start::Root && segments.last() == Some(&Segment::Folders) {
            last = vec![Token::Any];
            segments.push(Segment::Name(NameGlob::of(last.clone())));
        }
        let Some(Segment::Name(_)) = segments.last() else { return None };
        let prefix: String = last.iter().map_while(Token::literal).collect();
        let suffix: Vec<char> = last.iter().rev().map_while(Token::literal).collect();
        let suffix = suffix.into_iter().rev().collect();
        Some(PathGlob { weight, prefix, suffix, segments })
    }

    /// The name that the pattern is about, if it is one name in any folder.
    pub(crate) fn name(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [Segment::Folders, Segment::Name(NameGlob::Literal(name))] => Some(name),
            _ => None,
        }
    }

    pub(crate) fn matches(&self, path: &str) -> bool {
        self.matches_named(path, name_of(path))
    }

    /// The same for who knows the name of the path, which is its end.
    fn matches_named(&self, path: &str, name: &str) -> bool {
        if !name.starts_with(&self.prefix) || !name.ends_with(&self.suffix) {
            return false;
        }
        if let [Segment::Folders, Segment::Name(glob)] = self.segments.as_slice() {
            return glob.fits(name);
        }
        // What folders stand for is found as in any text with wildcards: where a later segment does not fit, the last `**`
        // takes one more name.
        let names: Vec<&str> = path.split('/').collect();
        let (mut at, mut segment) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        while at < names.len() {
            match self.segments.get(segment) {
                Some(Segment::Folders) => {
                    segment += 1;
                    retry = Some((segment, at));
                }
                Some(Segment::Name(glob)) if glob.fits(names[at]) => {
                    segment += 1;
                    at += 1;
                }
                _ => {
                    let Some((next, from)) = retry else { return false };
                    (segment, at) = (next, from + 1);
                    retry = Some((next, from + 1));
                }
            }
        }
        self.segments[segment..].iter().all(|it| *it == Segment::Folders)
    }
}

/// Which of many a path belongs to.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathIndex {
    by_name: BTreeMap<String, Vec<usize>>,
    /// Each pattern once: many kinds are told apart by what files say, not by their names.
    others: Vec<(PathGlob, Vec<usize>)>,
}

impl PathIndex {
    pub(crate) fn add(&mut self, pattern: PathGlob, owner: usize) {
        match pattern.name() {
            Some(name) => self.by_name.entry(name.to_owned()).or_default().push(owner),
            None => match self.others.iter_mut().find(|it| it.0 == pattern) {
                Some((_, owners)) => owners.push(owner),
                None => self.others.push((pattern, vec![owner])),
            },
        }
    }

    /// The owners of the patterns that match, each with the weight of the pattern; in no order, and as often as they match.
    pub(crate) fn owners<'a>(&'a self, path: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
        let name = name_of(path);
        let by_name = self.by_name.get(name).into_iter().flatten();
        let by_name = by_name.map(|it| (name.chars().count(), *it));
        let others = self.others.iter().filter(|it| it.0.matches_named(path, name));
        by_name.chain(others.flat_map(|(it, all)| all.iter().map(|owner| (it.weight, *owner))))
    }
}

fn name_of(path: &str) -> &str {
    memchr::memrchr(b'/', path.as_bytes()).map_or(path, |slash| &path[slash + 1..])
}

/// Whether the tokens match all of the text.
fn fits(tokens: &[Token], text: &[char]) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for token in tokens {
        let mut next = vec![false; text.len() + 1];
        for at in (0..=text.len()).filter(|it| reached[*it]) {
            match token {
                Token::Literal(it) => set(&mut next, at + 1, text.get(at) == Some(it)),
                Token::AnyOne => set(&mut next, at + 1, at < text.len()),
                Token::Any => next[at..].fill(true),
                Token::Class(is_inverse, ranges) => {
                    let is_in =
                        |it: &char| ranges.iter().any(|(low, high)| low <= it && it <= high);
                    set(&mut next, at + 1, text.get(at).is_some_and(|it| is_in(it) != *is_inverse));
                }
                Token::Not(choices) => {
                    for end in at..=text.len() {
                        let is_one = choices.iter().any(|it| fits(it, &text[at..end]));
                        set(&mut next, end, !is_one);
                    }
                }
            }
        }
        reached = next;
    }
    reached[text.len()]
}

fn set(next: &mut [bool], at: usize, is_reached: bool) {
    if let Some(next) = next.get_mut(at) {
        *next |= is_reached;
    }
}

/// Where a pattern starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Root,
    Anywhere,
}

/// The tokens of a name; `None` if a bracket is not closed.
fn tokens(text: &str, start: Start) -> Option<Vec<Token>> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&it) = chars.get(at) {
        at += 1;
        match it {
            '*' if tokens.last() == Some(&Token::Any) => {}
            '*' => tokens.push(Token::Any),
            '?' => tokens.push(Token::AnyOne),
            '[' => {
                let end = at + chars[at..].iter().skip(1).position(|it| *it == ']')? + 1;
                tokens.push(class(&chars[at..end]));
                at = end + 1;
            }
            '!' if start == Start::Anywhere && chars.get(at) == Some(&'(') => {
                let end = at + chars[at..].iter().position(|it| *it == ')')?;
                let inner: String = chars[at + 1..end].iter().collect();
                let choices = inner
                    .split('|')
                    .map(|it| self::tokens(it, start))
                    .collect::<Option<Vec<_>>>()?;
                // One inside another would be another language.
                let is_flat = |it: &Vec<Token>| !it.iter().any(|it| matches!(it, Token::Not(_)));
                tokens.push(Token::Not(Some(choices).filter(|it| it.iter().all(is_flat))?));
                at = end + 1;
            }
            it => tokens.push(Token::Literal(it)),
        }
    }
    Some(tokens)
}

fn class(chars: &[char]) -> Token {
    let is_inverse = matches!(chars.first(), Some('!' | '^'));
    let mut ranges = Vec::new();
    let mut rest = if is_inverse { &chars[1..] } else { chars };
    while let [low, others @ ..] = rest {
        rest = match others {
            ['-', high, after @ ..] => {
                ranges.push((*low, *high));
                after
            }
            after => {
                ranges.push((*low, *low));
                after
            }
        };
    }
    Token::Class(is_inverse, ranges)
}

/// Replaces `{a,b}` by each of its choices.
fn expand(text: &str, out: &mut Vec<String>) {
    let mut open = vec![text.to_owned()];
    while let Some(text) = open.pop() {
        let braces = text.find('{').and_then(|start| {
            let end = start + text[start..].find('}')?;
            (!text[start + 1..end].contains('{')).then_some((start, end))
        });
        match braces {
            Some((start, end)) if open.len() + out.len() < MAX_BRACES => {
                let choices: Vec<&str> = text[start + 1..end].split(',').collect();
                for choice in choices.into_iter().rev().take(MAX_BRACES) {
                    open.push(format!("{}{choice}{}", &text[..start], &text[end + 1..]));
                }
            }
            _ => out.push(text),
        }
        if out.len() >= MAX_BRACES {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(pattern: &str, path: &str, expected: bool) {
        let patterns = PathGlob::anywhere(pattern);
        assert_eq!(patterns.iter().any(|it| it.matches(path)), expected, "{pattern} {path}");
    }

    #[test]
    fn patterns_mean_what_editors_take_them_for() {
        check("fly.toml", "fly.toml", true);
        check("fly.toml", "a/b/fly.toml", true);
        check("fly.toml", "myfly.toml", false);
        check("*.sergen.json", "x/a.sergen.json", true);
        check("**/sites/*/config.yml", "web/sites/a/config.yml", true);
        check("**/sites/*/config.yml", "sites/a/b/config.yml", false);
        check(".github/workflows/*.yml", "x/.github/workflows/ci.yml", true);
        check("**/.gitea/ISSUE_TEMPLATE/**.yml", ".gitea/ISSUE_TEMPLATE/a.yml", true);
        check("**/ISSUE_TEMPLATE/!(config).yml", ".github/ISSUE_TEMPLATE/bug.yml", true);
        check("**/ISSUE_TEMPLATE/!(config).yml", ".github/ISSUE_TEMPLATE/config.yml", false);
        check("**/manifests/?/*/x.yaml", "manifests/a/b/x.yaml", true);
        check("**/manifests/?/*/x.yaml", "manifests/ab/b/x.yaml", false);
        check("{a,b}.{json,yaml}", "b.yaml", true);
        check("{a,b}.{json,yaml}", "c.yaml", false);
        check("[a-c]x.json", "bx.json", true);
        check("[!a-c]x.json", "bx.json", false);
        check("./a/b.json", "c/a/b.json", true);
        check("a/**/b.json", "a/b.json", true);
        check("a/**/b.json", "x/a/q/r/b.json", true);
    }

    /// What the glob library says of the same patterns, from the root.
    #[test]
    fn globs_mean_what_the_library_takes_them_for() {
        let globs = [
            "*.yaml",
            "**/*.yaml",
            "a/**",
            "a/**/b.yaml",
            "a/*/b.yaml",
            "{a,b}/*.{yaml,json}",
            "**/a/**/*.json",
            "[ab]/?.yaml",
            "[!a]/x.yaml",
            "a/b.yaml",
            "**",
            "*",
            "a/b*",
            "!(a).yaml",
        ];
        let paths = [
            "a.yaml",
            "x.yaml",
            "a/b.yaml",
            "a/x.yaml",
            "b/x.yaml",
            "a/c/b.yaml",
            "a/c/d/b.yaml",
            "c/a/x.json",
            "c/a/d/e/x.json",
            "a",
            "a/b",
            "!(a).yaml",
            "b/xy.yaml",
            "a/b/c",
        ];
        for text in globs {
            let library = globset::GlobBuilder::new(text).literal_separator(true).build();
            let library = library.unwrap().compile_matcher();
            let own = PathGlob::from_root(text);
            for path in paths {
                let is_own = own.iter().any(|it| it.matches(path));
                assert_eq!(is_own, library.is_match(path), "{text} {path}");
            }
        }
    }

    #[test]
    fn a_hostile_pattern_costs_little_and_matches_nothing() {
        for bad in ["", "a/**", "**", "[", "a[b", "!(a", "!(!(a))", &"*a".repeat(400)] {
            check(bad, "a", false);
        }
        let long = "*a".repeat(200) + "b";
        check(&long, &"a".repeat(2000), false);
        assert!(PathGlob::anywhere(&"{a,b}".repeat(60)).len() <= 2 * MAX_BRACES);
    }

    #[test]
    fn a_plain_name_is_known_as_one() {
        assert_eq!(PathGlob::anywhere("fly.toml")[0].name(), Some("fly.toml"));
        assert_eq!(PathGlob::anywhere("**/fly.toml")[0].name(), Some("fly.toml"));
        assert_eq!(PathGlob::anywhere("*.toml")[0].name(), None);
        assert_eq!(PathGlob::anywhere("a/fly.toml")[0].name(), None);
    }
}
