//! The allowed-signers file: which key may sign under which name, in OpenSSH's own form (ssh-keygen(1), "ALLOWED
//! SIGNERS"), so that `ssh-keygen -Y verify` reads the same file and comes to the same answer.
//!
//! ```text
//! alice@example.org namespaces="regreen-dds",valid-before="20270101Z" ssh-ed25519 AAAA…
//! ```
//!
//! A line that cannot be read allows nobody, and is reported with its number. A time without `Z` is one of some time
//! zone, and nobody knows which: it is taken as the one that allows least, so that the same file gives the same answer
//! on every machine, and never a milder one than OpenSSH's.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::openssh::Key;
use crate::pattern;

/// Who may sign.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllowedSigners {
    /// The lines that could be read, in order.
    pub lines: Vec<AllowedLine>,
    /// What is wrong with the others.
    pub faults: Vec<LineFault>,
}

/// One line: a key, for some names and namespaces, for a while.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AllowedLine {
    /// Its number, from 1.
    pub number: usize,
    /// The line as it stands in the file, without the blanks around it.
    pub text: String,
    /// Patterns of the names that the key may sign under, separated by commas.
    pub principals: String,
    /// Patterns of the namespaces that it may sign for; `None` for all of them.
    pub namespaces: Option<String>,
    /// It allows nothing before.
    pub valid_after: Option<Timestamp>,
    /// It allows nothing after.
    pub valid_before: Option<Timestamp>,
    /// The key.
    pub key: Key,
}

/// What is wrong with a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LineFault {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Nobody reviews a longer file.
const MAX_TEXT: usize = 1024 * 1024;

impl AllowedSigners {
    /// Reads the file.
    pub fn read(text: &str) -> AllowedSigners {
        let mut read = AllowedSigners::default();
        if text.len() > MAX_TEXT {
            let message = format!("the file has more than {MAX_TEXT} bytes, nobody is allowed");
            read.faults.push(LineFault { line: 1, message });
            return read;
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_matches([' ', '\t', '\r']);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match read_line(number, line) {
                Ok(line) => read.lines.push(line),
                Err(message) => read.faults.push(LineFault { line: number, message }),
            }
        }
        read
    }

    /// The same without the lines whose text is not one of these; what is wrong with others stays said.
    #[must_use]
    pub fn only(mut self, is_wanted: impl Fn(&str) -> bool) -> AllowedSigners {
        self.lines.retain(|it| is_wanted(&it.text));
        self
    }

    /// Whether two principals are listed that may sign for the namespace, each with a key of their own.
    pub fn has_two_people(&self, namespace: &str) -> bool {
        let lines = || self.lines.iter().filter(|it| it.is_for_namespace(namespace));
        lines().any(|one| {
            lines().any(|other| {
                one.key != other.key && !one.principals.eq_ignore_ascii_case(&other.principals)
            })
        })
    }

    /// The lines about a key.
    pub fn of(&self, key: &Key) -> Vec<&AllowedLine> {
        self.lines.iter().filter(|it| &it.key == key).collect()
    }

    /// The name that the key signs under unless another one is given: the first that stands in full on a line for the
    /// namespace.
    pub fn principal_of(&self, key: &Key, namespace: &str) -> Option<&str> {
        self.of(key)
            .into_iter()
            .filter(|it| it.is_for_namespace(namespace))
            .flat_map(|it| it.principals.split(','))
            .find(|it| !it.is_empty() && !it.contains(['*', '?', '!']))
    }
}

impl AllowedLine {
    /// Whether the key may sign for the namespace at all.
    pub fn is_for_namespace(&self, namespace: &str) -> bool {
        self.namespaces.as_deref().is_none_or(|it| pattern::list_matches(it, namespace))
    }

    /// Whether the key may sign under the name. Nobody has a name that is empty or does not show, whatever a
    /// wildcard says.
    pub fn is_for(&self, principal: &str) -> bool {
        !principal.is_empty()
            && !principal.contains(char::is_control)
            && pattern::list_matches(&self.principals, principal)
    }

    /// Whether it allows at that moment; both ends are part of its time.
    pub fn holds_at(&self, moment: Timestamp) -> bool {
        self.valid_after.is_none_or(|it| it <= moment)
            && self.valid_before.is_none_or(|it| moment <= it)
    }
}

#[derive(Default)]
struct Options {
    namespaces: Option<String>,
    valid_after: Option<Timestamp>,
    valid_before: Option<Timestamp>,
}

fn read_line(number: usize, line: &str) -> Result<AllowedLine, String> {
    if line.contains(|it: char| it.is_control() && it != '\t') {
        return Err("a control character".to_owned());
    }
    let (principals, rest) = read_principals(line)?;
    let (options, key) = match Key::parse(rest) {
        Ok(key) => (Options::default(), key),
        Err(without_options) => {
            let Some((options, rest)) = split_options(rest)? else {
                return Err(without_options.to_string());
            };
            (read_options(options)?, Key::parse(rest).map_err(|it| it.to_string())?)
        }
    };
    let Options { namespaces, valid_after, valid_before } = options;
    if let (Some(after), Some(before)) = (valid_after, valid_before)
        && before <= after
    {
        return Err("valid-before is not later than valid-after".to_owned());
    }
    let (text, principals) = (line.to_owned(), principals.to_owned());
    Ok(AllowedLine { number, text, principals, namespaces, valid_after, valid_before, key })
}

fn read_principals(line: &str) -> Result<(&str, &str), String> {
    let (principals, rest) = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').ok_or("the quote at the start has no end")?,
        None => line.split_once([' ', '\t']).ok_or("expected a key after the names")?,
    };
    if principals.split(',').all(|it| it.trim_start_matches('!').is_empty()) {
        return Err(
            "expected the names that the key may sign under at the start of the line".to_owned()
        );
    }
    if Key::parse(line).is_ok() {
        return Err(
            "expected the names that the key may sign under at the start of the line".to_owned()
        );
    }
    Ok((principals, rest.trim_start_matches([' ', '\t'])))
}

/// Splits before the first blank outside quotes, if the text before it looks like options rather than a kind of key.
fn split_options(text: &str) -> Result<Option<(&str, &str)>, String> {
    let mut in_quotes = false;
    let mut escaped = false;
    for (at, it) in text.char_indices() {
        match it {
            '"' if !escaped => in_quotes = !in_quotes,
            ' ' | '\t' if !in_quotes => {
                let (options, rest) = text.split_at(at);
                let first = options.split([',', '=']).next().unwrap_or_default();
                let is_option = options.contains(['=', ','])
                    || option_names().any(|it| it.eq_ignore_ascii_case(first));
                return Ok(is_option.then(|| (options, rest.trim_start_matches([' ', '\t']))));
            }
            _ => {}
        }
        escaped = it == '\\' && !escaped;
    }
    if in_quotes {
        return Err("a quote in the options has no end".to_owned());
    }
    Ok(None)
}

fn option_names() -> impl Iterator<Item = &'static str> {
    ["namespaces", "valid-after", "valid-before", "cert-authority"].into_iter()
}

fn read_options(mut text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    loop {
        let end = text.find(['=', ',']).unwrap_or(text.len());
        let name = text[..end].to_ascii_lowercase();
        text = &text[end..];
        match name.as_str() {
            "cert-authority" => {
                return Err(
                    "cert-authority is not supported: name each person's own key".to_owned()
                );
            }
            "namespaces" => {
                let value = read_value(&name, &mut text)?;
                once(&name, &mut options.namespaces, value)?;
            }
            "valid-after" => {
                let latest = read_time(&read_value(&name, &mut text)?, 12)?;
                once(&name, &mut options.valid_after, latest)?;
            }
            "valid-before" => {
                let earliest = read_time(&read_value(&name, &mut text)?, -14)?;
                once(&name, &mut options.valid_before, earliest)?;
            }
            _ => {
                let known: Vec<&str> =
                    option_names().filter(|it| *it != "cert-authority").collect();
                return Err(format!(
                    "unknown option {name:?}; expected one of {}",
                    known.join(", ")
                ));
            }
        }
        match text.strip_prefix(',') {
            Some(rest) => text = rest,
            None if text.is_empty() => return Ok(options),
            None => return Err(format!("a comma is missing after the option {name}")),
        }
    }
}

fn once<T>(name: &str, slot: &mut Option<T>, value: T) -> Result<(), String> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(format!("the option {name} is given twice")),
    }
}

/// The quoted value after `=`, where `\"` is a quote.
fn read_value(name: &str, text: &mut &str) -> Result<String, String> {
    let quoted = text
        .strip_prefix("=\"")
        .ok_or_else(|| format!("the value of {name} must be in quotes: {name}=\"…\""))?;
    let mut value = String::new();
    let mut escaped = false;
    for (at, it) in quoted.char_indices() {
        match it {
            '"' if escaped => {
                value.pop();
                value.push('"');
            }
            '"' => {
                *text = &quoted[at + 1..];
                return Ok(value);
            }
            _ => value.push(it),
        }
        escaped = it == '\\' && !escaped;
    }
    Err(format!("the value of {name} has no quote at its end"))
}

/// `YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, with `Z` for UTC; else moved by so many hours.
fn read_time(text: &str, hours: i64) -> Result<Timestamp, String> {
    let refused =
        || format!("{text:?} is not a time; expected YYYYMMDDZ or YYYYMMDDHHMMSSZ (Z is UTC)");
    let (digits, is_utc) = match text.strip_suffix(['Z', 'z']) {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let has_form =
        [8, 12, 14].contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit());
    if !has_form {
        return Err(refused());
    }
    let (day, time) = digits.split_at(8);
    let iso = format!("{day}T{time:0<6}");
    let civil: DateTime = iso.parse().map_err(|_| refused())?;
    let moment = civil.to_zoned(TimeZone::UTC).map_err(|_| refused())?.timestamp();
    let shift = SignedDuration::from_hours(if is_utc { 0 } else { hours });
    Ok(moment.saturating_add(shift).unwrap_or(moment))
}
