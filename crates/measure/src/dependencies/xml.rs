//! A small reader of XML for manifests: elements, attributes and text. It refuses what could hide something: document
//! types, whose entities stand for other text, and tags that do not match.

/// Elements inside elements.
const MAX_DEPTH: usize = 200;

/// An element, with its index in [`XmlTree`].
#[derive(Debug, Default)]
pub(super) struct Element {
    /// Its name without the prefix of a namespace.
    pub(super) name: String,
    /// Names without prefix, and decoded values.
    pub(super) attributes: Vec<(String, String)>,
    /// The text directly inside it, joined and trimmed.
    pub(super) text: String,
    /// The element that holds it.
    pub(super) parent: Option<usize>,
    /// The elements directly inside it.
    pub(super) children: Vec<usize>,
}

/// The elements in the order of their starts; the first is the root.
#[derive(Debug)]
pub(super) struct XmlTree {
    /// Never empty.
    pub(super) elements: Vec<Element>,
}

impl XmlTree {
    /// The text of the first child of that name.
    pub(super) fn child_text<'a>(&'a self, element: &'a Element, name: &str) -> Option<&'a str> {
        self.children(element).find(|it| it.name == name).map(|it| it.text.as_str())
    }

    /// The children, in order.
    pub(super) fn children<'a>(
        &'a self,
        element: &'a Element,
    ) -> impl Iterator<Item = &'a Element> {
        element.children.iter().filter_map(|idx| self.elements.get(*idx))
    }

    /// The names of the elements around it, the nearest first.
    pub(super) fn around<'a>(&'a self, element: &'a Element) -> impl Iterator<Item = &'a str> {
        let mut next = element.parent;
        std::iter::from_fn(move || {
            let element = self.elements.get(next?)?;
            next = element.parent;
            Some(element.name.as_str())
        })
    }
}

impl Element {
    /// The value of the attribute, whatever the case of its name.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(it, _)| it.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }
}

/// Reads a document, or says why it is none.
pub(super) fn parse(text: &str) -> Result<XmlTree, String> {
    let mut elements: Vec<Element> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        add_text(&mut elements, open.last(), &decode(&rest[..at])?)?;
        let tag = &rest[at..];
        rest = if let Some(comment) = tag.strip_prefix("<!--") {
            after(comment, "-->")?
        } else if let Some(data) = tag.strip_prefix("<![CDATA[") {
            let end = data.find("]]>").ok_or("a CDATA section does not end")?;
            add_text(&mut elements, open.last(), &data[..end])?;
            &data[end + 3..]
        } else if tag.starts_with("<?") {
            after(tag, "?>")?
        } else if tag.starts_with("<!") {
            return Err(
                "it has a document type, whose entities could stand for anything".to_owned()
            );
        } else if let Some(end) = tag.strip_prefix("</") {
            let (name, rest) = end.split_once('>').ok_or("a tag does not end")?;
            let closed = open.pop().and_then(|idx| elements.get(idx)).map(|it| it.name.as_str());
            if closed != Some(local(name.trim())) {
                return Err(format!(
                    "`</{}>` closes nothing",
                    name.trim().chars().take(40).collect::<String>()
                ));
            }
            rest
        } else {
            start(&mut elements, &mut open, &tag[1..])?
        };
    }
    if !open.is_empty() || elements.is_empty() || !rest.trim().is_empty() {
        return Err("its elements are not closed".to_owned());
    }
    Ok(XmlTree { elements })
}

fn after<'a>(text: &'a str, end: &str) -> Result<&'a str, String> {
    text.split_once(end).map(|(_, rest)| rest).ok_or_else(|| format!("`{end}` is missing"))
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn add_text(elements: &mut [Element], open: Option<&usize>, text: &str) -> Result<(), String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(());
    }
    let element =
        open.and_then(|idx| elements.get_mut(*idx)).ok_or("there is text outside the root")?;
    element.text.push_str(text);
    Ok(())
}

/// Reads a start tag behind its `<`, and returns what follows it.
fn start<'a>(
    elements: &mut Vec<Element>,
    open: &mut Vec<usize>,
    text: &'a str,
) -> Result<&'a str, String> {
    let is_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-' | '.' | ':');
    let end = text.find(|it| !is_name(it)).ok_or("a tag does not end")?;
    if end == 0 || open.len() >= MAX_DEPTH || (open.is_empty() && !elements.is_empty()) {
        return Err("there is a `<` where no element can start".to_owned());
    }
    let mut element = Element {
        name: local(&text[..end]).to_owned(),
        parent: open.last().copied(),
        ..Element::default()
    };
    let mut rest = text[end..].trim_start();
    let is_closed = loop {
        if let Some(after) = rest.strip_prefix("/>") {
            rest = after;
            break true;
        }
        if let Some(after) = rest.strip_prefix('>') {
            rest = after;
            break false;
        }
        let (name, value) = rest.split_once('=').ok_or("an attribute has no value")?;
        let value = value.trim_start();
        let quote = value
            .chars()
            .next()
            .filter(|it| matches!(it, '"' | '\''))
            .ok_or("a value has no quotes")?;
        let (value, after) = value[1..].split_once(quote).ok_or("a value does not end")?;
        if !name.trim().chars().all(is_name) {
            return Err("an attribute has no name".to_owned());
        }
        element.attributes.push((local(name.trim()).to_owned(), decode(value)?));
        rest = after.trim_start();
    };
    let idx = elements.len();
    if let Some(parent) = element.parent.and_then(|idx| elements.get_mut(idx)) {
        parent.children.push(idx);
    }
    elements.push(element);
    if !is_closed {
        open.push(idx);
    }
    Ok(rest)
}

fn decode(text: &str) -> Result<String, String> {
    let mut decoded = String::new();
    let mut rest = text;
    while let Some((plain, entity)) = rest.split_once('&') {
        decoded.push_str(plain);
        let (name, after) = entity.split_once(';').ok_or("an `&` does not start an entity")?;
        let code = match name.strip_prefix('#') {
            Some(hex) if hex.starts_with(['x', 'X']) => u32::from_str_radix(&hex[1..], 16).ok(),
            Some(digits) => digits.parse().ok(),
            None => None,
        };
        decoded.push(match name {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "apos" => '\'',
            "quot" => '"',
            _ => code.and_then(char::from_u32).ok_or("an entity is unknown")?,
        });
        rest = after;
    }
    decoded.push_str(rest);
    Ok(decoded)
}
