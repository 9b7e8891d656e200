//! Two edit sets, one after the other, as one.

use crate::edit_set::{Edit, EditError, EditSet, shifted};
use crate::normal;
use crate::text::Text;

impl EditSet {
    /// `self` and then `next`, as one set for `text`. Bytes that neither touches are not part of it, and
    /// what `next` puts back as it was is not either.
    ///
    /// Fails if `self` was not made for `text` or `next` not for the result of `self`.
    ///
    /// ```
    /// use edit::{Edit, EditSet, Text};
    ///
    /// let text = Text::new("port: 1");
    /// let first = EditSet::new(&text, vec![Edit::replace(6, 7, "8080")])?;
    /// let after = first.apply(&text)?;
    /// let second = EditSet::new(&after, vec![Edit::replace(0, 4, "PORT")])?;
    /// let both = first.compose(&text, &second)?;
    /// assert_eq!(both.apply(&text)?.bytes(), b"PORT: 8080");
    /// # Ok::<(), edit::EditError>(())
    /// ```
    pub fn compose(&self, text: &Text, next: &EditSet) -> Result<EditSet, EditError> {
        let middle = self.apply(text)?;
        next.check_base(&middle)?;
        let middle = middle.bytes();
        let mut firsts = self.landings().peekable();
        let mut seconds = next.edits().iter().peekable();
        let mut composed = Vec::with_capacity(self.edits().len() + next.edits().len());
        // What lies between an offset of `middle` and the same place in `text`.
        let mut shift = 0;
        // Each round takes one run of edits that touch one another in `middle`.
        while let Some(start) =
            [firsts.peek().map(|it| it.new.start), seconds.peek().map(|it| it.start)]
                .into_iter()
                .flatten()
                .min()
        {
            let old_start = shifted(start, -shift);
            let (mut end, mut copied) = (start, start as usize);
            let mut new = Vec::new();
            loop {
                if let Some(first) = firsts.next_if(|it| it.new.start <= end) {
                    end = end.max(first.new.end);
                    shift = first.shift;
                } else if let Some(second) = seconds.next_if(|it| it.start <= end) {
                    new.extend_from_slice(&middle[copied..second.start as usize]);
                    new.extend_from_slice(&second.text);
                    copied = second.end as usize;
                    end = end.max(second.end);
                } else {
                    break;
                }
            }
            new.extend_from_slice(&middle[copied..end as usize]);
            composed.push(normal::trim(text, Edit::replace(old_start, shifted(end, -shift), new)));
        }
        Ok(normal::join(text, composed))
    }
}

#[cfg(test)]
mod tests;
