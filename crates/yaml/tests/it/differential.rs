//! This reader beside granit-parser, which shares no code with it: the same events and the same refusals, but for the
//! classes of differences that `docs/decisions/0030-yaml-reader.md` lists.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag, options};
use proptest::prelude::*;
use yaml::{NodeKind, Options, Tree};

/// granit-parser ends the last line of a block scalar as the test suite does.
const LENIENT: Options = Options { break_at_end: true, ..Options::LENIENT };

/// The events of granit-parser, with anchors numbered.
fn theirs(text: &str, is_strict: bool) -> Result<String, String> {
    let options = options! {
        strict_indentation: is_strict,
        emit_anchor_events: false,
        emit_comments: false,
        flow_nesting_limit: 1000,
        block_nesting_limit: 1000,
    };
    let mut out = String::new();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        let (name, value, anchor, tag) = match event {
            // An empty node is reported as `~`.
            Event::Scalar(_, ScalarStyle::Plain, anchor, tag) if span.is_empty() => {
                ("=VAL", " :".to_owned(), anchor, tag)
            }
            Event::Scalar(value, style, anchor, tag) => {
                let sign = match style {
                    ScalarStyle::Plain => ':',
                    ScalarStyle::SingleQuoted => '\'',
                    ScalarStyle::DoubleQuoted => '"',
                    ScalarStyle::Literal => '|',
                    ScalarStyle::Folded => '>',
                };
                ("=VAL", format!(" {sign}{}", value.escape_debug()), anchor, tag)
            }
            Event::SequenceStart(style, anchor, tag) => (
                if style == StructureStyle::Flow { "+SEQ []" } else { "+SEQ" },
                String::new(),
                anchor,
                tag,
            ),
            Event::MappingStart(style, anchor, tag) => (
                if style == StructureStyle::Flow { "+MAP {}" } else { "+MAP" },
                String::new(),
                anchor,
                tag,
            ),
            Event::SequenceEnd => ("-SEQ", String::new(), 0, None),
            Event::MappingEnd => ("-MAP", String::new(), 0, None),
            Event::Alias(anchor) => ("=ALI", format!(" *{anchor}"), 0, None),
            Event::DocumentStart(true, _) => ("+DOC ---", String::new(), 0, None),
            Event::DocumentStart(false, _) => ("+DOC", String::new(), 0, None),
            Event::DocumentEnd => ("-DOC", String::new(), 0, None),
            _ => continue,
        };
        out.push_str(name);
        if anchor != 0 {
            let _ = write!(out, " &{anchor}");
        }
        if let Some(tag) = tag {
            let _ = write!(out, " <{}>", name_of(&tag));
        }
        let _ = writeln!(out, "{value}");
    }
    Ok(out)
}

fn name_of(tag: &Tag) -> String {
    format!("{}{}", tag.handle(), tag.suffix())
}

/// The events of this reader in the same notation.
fn ours(text: &str, options: &Options) -> Result<String, yaml::Error> {
    let tree = yaml::parse(text, options)?;
    check_laws(&tree, text);
    let mut out = String::new();
    for document in tree.documents() {
        let is_explicit = document.start_marker.is_some();
        out.push_str(if is_explicit { "+DOC ---\n" } else { "+DOC\n" });
        let mut open = Vec::new();
        for id in document.root..tree.skip(document.root) {
            close(&tree, &mut open, id, &mut out);
            let node = tree.nodes()[id as usize];
            let (name, sign) = match node.kind() {
                NodeKind::BlockMapping => ("+MAP", None),
                NodeKind::FlowMapping | NodeKind::FlowPair => ("+MAP {}", None),
                NodeKind::BlockSequence => ("+SEQ", None),
                NodeKind::FlowSequence => ("+SEQ []", None),
                NodeKind::Alias => ("=ALI", None),
                NodeKind::Empty | NodeKind::Plain => ("=VAL", Some(':')),
                NodeKind::SingleQuoted => ("=VAL", Some('\'')),
                NodeKind::DoubleQuoted => ("=VAL", Some('"')),
                NodeKind::Literal => ("=VAL", Some('|')),
                NodeKind::Folded => ("=VAL", Some('>')),
            };
            out.push_str(name);
            if let Some(target) = tree.target(id) {
                let _ = write!(out, " *{}", anchor_number(&tree, target));
            }
            if tree.properties(id).is_some_and(|it| !it.anchor.is_empty()) {
                let _ = write!(out, " &{}", anchor_number(&tree, id));
            }
            if let Some(tag) = tree.tag(document, id, text) {
                let _ = write!(out, " <{tag}>");
            }
            if let Some(sign) = sign {
                let _ = write!(out, " {sign}{}", node.value(text).escape_debug());
            }
            out.push('\n');
            if node.kind().is_collection() {
                open.push(id);
            }
        }
        close(&tree, &mut open, tree.skip(document.root), &mut out);
        out.push_str("-DOC\n");
    }
    Ok(out)
}

fn close(tree: &Tree, open: &mut Vec<u32>, next: u32, out: &mut String) {
    while let Some(id) = open.pop_if(|id| tree.skip(*id) <= next) {
        let is_mapping = tree.nodes()[id as usize].kind().is_mapping();
        out.push_str(if is_mapping { "-MAP\n" } else { "-SEQ\n" });
    }
}

/// Which anchor of the stream it is, from 1.
fn anchor_number(tree: &Tree, id: u32) -> usize {
    let with_anchor = tree.all_properties().iter().filter(|it| !it.anchor.is_empty());
    with_anchor.take_while(|it| it.node <= id).count()
}

/// Nodes lie in the text, in order, inside of what holds them.
pub(super) fn check_laws(tree: &Tree, text: &str) {
    let nodes = tree.nodes();
    for (id, node) in nodes.iter().enumerate() {
        let id = id as u32;
        let span = node.span();
        assert!(text.get(span.range()).is_some(), "{span:?} in {text:?}");
        let skip = tree.skip(id);
        assert!(skip > id && skip as usize <= nodes.len(), "{id} {skip} in {text:?}");
        if let Some(indicator) = tree.indicator(id) {
            assert!(indicator < tree.outer_start(id) || node.kind().is_collection(), "{text:?}");
            let byte = text.as_bytes()[indicator as usize];
            let is_right = match (node.is_key(), node.is_value()) {
                (true, _) => byte == b'?',
                (_, true) => byte == b':',
                _ => byte == b'-',
            };
            assert!(is_right, "{id}: {} in {text:?}", char::from(byte));
        }
        let mut n_children = 0;
        let mut end = span.start;
        for child in tree.children(id) {
            let inner = nodes[child as usize].span();
            assert!(
                tree.outer_start(child) >= end && inner.end <= span.end,
                "{id} {child} in {text:?}"
            );
            end = inner.end;
            let is_key = node.kind().is_mapping() && n_children % 2 == 0;
            assert_eq!(nodes[child as usize].is_key(), is_key, "{text:?}");
            assert_eq!(
                nodes[child as usize].is_value(),
                node.kind().is_mapping() && !is_key,
                "{text:?}"
            );
            n_children += 1;
        }
        assert!(!node.kind().is_mapping() || n_children % 2 == 0, "{text:?}");
        assert_eq!(tree.properties(id).is_some(), node.has_properties(), "{text:?}");
        if let Some(properties) = tree.properties(id) {
            assert!(properties.end() <= span.start, "{text:?}");
        }
    }
    assert!(tree.all_properties().is_sorted_by_key(|it| it.node), "{text:?}");
    assert!(tree.comments().is_sorted_by_key(|it| it.start), "{text:?}");
    for comment in tree.comments() {
        let written = text.get(comment.range()).unwrap_or_default();
        assert!(written.starts_with('#') && !written.contains(['\n', '\r']), "{text:?}");
    }
}

/// Why a difference is known: who refuses, and for what. The numbers are those of `docs/decisions/0030-yaml-reader.md`.
fn class(
    text: &str,
    is_strict: bool,
    ours: &Result<String, yaml::Error>,
    theirs: &Result<String, String>,
) -> Option<u8> {
    match (ours, theirs) {
        (Err(error), Ok(_)) => {
            let message = error.message.as_str();
            let line =
                text[..error.offset as usize].rsplit(['\n', '\r']).next().unwrap_or_default();
            let is = |start: &str| message.starts_with(start);
            let has_empty_key =
                line.trim_start_matches(['-', '?', ' ', '\u{FEFF}']).starts_with(':');
            match () {
                () if is("the character U+FEFF") => Some(1),
                () if message.contains("cannot start here") && line.contains('\t') => Some(2),
                () if message.contains("cannot start here") && has_empty_key => Some(3),
                () if is("expected a blank, found") => Some(4),
                () if message.contains("found `?`; the flow") => Some(5),
                () if is("expected spaces as indentation") => Some(6),
                () if is("expected the lines of the scalar") && line.contains('\t') => Some(6),
                () if is("expected the handle of a tag") => Some(7),
                () if !is_strict && is("expected the lines of the") => Some(12),
                () if message.contains("found `#`;") => Some(15),
                () if is("expected at most 0 spaces on a blank line") => Some(16),
                () if has_tabbed_comment(text) => Some(18),
                () if is_strict && has_tabbed_blank_line(text) => Some(14),
                () => None,
            }
        }
        (Ok(_), Err(error)) => {
            let is = |start: &str| error.starts_with(start);
            match () {
                () if is("a block scalar content cannot start with a tab") => Some(8),
                () if is("wrongly indented line in block scalar") => Some(9),
                () if is("unexpected EOF while parsing an implicit flow mapping") => Some(10),
                () if is("while parsing a flow mapping, did not find expected") => Some(10),
                () if is("while scanning a YAML directive, found extremely long") => Some(11),
                () if !is_strict && is("illegal placement of ':' indicator") => Some(12),
                () if is("unexpected character: `\\u{") => Some(13),
                () if is("while parsing a tag, found an incorrect") => Some(17),
                () if !is_strict && is("tab cannot be used as indentation") => Some(14),
                () => None,
            }
        }
        _ => None,
    }
}

/// Whether a comment stands behind a tab at the start of its line.
fn has_tabbed_comment(text: &str) -> bool {
    let is_tabbed = |line: &str| {
        let content = line.trim_start_matches([' ', '\t']);
        content.starts_with('#') && line[..line.len() - content.len()].contains('\t')
    };
    text.split(['\n', '\r']).any(is_tabbed)
}

/// Whether a line of blanks holds a tab.
fn has_tabbed_blank_line(text: &str) -> bool {
    text.split(['\n', '\r'])
        .any(|line| line.contains('\t') && line.trim_matches([' ', '\t']).is_empty())
}

/// How often each class of differences was seen, and what is in none.
#[derive(Default, Debug)]
struct Tally {
    known: BTreeMap<u8, usize>,
    unknown: Vec<String>,
}

impl Tally {
    #[track_caller]
    fn expect_known(&self) {
        let n_unknown = self.unknown.len();
        let first = &self.unknown[..n_unknown.min(20)];
        assert!(n_unknown == 0, "{n_unknown} differences of no class:\n{}", first.join("\n\n"));
    }
}

/// Both readers report the same, or differ in a known way.
fn check(name: &str, text: &str, tally: &mut Tally) {
    for options in [Options::STRICT, LENIENT] {
        let is_strict = options.strict_indentation;
        let (ours, theirs) = (ours(text, &options), theirs(text, is_strict));
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) if ours == theirs => continue,
            (Err(_), Err(_)) => continue,
            _ => {}
        }
        match class(text, is_strict, &ours, &theirs) {
            Some(class) => *tally.known.entry(class).or_default() += 1,
            None => tally.unknown.push(format!(
                "{name} {text:?} strict: {is_strict}\nours: {ours:?}\ntheirs: {theirs:?}"
            )),
        }
    }
}

/// `REGREEN_YAML_CASES` asks for more documents than every run reads, `REGREEN_YAML_SEED` for others.
#[test]
fn drawn_documents_read_alike() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse().ok());
    let n_cases = number("REGREEN_YAML_CASES").unwrap_or(20_000);
    let bases = bases();
    let mut rng = Rng(number("REGREEN_YAML_SEED").unwrap_or(0x5EED) | 1);
    let mut tally = Tally::default();
    for _ in 0..n_cases / 2 {
        check("generated", &generate(&mut rng), &mut tally);
        check("mutated", &mutate(&mut rng, &bases), &mut tally);
    }
    println!("{n_cases} documents, differences by class: {:?}", tally.known);
    tally.expect_known();
    assert!(
        tally.known.contains_key(&1),
        "the documents are too tame to show what is known: {tally:?}"
    );
}

/// The corpus of this project, the public suites beside it, and the files whose paths `REGREEN_YAML_FILES` lists, one a line.
#[test]
fn files_read_alike() {
    let mut tally = Tally::default();
    for text in bases() {
        check("base", &text, &mut tally);
    }
    let listed = std::env::var_os("REGREEN_YAML_FILES").map(std::fs::read_to_string);
    let listed = listed.transpose().expect("the list can be read").unwrap_or_default();
    let mut n_files = 0;
    for path in listed.lines() {
        if let Ok(text) = std::fs::read_to_string(path) {
            check(path, &text, &mut tally);
            n_files += 1;
        }
    }
    println!("{n_files} listed files, differences by class: {:?}", tally.known);
    tally.expect_known();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Of documents that differ, proptest finds the smallest.
    #[test]
    fn pieces_read_alike(pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..16)) {
        let mut tally = Tally::default();
        check("pieces", &pieces.concat(), &mut tally);
        tally.expect_known();
    }

    #[test]
    fn any_text_reads_alike(text in "[ -~\\n\\t]{0,40}") {
        let mut tally = Tally::default();
        check("text", &text, &mut tally);
        tally.expect_known();
    }
}

/// A generator of pseudo-random numbers (xorshift64*, Vigna 2016): the same documents on every machine.
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize) % n
    }
}

/// What documents are made of.
const PIECES: [&str; 64] = [
    "a",
    "b ",
    "- ",
    "? ",
    ": ",
    ":",
    "\n",
    "\n  ",
    "\n ",
    "\n    ",
    "[",
    "]",
    "{",
    "}",
    ",",
    ", ",
    "\"",
    "'",
    "|",
    "|-\n",
    "|+\n",
    ">",
    "&a ",
    "*a",
    "!t ",
    "!!str ",
    "#",
    " # c",
    "---",
    "...",
    "\n---\n",
    "\n...\n",
    "%YAML 1.2\n",
    "\t",
    "\\",
    "\\n",
    "x: y",
    "- z",
    "é",
    "\r\n",
    "&b\n",
    "1",
    "key: ",
    "\"q\"",
    "'s'",
    "''",
    "~",
    "=",
    "<<: ",
    "|2\n",
    ">1-\n  x\n",
    "-",
    "?",
    "\n- ",
    "\nk: ",
    "\n  k: ",
    "\n  - ",
    "[a, b]",
    "{a: b}",
    "*a ",
    "\u{FEFF}",
    "\r",
    " ",
    "\"a\nb\"",
];

fn generate(rng: &mut Rng) -> String {
    let n_pieces = 1 + rng.below(14);
    (0..n_pieces).map(|_| PIECES[rng.below(PIECES.len())]).collect()
}

/// The documents that are mutated: those of the public suite, where it is, and of the shipped corpus.
fn bases() -> Vec<String> {
    let shipped = fixture::corpus::shipped("yaml").into_iter().map(|(_, text)| text);
    let suite = fixture::yaml_suite::cases().unwrap_or_default().into_iter().map(|it| it.yaml);
    shipped.chain(suite).collect()
}

/// One of the documents with up to three faults, of at most some lines.
fn mutate(rng: &mut Rng, bases: &[String]) -> String {
    let base = &bases[rng.below(bases.len())];
    let lines: Vec<&str> = base.split_inclusive('\n').collect();
    let first = if lines.len() > 30 { rng.below(lines.len() - 20) } else { 0 };
    let mut text: Vec<char> =
        lines.iter().skip(first).take(30).flat_map(|line| line.chars()).collect();
    for _ in 0..=rng.below(3) {
        let at = rng.below(text.len() + 1);
        match rng.below(4) {
            0 if at < text.len() => {
                text.remove(at);
            }
            1 if at < text.len() => {
                let to = (at + 1 + rng.below(8)).min(text.len());
                text.drain(at..to);
            }
            2 => {
                let from = rng.below(text.len() + 1);
                let to = (from + rng.below(16)).min(text.len());
                let copied: Vec<char> = text[from..to].to_vec();
                text.splice(at..at, copied);
            }
            _ => {
                let piece = PIECES[rng.below(PIECES.len())];
                text.splice(at..at, piece.chars());
            }
        }
    }
    text.into_iter().collect()
}
