//! The two files by which records travel: `dds.json` with the proposals, and `reports.json`. Nothing is lost on the way:
//! every record comes out with the members, the order and the values with which it came in.
//!
//! Patches travel in the member `x_patches` of `dds.json`, by the id of their record: as a text where they are one, else
//! as `{"base64": …}`.

use std::collections::BTreeMap;
use std::fmt;

use base64ct::{Base64, Encoding as _};
use document::{Format, Limits};
use edit::Text;
use serde_json::{Map, Value, json};

use crate::pointer::below;

/// One of the two files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ExchangeFile {
    /// `dds.json`
    Proposals,
    /// `reports.json`
    Reports,
}

impl fmt::Display for ExchangeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExchangeFile::Proposals => "dds.json",
            ExchangeFile::Reports => "reports.json",
        })
    }
}

/// Something in a file that keeps all of it from being imported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileFault {
    /// The file.
    pub file: ExchangeFile,
    /// Where in it, as an RFC 6901 pointer.
    pub pointer: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}: {}", self.file, self.pointer, self.message)
    }
}

/// What the files hold, before anything is known about the records. Every value has the pointer of its place.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Incoming {
    /// The proposals.
    pub proposals: Vec<(String, Value)>,
    /// Their patches, by id.
    pub patches: BTreeMap<String, (String, Vec<u8>)>,
    /// The reports.
    pub reports: Vec<(String, Value)>,
    /// Members of the files that say nothing about a record; nothing keeps them.
    pub left: Vec<String>,
}

/// What a registry holds, as the two files.
#[derive(Clone, PartialEq, Debug)]
pub struct ExportedFiles {
    /// The content of `dds.json`.
    pub dds: Value,
    /// The content of `reports.json`.
    pub reports: Value,
}

/// Reads the files, or says everything that is wrong with how they are built.
pub fn read(dds: &str, reports: Option<&str>) -> Result<Incoming, Vec<FileFault>> {
    let mut faults = Vec::new();
    let mut incoming = Incoming::default();
    if let Some(value) = parse(dds, ExchangeFile::Proposals, &mut faults) {
        if let Some(patches) = value.get("x_patches") {
            incoming.patches = read_patches(patches, &mut faults);
        }
        let names = ["proposals"];
        incoming.proposals =
            items(value, ExchangeFile::Proposals, &names, &mut faults, &mut incoming.left);
        incoming.left.retain(|it| it != "dds.json/x_patches");
    }
    if let Some(value) = reports.and_then(|it| parse(it, ExchangeFile::Reports, &mut faults)) {
        // The program that came before called them executions.
        let names = ["reports", "executions"];
        incoming.reports =
            items(value, ExchangeFile::Reports, &names, &mut faults, &mut incoming.left);
    }
    if faults.is_empty() { Ok(incoming) } else { Err(faults) }
}

fn fault(
    faults: &mut Vec<FileFault>,
    file: ExchangeFile,
    pointer: String,
    message: impl Into<String>,
) {
    faults.push(FileFault { file, pointer, message: message.into() });
}

/// Reads JSON that will be stored or signed. A member that stands twice is refused, because two readers of it could see
/// two different records; so is a number that would be kept as another one.
pub fn parse_json(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
    let limits = Limits { max_bytes: 1 << 30, max_depth: 256, max_expanded_nodes: 100_000_000 };
    let exact = |text: &str| {
        document::parse(&Text::new(text), Format::Json, &limits)
            .map_err(|error| format!("not JSON: {error}"))
    };
    let document = exact(text)?;
    if let Some(refusal) = document.blocked() {
        return Err(refusal.to_string());
    }
    if !document.value().equals(&exact(&value.to_string())?.value()) {
        return Err("a number has more digits than can be stored; write it as a string".to_owned());
    }
    Ok(value)
}

fn parse(text: &str, file: ExchangeFile, faults: &mut Vec<FileFault>) -> Option<Value> {
    parse_json(text).map_err(|message| fault(faults, file, String::new(), message)).ok()
}

/// The items of an array that stands alone or in a member with one of these names; the other members are left out, and named.
fn items(
    value: Value,
    file: ExchangeFile,
    names: &[&str],
    faults: &mut Vec<FileFault>,
    left: &mut Vec<String>,
) -> Vec<(String, Value)> {
    let name = names[0];
    let (base, list) = match value {
        Value::Array(list) => (String::new(), list),
        Value::Object(mut members) => {
            let name = names.iter().find(|it| members.contains_key(**it)).unwrap_or(&name);
            let list = members.shift_remove(*name);
            left.extend(members.keys().map(|it| format!("{file}{}", below("", it))));
            match list {
                Some(Value::Array(list)) => (format!("/{name}"), list),
                _ => {
                    fault(faults, file, format!("/{name}"), format!("{name} must be an array"));
                    return Vec::new();
                }
            }
        }
        _ => {
            let message = format!("the file must be an array, or an object with the member {name}");
            fault(faults, file, String::new(), message);
            return Vec::new();
        }
    };
    (0..).zip(list).map(|(idx, it): (usize, Value)| (format!("{base}/{idx}"), it)).collect()
}

fn read_patches(value: &Value, faults: &mut Vec<FileFault>) -> BTreeMap<String, (String, Vec<u8>)> {
    let mut patches = BTreeMap::new();
    let Value::Object(members) = value else {
        let message = "x_patches must be an object whose keys are ids";
        fault(faults, ExchangeFile::Proposals, "/x_patches".to_owned(), message);
        return patches;
    };
    for (id, patch) in members {
        let pointer = below("/x_patches", id);
        let encoded = patch.as_object().filter(|it| it.len() == 1).and_then(|it| it.get("base64"));
        let bytes = match (patch, encoded.and_then(Value::as_str)) {
            (Value::String(text), _) => Some(text.as_bytes().to_vec()),
            (_, Some(text)) => Base64::decode_vec(text).ok(),
            _ => None,
        };
        match bytes {
            Some(bytes) => {
                patches.insert(id.clone(), (pointer, bytes));
            }
            None => {
                let message = "a patch must be a string, or an object with the member base64";
                fault(faults, ExchangeFile::Proposals, pointer, message);
            }
        }
    }
    patches
}

/// The files with these proposals, patches and reports.
pub fn write(
    proposals: Vec<Value>,
    patches: &[(String, Vec<u8>)],
    reports: Vec<Value>,
) -> ExportedFiles {
    let mut dds = Map::new();
    dds.insert("proposals".to_owned(), Value::Array(proposals));
    if !patches.is_empty() {
        let patches = patches.iter().map(|(id, bytes)| {
            let patch = match std::str::from_utf8(bytes) {
                Ok(text) => json!(text),
                Err(_) => json!({ "base64": Base64::encode_string(bytes) }),
            };
            (id.clone(), patch)
        });
        dds.insert("x_patches".to_owned(), Value::Object(patches.collect()));
    }
    ExportedFiles { dds: Value::Object(dds), reports: json!({ "reports": reports }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(dds: &str, reports: Option<&str>, expected: &[&str]) {
        let faults = match read(dds, reports) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.iter().map(ToString::to_string).collect(),
        };
        assert_eq!(faults, expected);
    }

    /// Otherwise a file that came in would not be the one that goes out.
    #[test]
    fn the_same_bytes_have_one_text_in_base64() {
        let file = |text: &str| {
            let patches = json!({ "a": { "base64": text } });
            read(&json!({ "proposals": [], "x_patches": patches }).to_string(), None)
        };
        for text in ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "//4A"] {
            assert!(file(text).is_ok(), "{text:?}");
        }
        for text in
            ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg===", "=", "Zm9v\n", "Zm 9v", "é===", "__4A"]
        {
            assert!(file(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_file_that_is_built_wrong_is_refused_with_its_places() {
        check("[]", Some("[]"), &[]);
        check("{\"proposals\": []}", Some("{\"reports\": []}"), &[]);
        check(
            "{\"proposals\": 1, \"more\": 1}",
            Some("1"),
            &[
                "dds.json/proposals: proposals must be an array",
                "reports.json: the file must be an array, or an object with the member reports",
            ],
        );
        check(
            "{\"proposals\": [{\"id\": \"a\", \"id\": \"b\"}]}",
            None,
            &["dds.json: key `id` appears more than once in its map; remove one of them first"],
        );
        let number = "dds.json: a number has more digits than can be stored; write it as a string";
        check("[{\"n\": 12345678901234567890123}]", None, &[number]);
        check("[{\"n\": 0.12345678901234567890123}]", None, &[number]);
        check("[{\"n\": [1e3, 1.50, -0.0, 18446744073709551615, 0.1]}]", None, &[]);
        check("{", None, &["dds.json: not JSON: EOF while parsing an object at line 1 column 1"]);
        check(
            "{\"proposals\": [], \"x_patches\": {\"a/b\": {\"base64\": \"x\"}, \"c\": 1}}",
            None,
            &[
                "dds.json/x_patches/a~1b: a patch must be a string, or an object with the member base64",
                "dds.json/x_patches/c: a patch must be a string, or an object with the member base64",
            ],
        );
    }

    /// what the program before this one wrote comes in whole.
    #[test]
    fn files_of_before_are_read() {
        let dds = "{\"version\": 1, \"proposals\": [{\"id\": \"a\"}], \"updated\": \"today\"}";
        let reports = "{\"executions\": [{\"dds_id\": \"a\", \"output\": \"ok\"}]}";
        let read = read(dds, Some(reports)).unwrap();
        assert_eq!((read.proposals.len(), read.reports.len()), (1, 1));
        assert_eq!(read.reports[0].0, "/executions/0");
        assert_eq!(read.left, ["dds.json/version", "dds.json/updated"]);
    }

    #[test]
    fn patches_come_back_byte_for_byte() {
        let patches = vec![
            ("a".to_owned(), b"text\n".to_vec()),
            ("b".to_owned(), vec![0, 0xff, 0x80, b'\n']),
        ];
        let text = write(Vec::new(), &patches, Vec::new()).dds.to_string();
        let read: Vec<(String, Vec<u8>)> =
            read(&text, None).unwrap().patches.into_iter().map(|(id, (_, it))| (id, it)).collect();
        assert_eq!(read, patches);
    }
}
