//! Those that carry out operations on a document: regreen and the peers, one file each.

pub(crate) mod patchloom;
pub(crate) mod rapidyaml;
pub(crate) mod regreen;
pub(crate) mod reserialize;
pub(crate) mod ruamel;
pub(crate) mod yaml_editor;
