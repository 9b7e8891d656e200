//! What real tools printed, read by their adapters: fixtures that `live/record.py` made, and samples of formats.
#![expect(clippy::disallowed_methods, reason = "fixtures are files")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod it {
    mod formats;
    mod hostile;
    #[cfg(feature = "live")]
    mod live;
    mod probes;
    mod recorded;
    pub(crate) mod support;
    mod written;
}
