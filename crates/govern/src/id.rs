//! Names of records. Two forms are minted and may be added; every other form is legacy and can only be read.

use std::fmt;

/// The name of a record: one line of at most 200 characters, never empty. Ordered by its bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Id(String);

/// What the form of a name says about its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum IdForm {
    /// `DDS-YYYYMMDD-CODE-NNN`
    CodeChange,
    /// `DDS-FIX-YYYYMMDD-NNN`
    CodeFix,
    /// Anything else: read and import only.
    Legacy,
}

/// Why a string names no record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdError {
    /// The empty string.
    #[error("an id must not be empty")]
    Empty,
    /// More than 200 characters.
    #[error("an id has at most 200 characters")]
    TooLong,
    /// Line ends and other control characters.
    #[error("an id must not contain control characters")]
    Control,
}

impl Id {
    /// Takes the string as it is, whatever its form.
    pub fn parse(id: &str) -> Result<Id, IdError> {
        if id.is_empty() {
            return Err(IdError::Empty);
        }
        if id.chars().count() > 200 {
            return Err(IdError::TooLong);
        }
        if id.chars().any(char::is_control) {
            return Err(IdError::Control);
        }
        Ok(Id(id.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Which of the forms it has.
    pub fn form(&self) -> IdForm {
        let parts: Vec<&str> = self.0.split('-').collect();
        let digits =
            |text: &str, n: usize| text.len() == n && text.bytes().all(|it| it.is_ascii_digit());
        match parts.as_slice() {
            ["DDS", day, "CODE", n] if digits(day, 8) && digits(n, 3) => IdForm::CodeChange,
            ["DDS", "FIX", day, n] if digits(day, 8) && digits(n, 3) => IdForm::CodeFix,
            _ => IdForm::Legacy,
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All 999 names of one form and day are taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "all 999 ids of the form {prefix}NNN are taken; try again tomorrow, or give the record an id"
)]
pub struct NoFreeId {
    /// What the names start with.
    pub prefix: String,
}

/// What minted names of a form start with on a day that is written `YYYYMMDD`; `None` for the legacy form.
pub fn minted_prefix(form: IdForm, day: &str) -> Option<String> {
    match form {
        IdForm::CodeChange => Some(format!("DDS-{day}-CODE-")),
        IdForm::CodeFix => Some(format!("DDS-FIX-{day}-")),
        IdForm::Legacy => None,
    }
}

/// The name after the highest one of those taken that start with the prefix. Gaps are not filled: a name that was
/// once in a log never comes to mean another record.
pub fn mint(prefix: &str, taken: &[Id]) -> Result<Id, NoFreeId> {
    let highest = taken
        .iter()
        .filter_map(|it| it.as_str().strip_prefix(prefix))
        .filter(|it| it.len() == 3 && it.bytes().all(|digit| digit.is_ascii_digit()))
        .filter_map(|it| it.parse::<u32>().ok())
        .max()
        .unwrap_or(0);
    if highest >= 999 {
        return Err(NoFreeId { prefix: prefix.to_owned() });
    }
    Ok(Id(format!("{prefix}{:03}", highest + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(id: &str) -> IdForm {
        Id::parse(id).unwrap().form()
    }

    /// DF-1, DF-22, X-29.
    #[test]
    fn forms_are_told_apart_to_the_letter() {
        assert_eq!(form("DDS-20260202-CODE-001"), IdForm::CodeChange);
        assert_eq!(form("DDS-FIX-20260202-001"), IdForm::CodeFix);
        for legacy in [
            "DDS-20260202153045",
            "DDS-GEN-17",
            "DDS-FIX-20260202T153045-001",
            "DDS-FIX-20260202-01",
            "DDS-FIX-20260202-0001",
            "DDS-FIX-2026020x-001",
            "dds-fix-20260202-001",
            "DDS-FIX-20260202-001 ",
            "DDS-FIX-20260202-001-",
            "DDS-FIX-２０２６０２０２-001",
            "DDS-20260202-CODE-1",
            "a free text",
        ] {
            assert_eq!(form(legacy), IdForm::Legacy, "{legacy}");
        }
    }

    #[test]
    fn no_name_is_empty_long_or_of_two_lines() {
        assert_eq!(Id::parse(""), Err(IdError::Empty));
        assert_eq!(Id::parse("a\nb"), Err(IdError::Control));
        assert_eq!(Id::parse(&"x".repeat(201)), Err(IdError::TooLong));
    }

    #[test]
    fn the_next_name_follows_the_highest_and_ends_at_999() {
        let ids = |all: &[&str]| all.iter().map(|it| Id::parse(it).unwrap()).collect::<Vec<_>>();
        let prefix = minted_prefix(IdForm::CodeFix, "20260202").unwrap();
        let taken = ids(&["DDS-FIX-20260202-001", "DDS-FIX-20260202-007", "DDS-FIX-20260203-050"]);
        assert_eq!(mint(&prefix, &taken).unwrap().as_str(), "DDS-FIX-20260202-008");
        assert_eq!(mint(&prefix, &[]).unwrap().as_str(), "DDS-FIX-20260202-001");
        assert!(mint(&prefix, &ids(&["DDS-FIX-20260202-999"])).is_err());
        // A text that a number parser would take as well is not a name of the form.
        assert_eq!(
            mint(&prefix, &ids(&["DDS-FIX-20260202-+99"])).unwrap().as_str(),
            "DDS-FIX-20260202-001"
        );
    }
}
