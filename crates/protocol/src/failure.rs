//! What an answer that did not end well is told as: the few kinds that have words and a way out of their own.

use vitrine_agent::message::StopReason;

use crate::announce::Language;

/// What kind of failure an answer ended with, as far as its stop reason and words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// 401 or 403: another key helps.
    Key,
    /// 429, 529 or another "later": waiting helps.
    Overloaded,
    /// The browser could not reach the server: the connection test helps.
    Unreachable,
    /// The stream ended early or fell silent.
    CutOff,
    /// A person ended it.
    Aborted,
    /// The response hit its token limit.
    Length,
    /// Anything else.
    Other,
}

impl Failure {
    /// What a reader sees over it and hears of it.
    pub fn heading(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Key, Language::English) => "The server refused the key",
            (Self::Key, Language::Chinese) => "服务器拒绝了密钥",
            (Self::Overloaded, Language::English) => "The server takes no more requests now",
            (Self::Overloaded, Language::Chinese) => "服务器暂时不接受请求",
            (Self::Unreachable, Language::English) => "The browser could not reach the server",
            (Self::Unreachable, Language::Chinese) => "浏览器连不上服务器",
            (Self::CutOff, Language::English) => "The answer was cut off",
            (Self::CutOff, Language::Chinese) => "回答中途断了",
            (Self::Aborted, Language::English) => "Stopped",
            (Self::Aborted, Language::Chinese) => "已停止",
            (Self::Length, Language::English) => "The answer hit its length limit",
            (Self::Length, Language::Chinese) => "回答到了长度上限",
            (Self::Other, Language::English) => "The request failed",
            (Self::Other, Language::Chinese) => "请求失败",
        }
    }
}

/// Sorts a final answer; `None` for one that ended well. `error_message` is read for its status (`401: …`, as the
/// providers write it) and, without one, for a few fixed phrases; what it says beyond that is the server's and is shown
/// as it is.
pub fn classify(stop_reason: StopReason, error_message: Option<&str>) -> Option<Failure> {
    match stop_reason {
        StopReason::Pending | StopReason::Stop | StopReason::ToolUse | StopReason::Deferred => None,
        StopReason::Length => Some(Failure::Length),
        StopReason::Aborted => Some(Failure::Aborted),
        StopReason::Error => Some(from_words(error_message.unwrap_or_default())),
    }
}

fn from_words(message: &str) -> Failure {
    match status(message) {
        Some(401 | 403) => return Failure::Key,
        Some(429 | 503 | 529) => return Failure::Overloaded,
        Some(_) => return Failure::Other,
        None => {}
    }
    let starts = |phrases: &[&str]| phrases.iter().any(|phrase| message.starts_with(phrase));
    if starts(&["Connection error", "Failed to fetch", "Load failed", "NetworkError"]) {
        Failure::Unreachable
    } else if starts(&["Stream ended", "Stream stalled"]) {
        Failure::CutOff
    } else {
        Failure::Other
    }
}

/// A status at the very start, after an optional `HTTP` or `Status`; a number elsewhere may mean anything.
fn status(message: &str) -> Option<u16> {
    let rest = ["HTTP ", "Status ", "status "].iter().find_map(|word| message.strip_prefix(word)).unwrap_or(message);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let digits = rest.get(..end).filter(|digits| digits.len() == 3)?;
    digits.parse().ok().filter(|status| (400..600).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_its_words() {
        let cases = [
            ((StopReason::Stop, None), None),
            ((StopReason::ToolUse, None), None),
            ((StopReason::Deferred, None), None),
            ((StopReason::Pending, Some("401: no")), None),
            ((StopReason::Length, None), Some(Failure::Length)),
            ((StopReason::Aborted, Some("Request was aborted")), Some(Failure::Aborted)),
            ((StopReason::Error, Some("401: invalid key")), Some(Failure::Key)),
            ((StopReason::Error, Some("HTTP 403: no")), Some(Failure::Key)),
            ((StopReason::Error, Some("429: slow down")), Some(Failure::Overloaded)),
            ((StopReason::Error, Some("529 overloaded")), Some(Failure::Overloaded)),
            ((StopReason::Error, Some("500: broken")), Some(Failure::Other)),
            ((StopReason::Error, Some("Connection error. Failed to fetch")), Some(Failure::Unreachable)),
            ((StopReason::Error, Some("Stream ended without finish_reason")), Some(Failure::CutOff)),
            ((StopReason::Error, Some("Stream stalled: no data for 60 s, timed out")), Some(Failure::CutOff)),
            // A number that is no status, and a status that is not at the start.
            ((StopReason::Error, Some("4011 tokens are too many")), Some(Failure::Other)),
            ((StopReason::Error, Some("see rule 401")), Some(Failure::Other)),
            ((StopReason::Error, Some("")), Some(Failure::Other)),
            ((StopReason::Error, None), Some(Failure::Other)),
        ];
        let results = cases.map(|((reason, message), _)| ((reason, message), classify(reason, message)));
        assert_eq!(results, cases);
    }
}
