//! Templates: text made of other values of the same document, such as `mod_{/module/name|snake}`.

use document::Value;

use crate::pattern::{Lookup, Pattern};
use crate::typo;

/// Longer results are not names; a document must not be able to blow them up.
const MAX_RESULT: usize = 4096;
const MAX_PARTS: usize = 64;

/// Text with holes. A star in a hole's pointer stands for what the same star of the rule's place stands for.
#[derive(Clone, Debug)]
pub(crate) struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Hole { at: Pattern, filters: Vec<Filter> },
}

#[derive(Clone, Copy, Debug)]
enum Filter {
    Lower,
    Upper,
    Snake,
    Kebab,
    Camel,
    Pascal,
    Trim,
}

const FILTERS: [(&str, Filter); 7] = [
    ("lower", Filter::Lower),
    ("upper", Filter::Upper),
    ("snake", Filter::Snake),
    ("kebab", Filter::Kebab),
    ("camel", Filter::Camel),
    ("pascal", Filter::Pascal),
    ("trim", Filter::Trim),
];

impl Template {
    /// The template that a text writes, or what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Template, String> {
        let mut parts = Vec::new();
        let mut literal = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let (before, brace) = rest.split_at(at);
            literal.push_str(before);
            if brace.starts_with("{{") || brace.starts_with("}}") {
                literal.push_str(&brace[..1]);
                rest = &brace[2..];
                continue;
            }
            if brace.starts_with('}') {
                return Err("unmatched `}`; write `}}` for the character".to_owned());
            }
            let (hole, after) =
                brace[1..].split_once('}').ok_or("unclosed `{`; write `{{` for the character")?;
            if !literal.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut literal)));
            }
            parts.push(parse_hole(hole)?);
            rest = after;
        }
        literal.push_str(rest);
        if !literal.is_empty() {
            parts.push(Part::Text(literal));
        }
        if parts.len() > MAX_PARTS {
            return Err(format!("expected at most {MAX_PARTS} parts in a template"));
        }
        Ok(Template { parts })
    }

    /// The most stars that a hole's pointer has.
    pub(crate) fn n_stars(&self) -> usize {
        let stars = self.parts.iter().map(|it| match it {
            Part::Text(_) => 0,
            Part::Hole { at, .. } => at.n_stars(),
        });
        stars.max().unwrap_or_default()
    }

    /// The text for one place of a document; `None` if a value that it is made of is missing, is not a scalar, or is
    /// empty after its filters, because then nothing is known about what the text should be.
    pub(crate) fn render<'a>(
        &self,
        document: &'a Value,
        stars: &[String],
        lookup: &mut Lookup<'a>,
    ) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                Part::Text(literal) => text.push_str(literal),
                Part::Hole { at, filters } => {
                    let value = scalar(lookup.resolve(document, &at.with_stars(stars)?)?)?;
                    let value = filters.iter().fold(value, |value, filter| filter.apply(&value));
                    if value.is_empty() {
                        return None;
                    }
                    text.push_str(&value);
                }
            }
            if text.len() > MAX_RESULT {
                return None;
            }
        }
        Some(text)
    }
}

fn parse_hole(text: &str) -> Result<Part, String> {
    let mut parts = text.split('|').map(str::trim);
    let at = parts.next().unwrap_or_default();
    let at = Pattern::parse(at).map_err(|error| format!("`{{{text}}}`: {error}"))?;
    let filters = parts.map(|name| {
        FILTERS.iter().find(|it| it.0 == name).map(|it| it.1).ok_or_else(|| {
            let near = typo::nearest_first(name, FILTERS.iter().map(|it| it.0), FILTERS.len());
            format!("unknown filter `{name}`; expected one of {}", near.join(", "))
        })
    });
    Ok(Part::Hole { at, filters: filters.collect::<Result<_, _>>()? })
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) | Value::Datetime(text) => Some(text.clone()),
        Value::Number(number) => Some(number.text().to_owned()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
    .filter(|it| it.len() <= MAX_RESULT)
}

impl Filter {
    fn apply(self, text: &str) -> String {
        match self {
            Filter::Lower => text.to_lowercase(),
            Filter::Upper => text.to_uppercase(),
            Filter::Trim => text.trim().to_owned(),
            Filter::Snake => join(&words(text), "_"),
            Filter::Kebab => join(&words(text), "-"),
            Filter::Pascal => words(text).iter().map(|it| capitalized(it)).collect(),
            Filter::Camel => {
                let words = words(text);
                let rest = words.iter().skip(1).map(|it| capitalized(it));
                words.first().map(|it| it.to_lowercase()).into_iter().chain(rest).collect()
            }
        }
    }
}

fn join(words: &[String], between: &str) -> String {
    words.iter().map(|it| it.to_lowercase()).collect::<Vec<_>>().join(between)
}

fn capitalized(word: &str) -> String {
    let mut characters = word.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(characters.flat_map(char::to_lowercase)).collect()
}

/// The words of a name: split at everything that is not a letter or digit, before a capital that follows a small letter
/// or digit, and before the last capital of a run that a small letter follows (`HTTPServer` is `HTTP`, `Server`).
fn words(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut words = vec![String::new()];
    for (idx, &character) in characters.iter().enumerate() {
        if !character.is_alphanumeric() {
            words.push(String::new());
            continue;
        }
        let before = idx.checked_sub(1).and_then(|it| characters.get(it));
        let after = characters.get(idx + 1);
        let starts = character.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || after.is_some_and(|after| after.is_lowercase())
            });
        if starts {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(character);
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::yaml;

    #[track_caller]
    fn check(template: &str, expected: Option<&str>) {
        let document = yaml("name: HTTP Server2Go\nn: 8\nt: ' x '\nempty: ''\nlist: [{k: v}]\n");
        let rendered = Template::parse(template).unwrap().render(
            &document,
            &["0".to_owned()],
            &mut Lookup::default(),
        );
        assert_eq!(rendered.as_deref(), expected);
    }

    #[test]
    fn holes_are_filled_and_filtered() {
        check("mod_{/name|snake}", Some("mod_http_server2_go"));
        check("{/name|kebab}", Some("http-server2-go"));
        check("{/name|camel}", Some("httpServer2Go"));
        check("{/name|pascal}", Some("HttpServer2Go"));
        check("{/name|snake|upper}-{/n}", Some("HTTP_SERVER2_GO-8"));
        check("{/t|trim}{{}}", Some("x{}"));
        check("{/list/*/k}", Some("v"));
        check("{/missing}", None);
        check("{/list}", None);
        check("a{/empty}", None);
        check("plain", Some("plain"));
    }

    #[test]
    fn what_is_no_template_is_refused() {
        for (text, part) in [
            ("{/a", "unclosed `{`"),
            ("a}", "unmatched `}`"),
            ("{a}", "starts with `/`"),
            ("{/a|snak}", "expected one of snake"),
        ] {
            let error = Template::parse(text).unwrap_err();
            assert!(error.contains(part), "{error}");
        }
    }
}
