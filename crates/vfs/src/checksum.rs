//! The checksum of the journal: CRC-32 as in zip, gzip and PNG.
//!
//! Written here because the fast implementations carry 16 KB of tables, none of which compress, into a module that is
//! downloaded; storage is slower than the kilobyte that this one needs.

/// The polynomial, its lowest power first.
const POLYNOMIAL: u32 = 0xedb8_8320;
/// What each value of a byte adds.
static TABLE: [u32; 256] = table();

/// The checksum of the parts, one after the other.
pub(crate) fn of(parts: &[&[u8]]) -> u32 {
    let mut checksum = u32::MAX;
    for part in parts {
        for byte in *part {
            let [low, ..] = checksum.to_le_bytes();
            // The table has a place for every byte.
            let added = TABLE.get(usize::from(low ^ byte)).copied().unwrap_or_default();
            checksum = (checksum >> 8) ^ added;
        }
    }
    !checksum
}

#[allow(clippy::indexing_slicing, reason = "evaluated by the compiler, which would say so")]
const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut value = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            value = (value >> 1) ^ (POLYNOMIAL * (value & 1));
            bit += 1;
        }
        table[byte] = value;
        byte += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn checksums_are_those_of_everyone_else() {
        let every_byte: Vec<u8> = (0..=u8::MAX).collect();
        let cases: [(&[&[u8]], u32); 6] = [
            (&[], 0),
            (&[b""], 0),
            (&[b"a"], 0xe8b7_be43),
            (&[b"123456789"], 0xcbf4_3926),
            (&[b"1234", b"", b"56789"], 0xcbf4_3926),
            (&[&every_byte], 0x2905_8c73),
        ];
        for (parts, expected) in cases {
            assert_eq!(of(parts), expected, "{parts:?}");
        }
    }
}
