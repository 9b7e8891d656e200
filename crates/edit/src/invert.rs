//! The edits that take other edits back.

use crate::edit_set::{Edit, EditError, EditSet};
use crate::normal;
use crate::text::Text;

impl EditSet {
    /// The text after the edits, and the edits that turn it back into `text`.
    pub fn invert(&self, text: &Text) -> Result<(Text, EditSet), EditError> {
        let result = self.apply(text)?;
        let inverse = self.landings().map(|landing| {
            let old = &text.bytes()[landing.old.start as usize..landing.old.end as usize];
            Edit::replace(landing.new.start, landing.new.end, old)
        });
        let inverse = normal::join(&result, inverse);
        Ok((result, inverse))
    }
}
