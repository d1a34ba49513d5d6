//! The checksum of the journal: CRC-32 as in zip, gzip and PNG.
//!
//! Written here because the fast implementations carry their tables into a module that is downloaded. Here they are made
//! when they are first needed: eight of them, so that eight bytes are taken in at once and a large workspace opens at
//! the speed of its storage.

use std::sync::OnceLock;

/// The polynomial, its lowest power first.
const POLYNOMIAL: u32 = 0xedb8_8320;

type Table = [u32; 256];

/// The checksum of the parts, one after the other.
pub(crate) fn of(parts: &[&[u8]]) -> u32 {
    let tables = tables();
    !parts.iter().fold(u32::MAX, |checksum, part| extended(tables, checksum, part))
}

fn extended(tables: &[Table; 8], mut checksum: u32, bytes: &[u8]) -> u32 {
    let [first, second, third, fourth, fifth, sixth, seventh, eighth] = tables;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for [b0, b1, b2, b3, b4, b5, b6, b7] in chunks {
        let [c0, c1, c2, c3] = checksum.to_le_bytes();
        checksum = entry(eighth, b0 ^ c0)
            ^ entry(seventh, b1 ^ c1)
            ^ entry(sixth, b2 ^ c2)
            ^ entry(fifth, b3 ^ c3)
            ^ entry(fourth, *b4)
            ^ entry(third, *b5)
            ^ entry(second, *b6)
            ^ entry(first, *b7);
    }
    for byte in rest {
        let [low, ..] = checksum.to_le_bytes();
        checksum = (checksum >> 8) ^ entry(first, low ^ byte);
    }
    checksum
}

/// What a byte adds; a table has a place for every one.
fn entry(table: &Table, byte: u8) -> u32 {
    table.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The first table is what each value of a byte adds, each further one what it adds when one more byte follows.
fn tables() -> &'static [Table; 8] {
    static TABLES: OnceLock<[Table; 8]> = OnceLock::new();
    TABLES.get_or_init(|| {
        let first: Table =
            std::array::from_fn(|byte| (0..8).fold(byte as u32, |value, _| (value >> 1) ^ (POLYNOMIAL * (value & 1))));
        let mut previous = first;
        std::array::from_fn(|at| {
            if at > 0 {
                previous = previous.map(|value| {
                    let [low, ..] = value.to_le_bytes();
                    (value >> 8) ^ entry(&first, low)
                });
            }
            previous
        })
    })
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn checksums_are_those_of_everyone_else() {
        let every_byte: Vec<u8> = (0..=u8::MAX).collect();
        let cases: [(&[&[u8]], u32); 7] = [
            (&[], 0),
            (&[b""], 0),
            (&[b"a"], 0xe8b7_be43),
            (&[b"123456789"], 0xcbf4_3926),
            (&[b"1234", b"", b"56789"], 0xcbf4_3926),
            (&[&every_byte], 0x2905_8c73),
            (&[&every_byte[..13], &every_byte[13..]], 0x2905_8c73),
        ];
        for (parts, expected) in cases {
            assert_eq!(of(parts), expected, "{parts:?}");
        }
    }
}
