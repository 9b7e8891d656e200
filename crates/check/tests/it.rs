//! Comments in every language of the table.
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod it {
    mod guide;
    mod laws;
    mod real_files;
    mod samples;
}
