//! Where a place in a text is after the edits.
//!
//! An offset names the gap before a byte. An edit leaves the gaps at its two ends alone and takes away the
//! ones inside the bytes it replaces; an insertion splits a gap, and the caller says which half is meant.

use crate::edit_set::{EditSet, Landing, shifted};

/// Which side of inserted text an offset goes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bias {
    /// Before the inserted text; the start of the text that replaced the place.
    Before,
    /// After the inserted text; the end of the text that replaced the place.
    After,
}

/// Where an offset is after the edits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mapped {
    /// The place is still there.
    Kept(u32),
    /// The place was strictly inside replaced bytes. This is the end of the new text on the side of the bias.
    Deleted(u32),
}

impl Mapped {
    /// The offset after the edits, whether the place is still there or not.
    pub fn offset(self) -> u32 {
        match self {
            Mapped::Kept(offset) | Mapped::Deleted(offset) => offset,
        }
    }
}

/// Maps many offsets through one [`EditSet`], each in logarithmic time.
///
/// ```
/// use edit::{Bias, Edit, EditSet, Mapped, PositionMap, Text};
///
/// let text = Text::new("one two three");
/// let edits = EditSet::new(&text, vec![Edit::replace(4, 7, "2")])?;
/// let map = PositionMap::new(&edits);
/// assert_eq!(map.map(8, Bias::Before), Mapped::Kept(6));
/// assert_eq!(map.map(5, Bias::Before), Mapped::Deleted(4));
/// # Ok::<(), edit::EditError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PositionMap {
    landings: Vec<Landing>,
}

impl PositionMap {
    /// The map of `edits`.
    pub fn new(edits: &EditSet) -> PositionMap {
        PositionMap { landings: edits.landings().collect() }
    }

    /// Where `offset` is after the edits. Keeps the order of offsets for one bias. An offset beyond the text
    /// keeps its distance from the end.
    pub fn map(&self, offset: u32, bias: Bias) -> Mapped {
        let n_before = self.landings.partition_point(|it| it.old.end < offset);
        let (before, rest) = self.landings.split_at(n_before);
        if let Some(inside) = rest.first().filter(|it| it.old.start < offset && offset < it.old.end)
        {
            return Mapped::Deleted(match bias {
                Bias::Before => inside.new.start,
                Bias::After => inside.new.end,
            });
        }
        let plain = shifted(offset, before.last().map_or(0, |it| it.shift));
        // At most one replacement that ends here, then the insertions made here. Mostly there are none.
        let is_touching = |it: &Landing| it.old.start < offset || it.old.end == offset;
        let n_touching = if rest.first().is_some_and(is_touching) {
            rest.partition_point(is_touching)
        } else {
            0
        };
        let touching = &rest[..n_touching];
        Mapped::Kept(match bias {
            Bias::Before => {
                touching.first().filter(|it| it.old.start < offset).map_or(plain, |it| it.new.end)
            }
            Bias::After => touching.last().map_or(plain, |it| it.new.end),
        })
    }
}

impl EditSet {
    /// Where `offset` is after the edits, in time linear in the edits. For many offsets: [`PositionMap`].
    pub fn map_offset(&self, offset: u32, bias: Bias) -> Mapped {
        PositionMap::new(self).map(offset, bias)
    }
}

#[cfg(test)]
mod tests;
