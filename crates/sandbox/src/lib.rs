//! Runs a program of somebody else inside a scope that the kernel enforces.
//!
//! Knows nothing about records, workspaces or what the program is for.
#![warn(missing_docs)]
