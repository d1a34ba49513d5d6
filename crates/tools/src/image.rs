//! Which bytes are an image that a model can be shown, and in which size.

mod fit;
mod size;

pub(crate) use fit::{Fitted, fit, fits};
pub use fit::{Format, Images, Picture};
pub use size::Size;
pub(crate) use size::size;

/// Base64 characters of one image at most: what providers take.
pub const MAX_BASE64: usize = 4_718_592;
/// Bytes in which the format shows itself.
const SNIFFED: usize = 4100;

/// The media type by the bytes themselves; a file's name says nothing. `None` for anything that is no still image.
pub fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let bytes = bytes.get(..SNIFFED).unwrap_or(bytes);
    let at = |offset: usize, wanted: &[u8]| bytes.get(offset..).is_some_and(|bytes| bytes.starts_with(wanted));
    // FF D8 FF F7 is JPEG-LS, which no model reads.
    if at(0, &[0xff, 0xd8, 0xff]) && !at(3, &[0xf7]) {
        return Some("image/jpeg");
    }
    if at(0, b"\x89PNG\r\n\x1a\n") {
        return (!is_animated_png(bytes)).then_some("image/png");
    }
    if at(0, b"GIF87a") || at(0, b"GIF89a") {
        return Some("image/gif");
    }
    if at(0, b"RIFF") && at(8, b"WEBP") {
        return Some("image/webp");
    }
    (at(0, b"BM") && has_bmp_header(bytes)).then_some("image/bmp")
}

/// Whether an `acTL` chunk comes before the first image data.
fn is_animated_png(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(8..).unwrap_or_default();
    while let Some((length, tail)) = rest.split_first_chunk::<4>() {
        match tail.get(..4) {
            Some(b"acTL") => return true,
            None | Some(b"IDAT") => return false,
            Some(_) => {}
        }
        // Type and checksum are four bytes each.
        let skip = usize::try_from(u32::from_be_bytes(*length)).unwrap_or(usize::MAX).saturating_add(8);
        rest = tail.get(skip..).unwrap_or_default();
    }
    false
}

/// Two letters are too little to go by: the header has to be one that exists, with one plane and a real depth.
fn has_bmp_header(bytes: &[u8]) -> bool {
    let word = |offset: usize| bytes.get(offset..)?.first_chunk::<2>().map(|word| u16::from_le_bytes(*word));
    let double = |offset: usize| bytes.get(offset..)?.first_chunk::<4>().map(|double| u32::from_le_bytes(*double));
    let (planes, depth) = match double(14) {
        Some(12) => (word(22), word(24)),
        Some(40 | 52 | 56 | 64 | 108 | 124) => (word(26), word(28)),
        _ => return false,
    };
    planes == Some(1) && matches!(depth, Some(1 | 4 | 8 | 16 | 24 | 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_decide() {
        let png = |chunks: &[&[u8]]| [b"\x89PNG\r\n\x1a\n".as_slice(), &chunks.concat()].concat();
        let header: &[u8] = b"\0\0\0\rIHDR0123456789abcCRC!";
        let bmp = |size: u8, rest: &[u8]| [b"BM0123456789ab".as_slice(), &[size, 0, 0, 0], rest].concat();
        let cases: &[(&str, Vec<u8>, Option<&str>)] = &[
            ("jpeg", vec![0xff, 0xd8, 0xff, 0xe0], Some("image/jpeg")),
            ("jpeg-ls", vec![0xff, 0xd8, 0xff, 0xf7], None),
            ("png", png(&[header, b"\0\0\0\x01IDATxCRC!"]), Some("image/png")),
            ("animated png", png(&[header, b"\0\0\0\x08acTL01234567CRC!", b"\0\0\0\x01IDATx"]), None),
            ("acTL after the data", png(&[header, b"\0\0\0\x01IDATxCRC!", b"\0\0\0\x08acTL"]), Some("image/png")),
            ("png with an endless chunk", png(&[b"\xff\xff\xff\xffIHDR"]), Some("image/png")),
            ("gif", b"GIF89a..".to_vec(), Some("image/gif")),
            ("old gif", b"GIF87a..".to_vec(), Some("image/gif")),
            ("webp", b"RIFF....WEBPVP8 ".to_vec(), Some("image/webp")),
            ("wave", b"RIFF....WAVEfmt ".to_vec(), None),
            ("bmp", bmp(40, b"wwwwhhhh\x01\0\x18\0"), Some("image/bmp")),
            ("old bmp", bmp(12, b"wwhh\x01\0\x18\0"), Some("image/bmp")),
            ("bmp with two planes", bmp(40, b"wwwwhhhh\x02\0\x18\0"), None),
            ("text that begins with BM", b"BMW is a maker of cars, and this is a text".to_vec(), None),
            ("text", b"hello".to_vec(), None),
            ("nothing", Vec::new(), None),
        ];
        for (name, bytes, expected) in cases {
            assert_eq!(media_type(bytes), *expected, "{name}");
        }
    }
}
