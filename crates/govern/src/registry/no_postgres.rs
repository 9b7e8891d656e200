//! The registry on a PostgreSQL server, in a program that was built without the feature `postgres`: there is none.

use super::RegistryError;
use super::sql::Database;

pub(crate) fn open(_url: &str) -> Result<Box<dyn Database>, RegistryError> {
    Err(RegistryError::NoPostgres)
}

/// What reads URLs is not here either, and what is not read is not shown: any piece of it may be one of a password.
pub(crate) fn shown_url(_url: &str) -> String {
    "a PostgreSQL server".to_owned()
}
