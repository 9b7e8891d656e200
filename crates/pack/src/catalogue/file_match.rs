//! The `fileMatch` patterns of catalogues, as editors read them: one without `/` is about a name in any folder, one with
//! `/` about the end of a path; `*` and `?` stay inside a name, `**` does not; `[ab]`, `{a,b}` and `!(a|b)` are known.
//!
//! Nothing is compiled: a catalogue has a thousand patterns and a workspace a few files that one of them is about, so a
//! pattern costs two comparisons until the end of a name fits. Matching is a table of what matches up to where, so that
//! no pattern costs more than its length times that of the path.

const MAX_PATTERN: usize = 512;
const MAX_BRACES: usize = 64;

/// One pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FileMatch {
    /// From the start of a path or of anything in it.
    segments: Vec<Segment>,
    /// What the name starts and ends with, whatever else.
    prefix: String,
    suffix: String,
    /// How many characters are no wildcards: what is more special wins.
    pub(super) weight: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Segment {
    /// Any number of folders.
    Folders,
    Name(Vec<Token>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Literal(char),
    AnyOne,
    Any,
    /// `[a-z]`, or with `true` none of these.
    Class(bool, Vec<(char, char)>),
    /// `!(a|b)`: anything that none of these matches whole.
    Not(Vec<Vec<Token>>),
}

impl FileMatch {
    /// The patterns that one text means; none if it is none.
    pub(super) fn parse(text: &str) -> Vec<FileMatch> {
        if text.is_empty() || text.len() > MAX_PATTERN {
            return Vec::new();
        }
        let mut texts = Vec::new();
        expand(text, &mut texts);
        texts.iter().filter_map(|it| FileMatch::of(it)).collect()
    }

    fn of(text: &str) -> Option<FileMatch> {
        let text = text.trim_start_matches("./").trim_start_matches('/');
        let mut segments = vec![Segment::Folders];
        for part in text.split('/').filter(|it| !it.is_empty()) {
            match part {
                "**" if segments.last() == Some(&Segment::Folders) => {}
                "**" => segments.push(Segment::Folders),
                name => segments.push(Segment::Name(tokens(name)?)),
            }
        }
        let Some(Segment::Name(name)) = segments.last() else { return None };
        let literal = |it: &Token| match it {
            Token::Literal(it) => Some(*it),
            _ => None,
        };
        let prefix: String = name.iter().map_while(literal).collect();
        let suffix: Vec<char> = name.iter().rev().map_while(literal).collect();
        let suffix = suffix.into_iter().rev().collect();
        let weight = segments.iter().map(|it| match it {
            Segment::Folders => 0,
            Segment::Name(tokens) => tokens.iter().filter_map(literal).count(),
        });
        Some(FileMatch { weight: weight.sum(), prefix, suffix, segments })
    }

    /// The name that the pattern is about, if it is one name in any folder.
    pub(super) fn name(&self) -> Option<&str> {
        match self.segments.as_slice() {
            [Segment::Folders, Segment::Name(tokens)] => {
                (self.prefix.chars().count() == tokens.len()).then_some(&self.prefix)
            }
            _ => None,
        }
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if !name.starts_with(&self.prefix) || !name.ends_with(&self.suffix) {
            return false;
        }
        let names: Vec<Vec<char>> = path.split('/').map(|it| it.chars().collect()).collect();
        // Which names can be next after the segments so far.
        let mut reached = vec![false; names.len() + 1];
        reached[0] = true;
        for segment in &self.segments {
            let mut next = vec![false; names.len() + 1];
            match segment {
                Segment::Folders => {
                    let mut is_past = false;
                    for (at, next) in next.iter_mut().enumerate() {
                        is_past |= reached[at];
                        *next = is_past;
                    }
                }
                Segment::Name(tokens) => {
                    for (at, name) in names.iter().enumerate().filter(|it| reached[it.0]) {
                        next[at + 1] = fits(tokens, name);
                    }
                }
            }
            reached = next;
        }
        reached[names.len()]
    }
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
                    let is_in = |it: &char| ranges.iter().any(|(low, high)| low <= it && it <= high);
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

/// The tokens of a name; `None` if a bracket is not closed.
fn tokens(text: &str) -> Option<Vec<Token>> {
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
            '!' if chars.get(at) == Some(&'(') => {
                let end = at + chars[at..].iter().position(|it| *it == ')')?;
                let inner: String = chars[at + 1..end].iter().collect();
                let choices = inner.split('|').map(self::tokens).collect::<Option<Vec<_>>>()?;
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
        let patterns = FileMatch::parse(pattern);
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

    #[test]
    fn a_hostile_pattern_costs_little_and_matches_nothing() {
        for bad in ["", "a/**", "**", "[", "a[b", "!(a", "!(!(a))", &"*a".repeat(400)] {
            check(bad, "a", false);
        }
        let long = "*a".repeat(200) + "b";
        check(&long, &"a".repeat(2000), false);
        assert!(FileMatch::parse(&"{a,b}".repeat(60)).len() <= 2 * MAX_BRACES);
    }

    #[test]
    fn a_plain_name_is_known_as_one() {
        assert_eq!(FileMatch::parse("fly.toml")[0].name(), Some("fly.toml"));
        assert_eq!(FileMatch::parse("**/fly.toml")[0].name(), Some("fly.toml"));
        assert_eq!(FileMatch::parse("*.toml")[0].name(), None);
        assert_eq!(FileMatch::parse("a/fly.toml")[0].name(), None);
    }
}
