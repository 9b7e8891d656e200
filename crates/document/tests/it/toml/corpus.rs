//! The laws on the documents that ship with the project.

use document::Format;

use super::{judge, read};
use crate::it::laws::{self, Tally};

/// Every operation at every place gives the expected value or one of these refusals.
pub(super) fn check_tally(tally: &Tally, max_refused_percent: usize) {
    let allowed = [
        "TOML cannot express a document that is not a table",
        "TOML cannot express the comment of this line inside brackets",
        "TOML cannot express this value here with the comments inside it",
        "TOML cannot express two comments at the end of one line",
    ];
    for reason in tally.refused.keys() {
        assert!(allowed.contains(&reason.as_str()), "{reason}: {tally:#?}");
    }
    let refused: usize = tally.refused.values().sum();
    assert!(refused * 100 <= tally.done * max_refused_percent, "{tally:#?}");
}

#[test]
fn every_operation_on_the_shipped_documents_obeys_the_laws() {
    let mut tally = Tally::default();
    for (name, text) in fixture::corpus::shipped("toml") {
        let value = read(text.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let judged = judge(&text).unwrap_or_else(|| panic!("{name}: the second parser says no"));
        // The second parser keeps CRLF in strings.
        assert!(judged.equals(&value) || text.contains('\r'), "{name}: {judged:?}\n{value:?}");
        laws::check_every_op(&name, Format::Toml, &text, &judge, &mut tally);
    }
    assert!(tally.done > 2_500, "{tally:#?}");
    check_tally(&tally, 3);
}
