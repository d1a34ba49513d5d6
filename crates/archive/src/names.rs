//! What an entry is called. A zip of today says that its names are UTF-8; an older one says nothing, and means whatever the
//! machine it was made on used.

use rawzip::crc32;

/// Decodes names that are not UTF-8.
pub trait Decode {
    /// The text of these bytes in an encoding that they fit, if there is one.
    fn decode(&self, bytes: &[u8]) -> Option<String>;
}

/// Knows no encoding: names are read as the code page that zip had first.
impl Decode for () {
    fn decode(&self, _: &[u8]) -> Option<String> {
        None
    }
}

/// The field in which Info-ZIP keeps a name as UTF-8 beside one that is not.
pub(crate) const UNICODE_PATH: u16 = 0x7075;

/// The name of an entry.
///
/// `unicode` is the value of its Unicode path field, which counts while its checksum is that of the name beside it. UTF-8 is
/// tried without being promised: many tools write it and do not say so, and text in another encoding hardly ever fits.
pub(crate) fn name(raw: &[u8], unicode: Option<&[u8]>, decode: &dyn Decode) -> String {
    if let Some([1, a, b, c, d, text @ ..]) = unicode
        && u32::from_le_bytes([*a, *b, *c, *d]) == crc32(raw)
        && let Ok(text) = std::str::from_utf8(text)
    {
        return text.to_owned();
    }
    match std::str::from_utf8(raw) {
        Ok(text) => text.to_owned(),
        Err(_) => decode.decode(raw).unwrap_or_else(|| raw.iter().map(|byte| code_page_437(*byte)).collect()),
    }
}

/// The characters above ASCII of the code page that the format names.
const UPPER: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

fn code_page_437(byte: u8) -> char {
    match byte.checked_sub(0x80) {
        None => char::from(byte),
        Some(place) => UPPER.chars().nth(usize::from(place)).unwrap_or(char::REPLACEMENT_CHARACTER),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_code_page_has_a_character_for_each_byte() {
        assert_eq!(UPPER.chars().count(), 128);
        assert_eq!([0x41, 0x80, 0x9c, 0xe1, 0xff].map(code_page_437), ['A', 'Ç', '£', 'ß', '\u{a0}']);
    }

    #[test]
    fn utf_8_is_found_and_the_field_beside_a_name_counts_only_for_that_name() {
        let field = |of: &[u8]| [&[1], &crc32(of).to_le_bytes()[..], "名.txt".as_bytes()].concat();
        let raw = b"\xc3\xfb.txt";
        assert_eq!(name("名.txt".as_bytes(), None, &()), "名.txt");
        assert_eq!(name(raw, Some(&field(raw)), &()), "名.txt");
        assert_eq!(name(raw, Some(&field(b"another")), &()), "├√.txt");
        assert_eq!(name(raw, Some(&[2, 0, 0, 0, 0]), &()), "├√.txt");
        struct Gbk;
        impl Decode for Gbk {
            fn decode(&self, bytes: &[u8]) -> Option<String> {
                (bytes == b"\xc3\xfb.txt").then(|| "名.txt".to_owned())
            }
        }
        assert_eq!(name(raw, None, &Gbk), "名.txt");
    }
}
