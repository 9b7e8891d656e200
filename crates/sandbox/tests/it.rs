//! Jobs that behave and jobs that do not, at every level. The tests at the level `bubblewrap` need the
//! feature `live`.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod it {
    mod caller;
    mod hostile;
    mod machine;
    mod overlay;
    mod plain;
    mod refused;
    mod world;
}
