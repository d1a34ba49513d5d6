//! How large an image says it is, without decoding it.

/// Width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// From left to right.
    pub width: u32,
    /// From top to bottom.
    pub height: u32,
}

/// The size in the header of a file of a media type. `None` if it is not found where it should be.
pub(crate) fn size(bytes: &[u8], media_type: &str) -> Option<Size> {
    let file = File(bytes);
    let (width, height) = match media_type {
        "image/png" => (file.big4(16)?, file.big4(20)?),
        "image/gif" => (file.little2(6)?, file.little2(8)?),
        "image/bmp" if file.little4(14)? == 12 => (file.little2(18)?, file.little2(20)?),
        // A negative height is one from the top.
        "image/bmp" => (file.little4(18)?.cast_signed().unsigned_abs(), file.little4(22)?.cast_signed().unsigned_abs()),
        "image/webp" => webp(file)?,
        "image/jpeg" => jpeg(file)?,
        _ => return None,
    };
    Some(Size { width, height })
}

#[derive(Clone, Copy)]
struct File<'a>(&'a [u8]);

impl File<'_> {
    fn byte(self, at: usize) -> Option<u32> {
        self.0.get(at).map(|byte| u32::from(*byte))
    }

    fn little2(self, at: usize) -> Option<u32> {
        Some(self.byte(at)? | self.byte(at + 1)? << 8)
    }

    fn little3(self, at: usize) -> Option<u32> {
        Some(self.little2(at)? | self.byte(at + 2)? << 16)
    }

    fn little4(self, at: usize) -> Option<u32> {
        Some(self.little2(at)? | self.little2(at + 2)? << 16)
    }

    fn big2(self, at: usize) -> Option<u32> {
        Some(self.byte(at)? << 8 | self.byte(at + 1)?)
    }

    fn big4(self, at: usize) -> Option<u32> {
        Some(self.big2(at)? << 16 | self.big2(at + 2)?)
    }
}

/// One of three kinds, by the name of the first chunk.
fn webp(file: File<'_>) -> Option<(u32, u32)> {
    match file.0.get(12..16)? {
        b"VP8X" => Some((file.little3(24)? + 1, file.little3(27)? + 1)),
        b"VP8L" => {
            let bits = file.little4(21)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => Some((file.little2(26)? & 0x3fff, file.little2(28)? & 0x3fff)),
        _ => None,
    }
}

/// From segment to segment until the one that begins the image.
fn jpeg(file: File<'_>) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if file.byte(at)? != 0xff {
            return None;
        }
        match file.byte(at + 1)? {
            // Filling.
            0xff => at += 1,
            // Those without a length.
            0x01 | 0xd0..=0xd8 => at += 2,
            // C4, C8 and CC are tables.
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((file.big2(at + 7)?, file.big2(at + 5)?));
            }
            // The image's data, or the end.
            0xd9 | 0xda => return None,
            _ => at += 2 + usize::try_from(file.big2(at + 2)?).ok()?.max(2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Case = (&'static str, Vec<u8>, Option<(u32, u32)>);

    #[test]
    fn the_header_says_the_size() {
        let at = |bytes: &[u8], offset: usize, field: &[u8]| {
            let mut file = bytes.to_vec();
            file.resize(file.len().max(offset), 0);
            file.extend_from_slice(field);
            file
        };
        let jpeg = [
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0".as_slice(),
            b"\xff\xc4\0\x05abc\xff\xff\xc2\0\x11\x08\x02\x58\x03\x20\x03",
        ];
        let cases: [Case; 14] = [
            ("image/png", at(b"\x89PNG\r\n\x1a\n", 16, b"\0\0\x0b\xb8\0\x01\0\0"), Some((3000, 65536))),
            ("image/gif", b"GIF89a\x20\x03\x58\x02".to_vec(), Some((800, 600))),
            ("image/bmp", at(b"BM", 14, b"\x28\0\0\0\x20\x03\0\0\xa8\xfd\xff\xff"), Some((800, 600))),
            ("image/bmp", at(b"BM", 14, b"\x0c\0\0\0\x20\x03\x58\x02"), Some((800, 600))),
            ("image/webp", at(b"RIFF____WEBPVP8X", 24, b"\x1f\x03\0\x57\x02\0"), Some((800, 600))),
            ("image/webp", at(b"RIFF____WEBPVP8L____\x2f", 21, &(799_u32 | 599 << 14).to_le_bytes()), Some((800, 600))),
            ("image/webp", at(b"RIFF____WEBPVP8 ", 26, b"\x20\x03\x58\x02"), Some((800, 600))),
            ("image/webp", b"RIFF____WEBPxxxx".to_vec(), None),
            ("image/jpeg", jpeg.concat(), Some((800, 600))),
            ("image/jpeg", b"\xff\xd8\xff\xda\0\x02".to_vec(), None),
            ("image/jpeg", b"\xff\xd8\0".to_vec(), None),
            ("image/jpeg", b"\xff\xd8\xff\xe0\0\0\xff\xe0\0\0\xff\xd9".to_vec(), None),
            ("image/png", b"\x89PNG".to_vec(), None),
            ("text/plain", b"x".to_vec(), None),
        ];
        for (media_type, bytes, expected) in cases {
            let found = size(&bytes, media_type).map(|size| (size.width, size.height));
            assert_eq!(found, expected, "{media_type} {bytes:?}");
            // Cut anywhere, it has another size or none, and that is all.
            for end in 0..bytes.len() {
                let _ = size(&bytes[..end], media_type);
            }
        }
    }
}
