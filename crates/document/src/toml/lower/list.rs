//! What stands between brackets: the items of arrays and the entries of inline tables.
//!
//! Elements that have lines of their own are added and removed line by line, others together with the comma and
//! the blanks beside them.

use std::collections::BTreeMap;

use super::value::contains_comment;
use super::{TomlLowering, base};
use crate::draft::Node;
use crate::refusal::Refusal;
use crate::toml::layout::InsertionRank;
use crate::toml::tree::NodeForm;

/// The elements between two brackets, and what is to become of them.
struct List {
    /// After the opening bracket.
    open: u32,
    /// At the closing one.
    close: u32,
    elements: Vec<(u32, u32)>,
    is_removed: Vec<bool>,
    /// New elements by the number of old ones, removed ones included, that stand before them.
    inserted: BTreeMap<usize, Vec<String>>,
    /// What stands between a bracket and the only element of a new list.
    padding: &'static str,
}

impl List {
    fn n_elements(&self) -> usize {
        self.elements.len()
    }

    fn last_kept_before(&self, end: usize) -> Option<usize> {
        (0..end).rev().find(|nth| !self.is_removed[*nth])
    }
}

impl TomlLowering<'_> {
    pub(super) fn array(&mut self, array: u32) -> Result<(), Refusal> {
        let draft = self.draft;
        let Some(members) = draft.members(base(array)) else { return Ok(()) };
        let items: Vec<u32> = self.tree.child_ids(array).collect();
        let spans = items.iter().map(|it| self.tree.value_span(*it)).map(|it| (it.start, it.end));
        let mut list = self.list_of(array, spans.collect(), "");
        let mut n_before = 0;
        for member in &members {
            let Some(origin) = member.origin.map(|it| it as usize) else {
                self.guard_tail(member.node)?;
                let text = self.value_text(member.node, None, array)?;
                list.inserted.entry(n_before).or_default().push(text);
                continue;
            };
            n_before = origin + 1;
            list.is_removed[origin] = false;
            self.element(items[origin], member.node, array)?;
        }
        self.write_list(&list);
        Ok(())
    }

    pub(super) fn inline_table(&mut self, table: u32) -> Result<(), Refusal> {
        if self.draft.members(base(table)).is_none() {
            return Ok(());
        }
        let entries = self.entries(table);
        let span = |id: &u32| (self.tree.statement(*id).start, self.tree.statement(*id).end);
        let mut list = self.list_of(table, entries.iter().map(span).collect(), " ");
        list.is_removed = vec![false; entries.len()];
        self.entries_of(table, "", &entries, &mut list)?;
        self.write_list(&list);
        Ok(())
    }

    fn list_of(&self, node: u32, elements: Vec<(u32, u32)>, padding: &'static str) -> List {
        let span = self.tree.value_span(node);
        let is_removed = vec![true; elements.len()];
        let (open, close) = (span.start + 1, span.end - 1);
        List { open, close, elements, is_removed, inserted: BTreeMap::new(), padding }
    }

    /// Lowers an element that keeps its place, or puts another value there.
    fn element(&mut self, old: u32, node: Node, container: u32) -> Result<(), Refusal> {
        if node == base(old) {
            return self.inside(old);
        }
        self.guard_tail(node)?;
        let text = self.value_text(node, Some(old), container)?;
        let span = self.tree.value_span(old);
        self.changes.replace(span.start, span.end, text);
        Ok(())
    }

    /// The entries that spell what an inline table, or a dotted table inside one, holds.
    fn entries(&self, table: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut pending: Vec<u32> = self.tree.child_ids(table).collect();
        while let Some(node) = pending.pop() {
            match self.tree.form(node) {
                NodeForm::Dotted => pending.extend(self.tree.child_ids(node)),
                _ => found.extend(self.tree.statement_of(node)),
            }
        }
        found.sort_unstable();
        found
    }

    fn entries_of(
        &mut self,
        table: u32,
        prefix: &str,
        entries: &[u32],
        list: &mut List,
    ) -> Result<(), Refusal> {
        let draft = self.draft;
        let Some(members) = draft.members(base(table)) else { return Ok(()) };
        let children: Vec<u32> = self.tree.child_ids(table).collect();
        let mut is_settled = vec![false; children.len()];
        let own = self.entries(table);
        let position = |id: &u32| entries.binary_search(id).unwrap_or_default();
        let n_before = own.last().map_or(0, |id| position(id) + 1);
        for member in &members {
            let old = member.origin.and_then(|origin| children.get(origin as usize).copied());
            let key = self.member_key(member, old, children.last().copied());
            let spelled = [prefix, &key].concat();
            if let (Some(child), Some(origin)) = (old, member.origin)
                && (member.node == base(child) || self.tree.form(child) != NodeForm::Dotted)
            {
                is_settled[origin as usize] = true;
                if member.new_key.is_some() {
                    self.respell(child, &key);
                }
                if self.tree.form(child) == NodeForm::Dotted {
                    self.entries_of(child, &[&spelled, "."].concat(), entries, list)?;
                } else {
                    self.element(child, member.node, table)?;
                }
                continue;
            }
            self.guard_tail(member.node)?;
            let value = self.value_text(member.node, None, table)?;
            let sign = self.equals_sign(&spelled, own.last().copied());
            let place = old.and_then(|it| self.entries(it).last().map(|id| position(id) + 1));
            let text = [spelled, sign, value].concat();
            list.inserted.entry(place.unwrap_or(n_before)).or_default().push(text);
        }
        for (child, _) in children.iter().zip(&is_settled).filter(|(_, settled)| !**settled) {
            let gone = match self.tree.form(*child) {
                NodeForm::Dotted => self.entries(*child),
                _ => self.tree.statement_of(*child).into_iter().collect(),
            };
            for id in gone {
                list.is_removed[position(&id)] = true;
            }
        }
        if members.is_empty() && self.tree.form(table) == NodeForm::Dotted {
            let spelled = prefix.strip_suffix('.').unwrap_or(prefix);
            let text = [spelled, &self.equals_sign(spelled, own.last().copied()), "{}"].concat();
            list.inserted.entry(n_before).or_default().push(text);
        }
        Ok(())
    }

    fn write_list(&mut self, list: &List) {
        let Some(last_kept) = list.last_kept_before(list.n_elements()) else {
            self.write_emptied_list(list);
            return;
        };
        let has_final_comma =
            list.elements.last().is_some_and(|it| self.layout.comma_after(it.1).is_some());
        for nth in (0..list.n_elements()).filter(|nth| list.is_removed[*nth]) {
            self.remove_element(list, nth, nth > last_kept);
        }
        let is_line = self.has_own_lines(list.elements[last_kept]);
        let follows_last = list.inserted.range(last_kept + 1..).next().is_some();
        if last_kept + 1 < list.n_elements() && !has_final_comma && !(is_line && follows_last) {
            self.delete_comma(list.elements[last_kept].1);
        }
        let last_group = list.inserted.keys().next_back().copied();
        for (n_before, texts) in &list.inserted {
            let ends_bare =
                *n_before > last_kept && last_group == Some(*n_before) && !has_final_comma;
            self.insert_elements(list, *n_before, texts, ends_bare);
        }
    }

    fn insert_elements(&mut self, list: &List, n_before: usize, texts: &[String], ends_bare: bool) {
        let as_lines = |at: u32| {
            let indent = self.layout.indent(at);
            let line = |(nth, text): (usize, &String)| {
                let comma = if ends_bare && nth + 1 == texts.len() { "" } else { "," };
                [indent, text, comma, self.layout.newline].concat()
            };
            texts.iter().enumerate().map(line).collect::<String>()
        };
        if let Some(nth) = list.last_kept_before(n_before) {
            let (start, end) = list.elements[nth];
            if self.has_own_lines((start, end)) {
                let at = self.layout.line_end(end);
                let text = as_lines(start);
                if self.layout.comma_after(end).is_none() {
                    self.changes.insert(end, InsertionRank::Body, ",".to_string());
                }
                self.changes.insert(at, InsertionRank::Body, text);
            } else {
                let separator = self.separator(list);
                let text = texts.iter().flat_map(|text| [separator, text]).collect();
                self.changes.insert(end, InsertionRank::Body, text);
            }
            return;
        }
        let next = (n_before..list.n_elements()).find(|nth| !list.is_removed[*nth]);
        let Some((start, end)) = next.map(|nth| list.elements[nth]) else { return };
        if self.has_own_lines((start, end)) {
            let after_bracket = self.layout.rest_of_line(list.open);
            let after_bracket = after_bracket.trim_start_matches([' ', '\t']);
            let is_free = after_bracket.is_empty() || after_bracket.starts_with('#');
            let at = if is_free {
                self.layout.line_end(list.open)
            } else {
                self.layout.line_start(start)
            };
            let text = as_lines(start);
            self.changes.insert(at, InsertionRank::Body, text);
        } else {
            let separator = self.separator(list);
            let text = texts.iter().flat_map(|text| [text, separator]).collect();
            self.changes.insert(start, InsertionRank::Body, text);
        }
    }

    /// Writes a list of which no old element is left.
    fn write_emptied_list(&mut self, list: &List) {
        let texts: Vec<&str> = list.inserted.values().flatten().map(String::as_str).collect();
        let inside = self.layout.slice(list.open, list.close);
        let Some(&first) = list.elements.first() else {
            if texts.is_empty() {
                return;
            }
            if inside.contains('\n') && self.layout.starts_line(list.close) {
                let close_line = self.layout.line_start(list.close);
                let above = self.layout.line_above(close_line).unwrap_or(close_line);
                let newline = self.layout.newline;
                let indent = if self.layout.is_comment(above) {
                    self.layout.indent(above).to_string()
                } else {
                    self.layout.indent(list.close).to_string() + "    "
                };
                let line = |text: &&str| [&indent, *text, ",", newline].concat();
                let text = texts.iter().map(line).collect();
                self.changes.insert(self.layout.line_start(list.close), InsertionRank::Body, text);
            } else {
                let text = [list.padding, &texts.join(", "), list.padding].concat();
                self.changes.replace(list.open, list.close, text);
            }
            return;
        };
        if texts.is_empty() && !contains_comment(inside) {
            self.changes.delete(list.open, list.close);
            return;
        }
        let is_line = self.has_own_lines(first);
        let last = list.elements.last().map_or(first.1, |it| it.1);
        let has_final_comma = self.layout.comma_after(last).is_some();
        let final_comma = if has_final_comma { "," } else { "" };
        if is_line {
            let separator = [",", self.layout.newline, self.layout.indent(first.0)].concat();
            let text = [
                self.layout.indent(first.0),
                &texts.join(&separator),
                final_comma,
                self.layout.newline,
            ];
            let text = if texts.is_empty() { String::new() } else { text.concat() };
            self.changes.insert(self.layout.line_start(first.0), InsertionRank::Body, text);
        } else {
            let comma = if texts.is_empty() { "" } else { final_comma };
            let text = texts.join(", ") + comma;
            self.changes.insert(first.0, InsertionRank::Body, text);
        }
        for nth in 0..list.n_elements() {
            self.remove_element(list, nth, nth > 0);
        }
        self.delete_comma(last);
    }

    /// Whether an element starts its line and nothing but its comma and a comment ends it.
    pub(super) fn has_own_lines(&self, (start, end): (u32, u32)) -> bool {
        if !self.layout.starts_line(start) {
            return false;
        }
        let after = match self.layout.comma_after(end) {
            Some(comma) if self.layout.breaks_between(end, comma) => return false,
            Some(comma) => comma + 1,
            None => end,
        };
        let rest = self.layout.rest_of_line(after);
        let rest = rest.trim_start_matches([' ', '\t']);
        rest.is_empty() || rest.starts_with('#')
    }

    /// Removes an element. `is_tail` says that no element is left after it.
    fn remove_element(&mut self, list: &List, nth: usize, is_tail: bool) {
        let (start, end) = list.elements[nth];
        if self.has_own_lines((start, end)) {
            let (line, end) = (self.layout.line_start(start), self.layout.line_end(end));
            let is_apart = self.layout.blank_lines_below(end) > end;
            let is_first = self.layout.line_above(line) == Some(self.layout.line_start(list.open));
            if is_first && !is_tail {
                self.changes.delete(line, self.layout.blank_lines_below(end));
            } else if is_tail || is_apart {
                self.changes.delete(self.layout.blank_lines_above(line), end);
            } else {
                self.changes.delete(line, end);
            }
            return;
        }
        if is_tail {
            self.changes.delete(self.layout.blanks_before(start), end);
            self.delete_comma(end);
            return;
        }
        let comma = self.layout.comma_after(end);
        let Some(comma) = comma.filter(|it| !self.layout.breaks_between(end, *it)) else {
            self.changes.delete(start, end);
            self.delete_comma(end);
            return;
        };
        let stop = comma + 1;
        if self.layout.ends_line(stop) {
            self.changes.delete(self.layout.blanks_before(start), stop);
        } else {
            self.changes.delete(start, self.layout.blanks_after(stop));
        }
    }

    fn delete_comma(&mut self, end: u32) {
        if let Some(comma) = self.layout.comma_after(end) {
            self.changes.delete(comma, comma + 1);
        }
    }

    /// A comma with a blank after it, unless the list has none there.
    fn separator(&self, list: &List) -> &'static str {
        let last = list.elements.windows(2).next_back();
        let is_tight = last.is_some_and(|pair| self.tree.slice(pair[0].1..pair[1].0) == ",");
        if is_tight { "," } else { ", " }
    }
}
