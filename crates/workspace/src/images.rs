//! The undo images of a transaction: what its files held before.

use std::collections::BTreeMap;

use edit::Text;
use snapshot::RelPath;

use crate::journal::v2::{Image, Intent};
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

/// The images of all files.
pub(crate) fn read(
    ctx: &Ctx<'_>,
    id: TransactionId,
    intent: &Intent,
) -> Result<Images, ImageError> {
    let image = |it: &Image| Ok((it.path.0.clone(), (read_one(ctx, id, it)?, it.mode)));
    intent.images.iter().map(image).collect()
}

/// The image of one file. Nothing is read for an image that the undo file has no room for.
pub(crate) fn read_one(
    ctx: &Ctx<'_>,
    id: TransactionId,
    image: &Image,
) -> Result<Text, ImageError> {
    let path = journal::undo_of(id);
    let Some(stat) = step("stat", &path, ctx.state.stat(&path))? else {
        return Err(ImageError::Gone);
    };
    let damaged = || ImageError::Damaged(image.path.0.clone());
    let end = image.offset.checked_add(image.length).ok_or_else(damaged)?;
    if end > stat.identity.size {
        return Err(damaged());
    }
    let bytes = step("read", &path, ctx.state.read_part(&path, image.offset, image.length))?;
    Some(Text::new(bytes)).filter(|it| it.hash() == image.hash.0).ok_or_else(damaged)
}
