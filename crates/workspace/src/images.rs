//! The undo images of a transaction: what its files held before.

use std::collections::BTreeMap;

use edit::Text;
use snapshot::RelPath;

use crate::journal::v1::{Image, Intent};
use crate::journal::{self, TransactionId};
use crate::step::{Ctx, StepError, step};

/// The bytes and the mode of every file before the transaction.
pub(crate) type Images = BTreeMap<RelPath, (Text, u32)>;

/// Why there are no images.
pub(crate) enum ImageError {
    /// They were pruned.
    Gone,
    /// The image of this file is not what was written.
    Damaged(RelPath),
    Step(StepError),
}

impl From<StepError> for ImageError {
    fn from(error: StepError) -> ImageError {
        ImageError::Step(error)
    }
}

pub(crate) fn read(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<Images, ImageError> {
    let path = journal::undo_of(id);
    if step("look at", &path, ctx.fs.stat(&path))?.is_none() {
        return Err(ImageError::Gone);
    }
    let (bytes, _) = step("read", &path, ctx.fs.read(&path, u64::MAX))?;
    let cut = |image: &Image| -> Option<Text> {
        let start = usize::try_from(image.offset).ok()?;
        let end = start.checked_add(usize::try_from(image.length).ok()?)?;
        Some(Text::new(bytes.get(start..end)?)).filter(|text| text.hash() == image.hash.0)
    };
    let image = |image: &Image| {
        let path = image.path.0.clone();
        match cut(image) {
            Some(text) => Ok((path, (text, image.mode))),
            None => Err(ImageError::Damaged(path)),
        }
    };
    intent.images.iter().map(image).collect()
}
