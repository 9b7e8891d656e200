//! What is written is read back: the same bytes afterwards, on texts that positions trip over.

use edit::{Edit, EditSet, FileDiff, FileMode, Merge, Text};
use linters::Texts;
use linters::formats::{self, Exchange, Options, Written};
use proptest::prelude::*;
use snapshot::{Snapshot, TreeChange};

use super::support::{path, tree};

const NAME: &str = "dir/odd name ü%.txt";

fn change_of(
    text: &str,
    edits: &[(usize, usize, String)],
) -> Option<(Snapshot, TreeChange, Vec<u8>)> {
    let offset = |it: usize| u32::try_from(it).unwrap();
    let edits = edits
        .iter()
        .map(|(start, end, new)| Edit::replace(offset(*start), offset(*end), new.as_bytes()));
    let before = Text::new(text);
    let set = EditSet::new(&before, edits.collect()).ok()?;
    let after = set.apply(&before).ok()?.bytes().to_vec();
    let change =
        TreeChange::new([(path(NAME), set)].into(), [].into(), [].into(), [].into()).ok()?;
    Some((tree(&[(NAME, text)]), change, after))
}

/// The text after every fix of a document.
fn applied(format: Exchange, document: &[u8], before: &Snapshot) -> Vec<u8> {
    assert_eq!(formats::recognise(document), Some(format));
    let texts = Texts::new(before, "/ws");
    let report = formats::read(format, document, &texts, &Options::default()).unwrap();
    assert!(report.dropped.is_empty() && report.lost.is_empty(), "{report:?}");
    let text = before.file(&path(NAME)).unwrap().text();
    let mut merge = Merge::new(&text);
    for (nth, fix) in report.findings.iter().flat_map(|it| &it.fixes).enumerate() {
        merge.accept(nth, &fix.edits[&path(NAME)]).unwrap();
    }
    merge.finish().apply(&text).unwrap().bytes().to_vec()
}

fn check(text: &str, edits: &[(usize, usize, String)]) {
    let Some((before, change, after)) = change_of(text, edits) else { return };
    if change.is_empty() || after == text.as_bytes() {
        return;
    }
    for (written, format) in
        [(Written::Sarif, Exchange::Sarif), (Written::Rdjson, Exchange::Rdjson)]
    {
        match formats::write(written, &change, &before, "1") {
            Ok(document) => assert_eq!(
                String::from_utf8_lossy(&applied(format, document.as_bytes(), &before)),
                String::from_utf8_lossy(&after),
                "{document}"
            ),
            Err(refused) => assert!(text.starts_with('\u{feff}'), "{refused:?}"),
        }
    }
    for written in [Written::Github, Written::Suggestions] {
        assert!(!formats::write(written, &change, &before, "1").unwrap().is_empty());
    }
    let old = before.file(&path(NAME)).unwrap().text();
    let names = (NAME, FileMode::Regular);
    let file = FileDiff::Changed {
        old: names,
        new: names,
        text: &old,
        edits: &change.edits()[&path(NAME)],
    };
    let diff = edit::unified(&file).unwrap();
    assert_eq!(
        String::from_utf8_lossy(&applied(Exchange::UnifiedDiff, &diff, &before)),
        String::from_utf8_lossy(&after),
        "{}",
        String::from_utf8_lossy(&diff)
    );
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "é",
        "😀",
        "\n",
        "\r\n",
        "\t",
        "` `",
        "x y",
        "@@ -1 +1 @@",
        "%",
        "```",
    ]);
    (any::<bool>(), prop::collection::vec(piece, 0..14)).prop_map(|(has_bom, pieces)| {
        format!("{}{}", if has_bom { "\u{feff}" } else { "" }, pieces.concat())
    })
}

fn cases() -> impl Strategy<Value = (String, Vec<(usize, usize, String)>)> {
    (texts(), prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, texts()), 1..4))
        .prop_map(|(text, drawn)| {
            let places: Vec<usize> =
                text.char_indices().map(|it| it.0).chain([text.len()]).collect();
            let mut edits: Vec<(usize, usize, String)> = drawn
                .into_iter()
                .map(|(at, len, new)| {
                    let nth = at.index(places.len());
                    (
                        places[nth],
                        places[(nth + len).min(places.len() - 1)],
                        new.replace('\u{feff}', ""),
                    )
                })
                .collect();
            edits.sort();
            (text, edits)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(1), ..ProptestConfig::default() })]
    #[test]
    fn what_is_written_reads_back((text, edits) in cases()) {
        check(&text, &edits);
    }
}

#[test]
fn suggestions_replace_whole_lines_within_a_long_enough_fence() {
    let text = "one\ntwo ``` three\nfour";
    let edits = [(4, 7, "2".to_owned()), (18, 22, "4".to_owned())];
    let (before, change, _) = change_of(text, &edits).unwrap();
    let found = formats::write(Written::Suggestions, &change, &before, "1").unwrap();
    let name = "dir/odd name ü%.txt";
    assert_eq!(
        found,
        format!(
            "`{name}` line 2:\n\n````suggestion\n2 ``` three\n````\n\n`{name}` line 3:\n\n```suggestion\n4\n```\n"
        )
    );
}

#[test]
fn what_a_format_cannot_say_is_refused() {
    let added = snapshot::NewFile { text: Text::new("x"), mode: 0o644 };
    let change =
        TreeChange::new([].into(), [(path("new.txt"), added)].into(), [].into(), [].into())
            .unwrap();
    for written in [Written::Sarif, Written::Rdjson, Written::Github, Written::Suggestions] {
        let refused = formats::write(written, &change, &tree(&[]), "1").unwrap_err();
        assert_eq!(refused, ["new.txt is added, which this format cannot express"]);
    }
}
