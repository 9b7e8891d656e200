//! The commands that look at the whole tree, through the one door, on real folders.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]
#![expect(clippy::disallowed_methods, reason = "tests make and read files")]

mod it {
    mod baseline;
    mod cache;
    mod check;
    mod config;
    mod fix;
    mod init;
    mod interactive;
    mod laws;
    mod live;
    mod one_loop;
    mod overlay;
    mod part;
    mod repair_reference;
    mod reports;
    mod setting;
    mod uids;
}
