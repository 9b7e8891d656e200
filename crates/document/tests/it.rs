//! The laws of documents: an operation either gives the value it should, with every other byte unchanged, or is
//! refused with a reason. `model` says what an operation means; `laws` tries every operation at every place.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops")]

mod it {
    mod json;
    mod laws;
    mod model;
    mod ops;
    mod toml;
    mod yaml;
}
