//! Randomness, from the browser's own generator.

use wasm_bindgen::{JsCast, JsValue};

/// `N` random bytes, fit for ids.
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    let crypto = js_sys::Reflect::get(&js_sys::global(), &JsValue::from_str("crypto"))
        .map(JsCast::unchecked_into::<web_sys::Crypto>);
    // `getRandomValues` fails only for more than 65,536 bytes.
    if let Ok(crypto) = crypto {
        let _ = crypto.get_random_values_with_u8_array(&mut bytes);
    }
    bytes
}
