//! Nothing: this package exists for its lock file, which says by hash which public suites `cargo xtask corpora` fetches.
