//! Names in an encoding of before UTF-8, which the browser can read: which one it was, only the reader's language tells.

use js_sys::Uint8Array;
use vitrine_archive::Decode;
use wasm_bindgen::JsValue;
use web_sys::{TextDecoder, TextDecoderOptions};

/// The encodings that machines of these languages wrote names in, the likeliest first.
#[derive(Debug)]
pub struct Encodings {
    labels: Vec<&'static str>,
}

impl Encodings {
    /// Of languages, the preferred one first: `zh`, `zh-TW`, `ja`, …
    pub fn of<'a>(languages: impl IntoIterator<Item = &'a str>) -> Self {
        let mut labels: Vec<&'static str> = languages.into_iter().filter_map(label).collect();
        labels.dedup();
        Self { labels }
    }
}

/// What Windows in that language packs names in. Western ones had code page 437, which needs no decoder.
fn label(language: &str) -> Option<&'static str> {
    let language = language.to_ascii_lowercase();
    Some(match language.split('-').next()? {
        "zh" if ["tw", "hk", "hant"].iter().any(|part| language.contains(part)) => "big5",
        "zh" => "gb18030",
        "ja" => "shift_jis",
        "ko" => "euc-kr",
        "ru" | "uk" | "be" | "bg" => "ibm866",
        _ => return None,
    })
}

impl Decode for Encodings {
    fn decode(&self, bytes: &[u8]) -> Option<String> {
        let options = TextDecoderOptions::new();
        options.set_fatal(true);
        let decode = |label: &&str| -> Result<String, JsValue> {
            TextDecoder::new_with_label_and_options(label, &options)?
                .decode_with_buffer_source(&Uint8Array::from(bytes).into())
        };
        self.labels.iter().find_map(|label| decode(label).ok())
    }
}
