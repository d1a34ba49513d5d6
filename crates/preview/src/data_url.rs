//! Bytes as an address that contains them.

use crate::path::extension;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The address of a file's bytes, of the type that its name says.
pub fn data_url(path: &str, bytes: &[u8]) -> String {
    let kind = kind_of(&extension(path));
    let mut url = String::with_capacity(bytes.len() / 3 * 4 + kind.len() + 20);
    url.push_str("data:");
    url.push_str(kind);
    url.push_str(";base64,");
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for digit in 0..4 {
            let index = (bits >> (18 - 6 * digit)) & 63;
            let digit = if digit > three.len() { b'=' } else { DIGITS.get(index as usize).copied().unwrap_or(b'A') };
            url.push(char::from(digit));
        }
    }
    url
}

/// The media type by the end of a name.
fn kind_of(extension: &str) -> &'static str {
    match extension {
        "css" => "text/css",
        "js" | "mjs" => "text/javascript",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "avif" => "image/avif",
        "bmp" => "image/bmp",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "woff" => "font/woff",
        "ttf" => "font/ttf",
        "otf" => "font/otf",
        "mp3" => "audio/mpeg",
        "ogg" => "audio/ogg",
        "wav" => "audio/wav",
        "mp4" => "video/mp4",
        "webm" => "video/webm",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::data_url;

    /// The examples of RFC 4648, section 10.
    #[test]
    fn bytes_of_every_length_are_padded() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(data_url("a.png", bytes.as_bytes()), format!("data:image/png;base64,{wanted}"));
        }
        assert_eq!(data_url("noend", &[0xFF, 0xFE]), "data:application/octet-stream;base64,//4=");
    }
}
