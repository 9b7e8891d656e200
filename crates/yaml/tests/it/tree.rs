//! The arena: kinds, places, indicators, comments and links, as text.

use std::fmt::Write as _;

use yaml::Options;

/// One line per node: depth, kind, what is written there, and what is known beside it.
fn render(text: &str) -> String {
    let tree = yaml::parse(text, &Options::STRICT).expect(text);
    let mut out = String::new();
    let mut ends: Vec<u32> = Vec::new();
    for (id, node) in tree.nodes().iter().enumerate() {
        let id = id as u32;
        while ends.pop_if(|end| *end <= id).is_some() {}
        let role = if node.is_key() {
            "key "
        } else if node.is_value() {
            "value "
        } else {
            ""
        };
        let _ = write!(
            out,
            "{}{role}{:?} {:?}",
            "  ".repeat(ends.len()),
            node.kind(),
            &text[node.span().range()]
        );
        if let Some(at) = tree.indicator(id) {
            let _ = write!(out, " after {:?} at {at}", &text[at as usize..=at as usize]);
        }
        if let Some(properties) = tree.properties(id) {
            let _ = write!(
                out,
                " with {:?} {:?}",
                &text[properties.anchor.range()],
                &text[properties.tag.range()]
            );
        }
        if let Some(target) = tree.target(id) {
            let _ = write!(out, " to {target}");
        }
        if let Some(indent) = node.content_indent() {
            let _ = write!(out, " indented {indent}");
        }
        out.push('\n');
        if node.kind().is_collection() {
            ends.push(tree.skip(id));
        }
    }
    for comment in tree.comments() {
        let _ = writeln!(out, "comment {:?}", &text[comment.range()]);
    }
    for document in tree.documents() {
        let marker = |span: Option<yaml::Span>| span.map(|it| it.start);
        let n_directives = document.directives.len();
        let (start, end) = (marker(document.start_marker), marker(document.end_marker));
        let _ = writeln!(
            out,
            "document {} markers {start:?} {end:?} directives {n_directives}",
            document.root
        );
    }
    out
}

#[test]
fn block_collections() {
    insta::assert_snapshot!(render(
        "# top\na: 1 # one\nb:\n- x\n-\n- - y\n  - z: 1\n    w:\n? k\n: v\n? lone\n: e\n"
    ));
}

#[test]
fn flow_collections() {
    insta::assert_snapshot!(render(
        "a: [1, {b: c, \"d\":e, f}, g: h, [i]: j, ? k : l, : m]\n[x, y]: z\n"
    ));
}

#[test]
fn scalars() {
    insta::assert_snapshot!(render(
        "a: one\n  two\nb: 'it''s'\nc: \"q\\n\"\nd: |\n  x\n\n   y\n\ne: >2-\n   z\n\nf: |+\n  k\n\n"
    ));
}

#[test]
fn properties_and_aliases() {
    insta::assert_snapshot!(render(
        "&a !!map\n&k key: &v !t [ *k ]\nb: &e\nc: *v\n*k : 1\n&s [&i x, *s]: *i\n"
    ));
}

#[test]
fn several_documents() {
    insta::assert_snapshot!(render(
        "%YAML 1.2\n%TAG !e! x:\n--- a\n...\n# between\nb: 1\n---\n---\n- c\n"
    ));
}

/// The indicator of a node may stand so far before it that 16 bits do not say how far.
#[test]
fn an_indicator_may_be_far_away() {
    for value in ["b", "[b]", "[b]: c", "&x\n  [b]: c"] {
        let gap = "\n".repeat(70_000);
        let text = format!("a:{gap}  {value}\nd: e\n");
        let tree = yaml::parse(&text, &Options::STRICT).expect("it is YAML");
        assert_eq!(tree.indicator(2), Some(1), "{value}");
        super::differential::check_laws(&tree, &text);
    }
}

/// What a node stands for is borrowed where it is written as it is meant.
#[test]
fn values_are_borrowed_where_they_can_be() {
    let text = "[a b, 'c', \"d\", 'it''s', \"\\n\", 1e3]";
    let tree = yaml::parse(text, &Options::STRICT).expect("it is YAML");
    let values: Vec<(String, bool)> = tree.nodes()[1..]
        .iter()
        .map(|node| {
            (
                node.value(text).into_owned(),
                matches!(node.value(text), std::borrow::Cow::Borrowed(_)),
            )
        })
        .collect();
    let expected =
        [("a b", true), ("c", true), ("d", true), ("it's", false), ("\n", false), ("1e3", true)];
    let expected: Vec<(String, bool)> =
        expected.iter().map(|(it, is)| ((*it).to_owned(), *is)).collect();
    assert_eq!(values, expected);
}
