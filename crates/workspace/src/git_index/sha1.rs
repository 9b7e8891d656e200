//! SHA-1 (FIPS 180-4), which git ends its index with. It guards against accidents there and against nobody's intent.

const START: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];

/// The hash of the bytes.
pub(super) fn sha1(bytes: &[u8]) -> [u8; 20] {
    let mut state = START;
    let (blocks, rest) = bytes.as_chunks::<64>();
    blocks.iter().for_each(|it| compress(&mut state, it));
    // A one bit, zeros, and the length in bits at the end of a block.
    let mut last = rest.to_vec();
    last.push(0x80);
    let padded = if last.len() <= 56 { 56 } else { 120 };
    last.resize(padded, 0);
    last.extend_from_slice(&(bytes.len() as u64).wrapping_mul(8).to_be_bytes());
    last.as_chunks::<64>().0.iter().for_each(|it| compress(&mut state, it));
    let mut hash = [0; 20];
    for (to, word) in hash.as_chunks_mut::<4>().0.iter_mut().zip(state) {
        *to = word.to_be_bytes();
    }
    hash
}

fn compress(state: &mut [u32; 5], block: &[u8; 64]) {
    let mut words = [0_u32; 80];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for n in 16..80 {
        words[n] = (words[n - 3] ^ words[n - 8] ^ words[n - 14] ^ words[n - 16]).rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (n, word) in words.iter().enumerate() {
        let (mixed, constant) = match n {
            0..20 => ((b & c) | (!b & d), 0x5a82_7999),
            20..40 => (b ^ c ^ d, 0x6ed9_eba1),
            40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e);
        let next = next.wrapping_add(constant).wrapping_add(*word);
        (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
    }
    for (sum, word) in state.iter_mut().zip([a, b, c, d, e]) {
        *sum = sum.wrapping_add(word);
    }
}

#[cfg(test)]
mod tests {
    use super::sha1;

    fn hex(bytes: &[u8]) -> String {
        sha1(bytes).iter().map(|it| format!("{it:02x}")).collect()
    }

    /// The examples of FIPS 180, and lengths around the end of a block.
    #[test]
    fn the_published_examples_come_out() {
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        let two_blocks = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(hex(two_blocks), "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(hex(&[b'a'; 1_000_000]), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
        assert_eq!(hex(&[b'a'; 55]), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
        assert_eq!(hex(&[b'a'; 64]), "0098ba824b5c16427bd7a1122a5a442a25ec644d");
    }
}
