//! Directives: `%YAML`, `%TAG`, and those that are reserved.

use super::{Error, Parser};
use crate::class::{BLANK, BREAK, FLOW, is};
use crate::tree::{Directive, DirectiveKind, Span};

impl<'a> Parser<'a> {
    /// Reads the directive at `pos`. `first` is the first directive of this document.
    pub(super) fn directive(&mut self, first: usize) -> Result<(), Error> {
        let start = self.pos;
        let name = self.word(start + 1);
        let (kind, end) = match &self.bytes[name.range()] {
            b"YAML" => self.yaml_directive(start, name, first)?,
            b"TAG" => self.tag_directive(start, name)?,
            b"" => return Err(self.fail(start + 1, "expected the name of a directive after `%`")),
            _ => {
                let mut end = name.end as usize;
                loop {
                    let next = self.skip_blanks(end);
                    if is(self.at(next), BREAK) || self.at(next) == b'#' {
                        break;
                    }
                    end = self.word(next).end as usize;
                }
                (DirectiveKind::Reserved, end)
            }
        };
        self.tree.directives.push(Directive { span: Span::new(start, end), kind });
        self.pos = end;
        self.end_line()
    }

    fn yaml_directive(
        &self,
        start: usize,
        name: Span,
        first: usize,
    ) -> Result<(DirectiveKind, usize), Error> {
        let others = self.tree.directives.get(first..).unwrap_or_default();
        if let Some(other) = others.iter().find(|it| it.kind == DirectiveKind::Yaml) {
            let message = "expected one `%YAML` directive, found a second";
            return Err(self.fail_in(start, message, "the first is", other.span.start as usize));
        }
        let version = self.word(self.skip_blanks(name.end as usize));
        let text = &self.bytes[version.range()];
        let is_number = |it: &[u8]| !it.is_empty() && it.iter().all(u8::is_ascii_digit);
        let (major, minor) = match memchr::memchr(b'.', text) {
            Some(dot) => (&text[..dot], &text[dot + 1..]),
            None => (text, &b""[..]),
        };
        if !is_number(major) || !is_number(minor) {
            return Err(self.fail(version.start as usize, "expected a version such as `1.2`"));
        }
        let is_first_major =
            major.iter().rev().skip(1).all(|it| *it == b'0') && major.ends_with(b"1");
        if !is_first_major {
            let message = "expected a version `1.x`: this is a reader of YAML 1.2";
            return Err(self.fail(version.start as usize, message));
        }
        Ok((DirectiveKind::Yaml, version.end as usize))
    }

    fn tag_directive(&mut self, start: usize, name: Span) -> Result<(DirectiveKind, usize), Error> {
        let handle = self.word(self.skip_blanks(name.end as usize));
        let bytes: &'a [u8] = self.bytes;
        let text = &bytes[handle.range()];
        let is_handle = match text {
            [b'!'] => true,
            [b'!', word @ .., b'!'] => {
                word.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'-')
            }
            _ => false,
        };
        if !is_handle {
            let message = "expected the handle of a tag: `!`, `!!` or `!name!`";
            return Err(self.fail(handle.start as usize, message));
        }
        let index = self.tree.directives.len();
        if let Some(other) = self.handles.insert(text, index) {
            let message = "expected one `%TAG` directive for this handle, found a second";
            let began = self.tree.directives[other].span.start;
            return Err(self.fail_in(start, message, "the first is", began as usize));
        }
        let prefix = self.skip_blanks(handle.end as usize);
        let end = self.uri_end(prefix, false)?;
        let is_prefix =
            end > prefix && !(is(self.at(prefix), FLOW)) && is(self.at(end), BLANK | BREAK);
        if !is_prefix {
            return Err(self.fail(end, "expected a URI that the handle stands for"));
        }
        Ok((DirectiveKind::Tag { handle, prefix: Span::new(prefix, end) }, end))
    }

    /// What stands up to the next blank or line break.
    fn word(&self, start: usize) -> Span {
        let mut end = start;
        while !is(self.at(end), BLANK | BREAK) {
            end += 1;
        }
        Span::new(start, end)
    }
}
