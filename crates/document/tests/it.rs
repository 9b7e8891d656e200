//! The laws of documents: an operation either gives the value it should, with every other byte unchanged, or is
//! refused with a reason. `model` says what an operation means; `laws` tries every operation at every place.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod it {
    mod comments;
    mod json;
    mod laws;
    mod locate;
    mod model;
    mod ops;
    mod reorder;
    mod sizes;
    mod toml;
    mod yaml;
}
