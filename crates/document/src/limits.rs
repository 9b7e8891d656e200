//! How much a hostile file may cost: every parser stops with a diagnostic at these bounds.

/// Bounds on what is parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of a text.
    pub max_bytes: usize,
    /// Containers inside containers.
    pub max_depth: usize,
    /// Nodes of a document after every alias is replaced by what it stands for.
    pub max_expanded_nodes: usize,
}

impl Limits {
    /// 64 MiB, 256 levels, 1,000,000 nodes after alias expansion.
    pub const DEFAULT: Limits =
        Limits { max_bytes: 64 << 20, max_depth: 256, max_expanded_nodes: 1_000_000 };
}
