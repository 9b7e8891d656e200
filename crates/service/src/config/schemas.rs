//! `[[schema]]`: the schemas of files that do not name theirs; and `[schemas]`: where a catalogue is taken from.

use document::{Pointer, Value};
use pack::{Conditions, FileGlobs, MappedSchema, Mapping};
use snapshot::RelPath;

use crate::config::members::{ConfigProblems, ConfigTable, list_of_strings};

const MAX_MAPPINGS: usize = 1000;

/// The mappings, in order: the first that fits a file counts.
pub(super) fn read_mappings(
    value: &Value,
    at: &Pointer,
    problems: &mut ConfigProblems<'_>,
) -> Vec<Mapping> {
    let Value::Array(items) = value else {
        problems.wrong_type(at, value, "a list of tables, each `[[schema]]`");
        return Vec::new();
    };
    if items.len() > MAX_MAPPINGS {
        problems.error(at, format!("expected at most {MAX_MAPPINGS} of these"));
        return Vec::new();
    }
    let read = |(nth, value)| read_mapping(value, &at.join(usize::to_string(&nth)), problems);
    items.iter().enumerate().filter_map(read).collect()
}

fn read_mapping(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Option<Mapping> {
    let mut section = ConfigTable::open(value, at, "a table", problems)?;
    let mut files = FileGlobs::default();
    match section.take("files") {
        Some((value, at)) => {
            for (glob, at) in list_of_strings(value, &at, "a list of globs", problems) {
                if let Err(reason) = files.add(&glob) {
                    problems.error(&at, reason);
                }
            }
        }
        None => {
            problems.error(at, "`files` is missing: globs of the files that it is for".to_owned())
        }
    }
    let conditions = match section.take("where").map(|(value, at)| (Conditions::read(value), at)) {
        None => Conditions::default(),
        Some((Ok(conditions), _)) => conditions,
        Some((Err((key, message)), at)) => {
            problems.error(&key.map_or(at.clone(), |it| at.join(it)), message);
            Conditions::default()
        }
    };
    let (path, url) = (section.take("path"), section.take("url"));
    let has_rest = section.has_rest();
    section.close(&["files", "where", "path", "url"], problems);
    let schema = match (path, url) {
        (Some((value, at)), None) => match value.as_str().map(RelPath::parse) {
            Some(Ok(path)) => MappedSchema::File(path),
            Some(Err(error)) => {
                problems
                    .error(&at, format!("the path of a schema is relative to the root: {error}"));
                return None;
            }
            None => {
                problems.wrong_type(&at, value, "a path relative to the root");
                return None;
            }
        },
        (None, Some((value, at))) => MappedSchema::Address(read_url(value, &at, problems)?),
        (None, None) if has_rest => return None,
        _ => {
            let message = "expected either `path`, a file of the workspace, or `url`, an address";
            problems.error(at, message.to_owned());
            return None;
        }
    };
    Some(Mapping { files, conditions, schema })
}

/// The address of the catalogue.
pub(super) fn read_catalogue(
    value: &Value,
    at: &Pointer,
    problems: &mut ConfigProblems<'_>,
) -> Option<String> {
    let mut section = ConfigTable::open(value, at, "a table, `[schemas]`", problems)?;
    let url = section.take("catalogue");
    section.close(&["catalogue"], problems);
    url.and_then(|(value, at)| read_url(value, &at, problems))
}

fn read_url(value: &Value, at: &Pointer, problems: &mut ConfigProblems<'_>) -> Option<String> {
    match value.as_str() {
        Some(url) if fetch::Address::of(url).is_some() => Some(url.to_owned()),
        Some(_) => {
            problems.error(at, "expected an https address".to_owned());
            None
        }
        None => {
            problems.wrong_type(at, value, "an https address");
            None
        }
    }
}
