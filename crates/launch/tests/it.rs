//! Programs that behave and programs that do not, at every level. Those at the level `bubblewrap` need the feature `live`.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod it {
    mod direct;
    mod hostile;
    mod search;
    mod session;
    mod view;
    mod world;
}
