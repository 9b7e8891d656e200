//! Looks as bytes. What cannot be read back, or could not come from this pack, is as good as not there.
//!
//! Numbers are little-endian, texts and lists start with their length. A look is `0` for a file of no kind, else `1`,
//! the kinds of its documents (from 1, and 0 for one of no kind) and the lists of occurrences.

use document::{Number, Pointer, Value};

use crate::pack::Pack;
use crate::selector::{Occurrence, key_of};
use crate::tree::{FileAnalysis, OccurrenceList};

/// Values that are nested more deeply are not kept.
const MAX_DEPTH: usize = 256;

const NO_KIND: u8 = 0;
const OF_KIND: u8 = 1;

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const NUMBER: u8 = 3;
const STRING: u8 = 4;
const DATETIME: u8 = 5;
const ARRAY: u8 = 6;
const OBJECT: u8 = 7;

/// The bytes of a look; `None` if it is not kept.
pub(super) fn encode(look: Option<&FileAnalysis>) -> Option<Vec<u8>> {
    let Some(look) = look else { return Some(vec![NO_KIND]) };
    let FileAnalysis { kinds, dark, occurrences, diagnostics, repairs, blocked, unchecked } = look;
    let is_clean = diagnostics.is_empty() && repairs.is_empty() && unchecked.is_empty();
    if !is_clean || kinds.is_empty() || !dark.is_empty() || blocked.is_some() {
        return None;
    }
    let mut out = vec![OF_KIND];
    write_size(&mut out, kinds.len())?;
    for kind in kinds {
        write_size(&mut out, kind.map_or(0, |it| it + 1))?;
    }
    write_size(&mut out, occurrences.len())?;
    for list in occurrences {
        write_size(&mut out, list.rule)?;
        write_size(&mut out, list.role)?;
        write_size(&mut out, list.occurrences.len())?;
        for occurrence in &list.occurrences {
            write_occurrence(&mut out, occurrence)?;
        }
    }
    Some(out)
}

fn write_size(out: &mut Vec<u8>, size: usize) -> Option<()> {
    out.extend(u32::try_from(size).ok()?.to_le_bytes());
    Some(())
}

fn write_text(out: &mut Vec<u8>, text: &str) -> Option<()> {
    write_size(out, text.len())?;
    out.extend(text.as_bytes());
    Some(())
}

fn write_occurrence(out: &mut Vec<u8>, occurrence: &Occurrence) -> Option<()> {
    // The key follows from the value.
    let Occurrence { document, at, is_key, key: _, value, wanted } = occurrence;
    write_size(out, *document)?;
    write_text(out, at)?;
    out.push(u8::from(*is_key));
    write_value(out, value, MAX_DEPTH)?;
    out.push(u8::from(wanted.is_some()));
    wanted.as_deref().map_or(Some(()), |it| write_text(out, it))
}

fn write_value(out: &mut Vec<u8>, value: &Value, depth: usize) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match value {
        Value::Null => out.push(NULL),
        Value::Bool(false) => out.push(FALSE),
        Value::Bool(true) => out.push(TRUE),
        Value::Number(number) => {
            out.push(NUMBER);
            write_text(out, number.text())?;
        }
        Value::String(text) => {
            out.push(STRING);
            write_text(out, text)?;
        }
        Value::Datetime(text) => {
            out.push(DATETIME);
            write_text(out, text)?;
        }
        Value::Array(items) => {
            out.push(ARRAY);
            write_size(out, items.len())?;
            for item in items {
                write_value(out, item, depth)?;
            }
        }
        Value::Object(members) => {
            out.push(OBJECT);
            write_size(out, members.len())?;
            for (key, value) in members {
                write_text(out, key)?;
                write_value(out, value, depth)?;
            }
        }
    }
    Some(())
}

/// The look that the bytes hold, where the inner `None` is a file of no kind; the outer one if they hold none.
pub(super) fn decode(pack: &Pack, kinds: &[usize], bytes: &[u8]) -> Option<Option<FileAnalysis>> {
    let mut rest = Rest { bytes };
    let look = match rest.byte()? {
        NO_KIND => None,
        OF_KIND => Some(read_look(pack, kinds, &mut rest)?),
        _ => return None,
    };
    rest.bytes.is_empty().then_some(look)
}

fn read_look(pack: &Pack, kinds: &[usize], rest: &mut Rest<'_>) -> Option<FileAnalysis> {
    let kind = |rest: &mut Rest<'_>| match rest.size()?.checked_sub(1) {
        None => Some(None),
        Some(kind) => kinds.contains(&kind).then_some(Some(kind)),
    };
    let found: Option<Vec<Option<usize>>> = (0..rest.size()?).map(|_| kind(rest)).collect();
    let found = found.filter(|it| it.iter().any(Option::is_some))?;
    let mut occurrences: Vec<OccurrenceList> = Vec::new();
    for _ in 0..rest.size()? {
        let (rule, role) = (rest.size()?, rest.size()?);
        let is_next = occurrences.last().is_none_or(|it| (it.rule, it.role) < (rule, role));
        let is_known = found.iter().flatten().any(|kind| {
            pack.occurrence_rules.get(*kind).is_some_and(|rules| rules.contains(&rule))
                && pack.rules[rule]
                    .body
                    .places()
                    .iter()
                    .any(|it| it.0 == role && it.1.kind == *kind)
        });
        if !is_next || !is_known {
            return None;
        }
        let list: Option<Vec<Occurrence>> =
            (0..rest.size()?).map(|_| read_occurrence(rest)).collect();
        occurrences.push(OccurrenceList {
            rule,
            role,
            occurrences: list.filter(|it| !it.is_empty())?,
        });
    }
    Some(FileAnalysis { kinds: found, occurrences, ..FileAnalysis::default() })
}

fn read_occurrence(rest: &mut Rest<'_>) -> Option<Occurrence> {
    let document = rest.size()?;
    let at: Pointer = rest.text()?.parse().ok()?;
    let is_key = rest.flag()?;
    let value = read_value(rest, MAX_DEPTH)?;
    let wanted = if rest.flag()? { Some(rest.text()?.into()) } else { None };
    let key = key_of(&value).into_boxed_str();
    Some(Occurrence { document, at: at.to_string().into(), is_key, key, value, wanted })
}

fn read_value(rest: &mut Rest<'_>, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match rest.byte()? {
        NULL => Value::Null,
        FALSE => Value::Bool(false),
        TRUE => Value::Bool(true),
        NUMBER => Value::Number(read_number(rest.text()?)?),
        STRING => Value::String(rest.text()?.to_owned()),
        DATETIME => Value::Datetime(rest.text()?.to_owned()),
        ARRAY => {
            let items: Option<Vec<Value>> =
                (0..rest.size()?).map(|_| read_value(rest, depth)).collect();
            Value::Array(items?)
        }
        OBJECT => {
            let member =
                |rest: &mut Rest<'_>| Some((rest.text()?.to_owned(), read_value(rest, depth)?));
            let members: Option<Vec<(String, Value)>> =
                (0..rest.size()?).map(|_| member(rest)).collect();
            Value::Object(members?)
        }
        _ => return None,
    })
}

fn read_number(text: &str) -> Option<Number> {
    match text {
        ".inf" => Some(Number::infinity(false)),
        "-.inf" => Some(Number::infinity(true)),
        ".nan" => Some(Number::nan()),
        _ => Number::parse(text),
    }
}

/// The bytes that are not read yet.
struct Rest<'a> {
    bytes: &'a [u8],
}

impl<'a> Rest<'a> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn flag(&mut self) -> Option<bool> {
        match self.byte()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn size(&mut self) -> Option<usize> {
        let (size, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        usize::try_from(u32::from_le_bytes(*size)).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let size = self.size()?;
        let (text, rest) = self.bytes.split_at_checked(size)?;
        self.bytes = rest;
        std::str::from_utf8(text).ok()
    }
}
