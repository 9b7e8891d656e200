//! The rules on whole workspaces, through the engine. A case is a text with files and what is expected of them
//! (`fixture::case`): `keep/` has no finding, `fix/` is repaired, `refuse/` has a finding that only a person can settle.
//! What must hold whatever a case expects is in `laws`.
//!
//! `REGREEN_BLESS=1 cargo test -p regreen-pack --test it` writes the expectations anew; read what it wrote.
#![expect(clippy::disallowed_methods, reason = "cases are files")]

mod it {
    mod cases;
    mod coverage;
    mod laws;
    mod many;
    mod shipped;
    mod trial;
    mod workflows;
}
