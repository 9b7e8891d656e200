//! The seal of a cache: a hash of its bytes that is keyed with the very program that wrote it. What another build wrote,
//! or somebody who does not know this program's file, is not believed.

use crate::cache::program_identity;
use crate::fs::FileIdentity;

/// What the first bytes of a sealed cache say it is.
pub type CacheMagic = [u8; 16];

const SEAL_BYTES: usize = 32;

/// Makes and checks seals.
#[derive(Clone, Copy)]
pub struct Seal {
    key: [u8; 32],
}

impl Seal {
    /// The seal of this program; `None` if it cannot be told which program this is.
    pub fn own() -> Option<Seal> {
        program_identity().map(|it| Seal::of(&it))
    }

    /// The seal of a program with this identity.
    pub fn of(program: &FileIdentity) -> Seal {
        let FileIdentity { device, inode, size, modified, changed } = *program;
        let mut hasher = blake3::Hasher::new_derive_key("regreen check cache seal v1");
        for number in [device, inode, size] {
            hasher.update(&number.to_le_bytes());
        }
        for time in [modified, changed] {
            hasher.update(&time.to_le_bytes());
        }
        hasher.update(env!("CARGO_PKG_VERSION").as_bytes());
        Seal { key: *hasher.finalize().as_bytes() }
    }

    /// The bytes of a cache.
    pub fn close(&self, mark: &CacheMagic, body: &[u8]) -> Vec<u8> {
        let seal = blake3::keyed_hash(&self.key, body);
        [mark.as_slice(), seal.as_bytes(), body].concat()
    }

    /// What is in a cache, if this program wrote all of it.
    pub fn open<'a>(&self, mark: &CacheMagic, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (seal, body) = bytes.strip_prefix(mark)?.split_first_chunk::<SEAL_BYTES>()?;
        (blake3::keyed_hash(&self.key, body) == *seal).then_some(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: CacheMagic = *b"a mark of sixtee";

    #[test]
    fn a_changed_byte_a_missing_end_or_another_program_breaks_the_seal() {
        let program = |changed| Seal::of(&FileIdentity { changed, ..FileIdentity::default() });
        for body in [b"".as_slice(), b"0", b"some bytes"] {
            let closed = program(1).close(&MARK, body);
            assert_eq!(program(1).open(&MARK, &closed), Some(body));
            assert_eq!(program(2).open(&MARK, &closed), None);
            assert_eq!(program(1).open(b"another mark of ", &closed), None);
            for at in 0..closed.len() {
                let mut changed = closed.clone();
                changed[at] ^= 1;
                assert_eq!(program(1).open(&MARK, &changed), None, "byte {at}");
                assert_eq!(program(1).open(&MARK, &closed[..at]), None, "cut at {at}");
            }
            assert_eq!(program(1).open(&MARK, &[closed.as_slice(), b"x"].concat()), None);
        }
    }
}
