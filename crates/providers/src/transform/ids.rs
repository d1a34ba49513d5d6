//! Call ids as a server takes them (§6.2). The history keeps the ids it has.

use std::collections::HashSet;

use vitrine_agent::message::AssistantMessage;

/// How ids are made fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdRule {
    /// Foreign `call|item` ids become plain and at most 40 characters; all else stays.
    Plain,
    /// Also cuts other foreign ids to 40 characters.
    Short,
    /// Nine letters or digits; an id that already is that stays.
    NineLetters,
}

/// The ids to send for the calls of one answer. A function of the answer alone, so that calls and results agree; two calls
/// never get the same id, and a call never gets a blank one.
pub fn wire_ids(assistant: &AssistantMessage, is_own: bool, rule: IdRule) -> Vec<String> {
    let mut used = HashSet::new();
    assistant
        .tool_calls()
        .enumerate()
        .map(|(place, call)| {
            let id = if call.id.trim().is_empty() { format!("call_{place}") } else { call.id.to_string() };
            let candidates = std::iter::once(id.clone()).chain((2..).map(|number| format!("{id}_{number}")));
            let mut fitting = candidates.map(|id| fit(&id, is_own, rule));
            let id = fitting.find(|id| !used.contains(id)).unwrap_or_default();
            used.insert(id.clone());
            id
        })
        .collect()
}

fn fit(id: &str, is_own: bool, rule: IdRule) -> String {
    match rule {
        IdRule::NineLetters if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) => id.to_owned(),
        IdRule::NineLetters => nine_letters(id),
        IdRule::Plain | IdRule::Short if is_own => id.to_owned(),
        IdRule::Plain | IdRule::Short if id.contains('|') => {
            let plain: String = id.chars().map(|sign| if is_plain(sign) { sign } else { '_' }).collect();
            shorten(plain, id)
        }
        IdRule::Short => shorten(id.to_owned(), id),
        IdRule::Plain => id.to_owned(),
    }
}

fn is_plain(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || matches!(sign, '_' | '-')
}

/// At most 40 characters. The end says which id it was, so that two long ids stay two.
fn shorten(plain: String, id: &str) -> String {
    if plain.chars().count() <= 40 {
        return plain;
    }
    let start: String = plain.chars().take(31).collect();
    let hash: String = short_hash(id).chars().take(8).collect();
    format!("{start}_{hash}")
}

fn nine_letters(id: &str) -> String {
    const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let (high, low) = lanes(id);
    let mut rest = (u64::from(high) << 32) | u64::from(low);
    (0..9)
        .map(|_| {
            let digit = usize::try_from(rest % 62).unwrap_or_default();
            rest /= 62;
            char::from(LETTERS.get(digit).copied().unwrap_or(b'0'))
        })
        .collect()
}

/// pi's hash of an id: two 32-bit lanes in base 36.
pub fn short_hash(text: &str) -> String {
    let (high, low) = lanes(text);
    base36(high) + &base36(low)
}

fn lanes(text: &str) -> (u32, u32) {
    let (mut low, mut high) = (0xdead_beef_u32, 0x41c6_ce57_u32);
    for unit in text.encode_utf16() {
        low = (low ^ u32::from(unit)).wrapping_mul(2_654_435_761);
        high = (high ^ u32::from(unit)).wrapping_mul(1_597_334_677);
    }
    let mix =
        |a: u32, b: u32| (a ^ (a >> 16)).wrapping_mul(2_246_822_507) ^ (b ^ (b >> 13)).wrapping_mul(3_266_489_909);
    low = mix(low, high);
    high = mix(high, low);
    (high, low)
}

fn base36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(char::from_digit(number % 36, 36).unwrap_or('0'));
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short_hash;

    /// The vector of §6.2.
    #[test]
    fn the_hash_is_pis() {
        assert_eq!(short_hash("abc"), "y0biex7f9bbh");
    }
}
