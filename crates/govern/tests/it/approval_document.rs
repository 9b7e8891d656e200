//! No text brings the reader of approvals down.

use std::sync::LazyLock;

use govern::approval::Document;
use proptest::prelude::{ProptestConfig, Strategy, any, prop, proptest};
use proptest::test_runner::RngSeed;

use crate::approval_support::World;

static DOCUMENT: LazyLock<String> = LazyLock::new(|| World::signed_by_alice().document.to_string());

/// Text that looks like what the readers read.
fn hostile() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a@b",
        " ",
        "\t",
        "\n",
        "\"",
        "\\",
        ",",
        "=",
        "namespaces",
        "valid-before",
        "cert-authority",
        "#",
        "!",
        "*",
        "ssh-ed25519",
        "AAAAC3NzaC1lZDI1NTE5AAAAIA==",
        "20260101Z",
        "{",
        "}",
        "[",
        "]",
        ":",
        "null",
        "\"dds\"",
        "\"signatures\"",
        "-----BEGIN SSH SIGNATURE-----",
        "-----END SSH SIGNATURE-----",
        "U1NIU0lH",
        "\u{0}",
        "é",
        "\u{feff}",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|it| it.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(6), failure_persistence: None, ..ProptestConfig::with_cases(500)
    })]

    #[test]
    fn no_text_panics(text in any::<String>(), hostile in hostile()) {
        for text in [&text, &hostile] {
            let _ = Document::read(text);
        }
    }

    #[test]
    fn no_cut_or_changed_document_panics(at in any::<prop::sample::Index>(), piece in hostile()) {
        let text = DOCUMENT.as_str();
        let at = at.index(text.len());
        let changed = format!("{}{piece}{}", &text[..at], &text[at..]);
        if let Ok(document) = Document::read(&changed) {
            assert_eq!(Document::read(&document.write()).unwrap(), document);
        }
        let _ = Document::read(&text[..at]);
    }
}
