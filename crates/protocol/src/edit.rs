//! Edits: what a person puts in place of what the model asked, what a tool gave, or what the next request says.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use vitrine_agent::event::CallState;
use vitrine_agent::json::Json;
use vitrine_agent::message::{SharedMessage, UserContent};

/// One edit; which it is follows from its fields.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Edit {
    /// The arguments of a call that has not run. They are checked as the model's would have been.
    Args {
        /// The call.
        call_id: String,
        /// A JSON object.
        args: Json,
    },
    /// The result of a call. Of one that has not run it never runs; of one whose result is in the history already, later
    /// requests carry this one.
    Result {
        /// The call.
        call_id: String,
        /// What the model reads: a text, or content blocks.
        result: UserContent,
        /// Whether it says that the call failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        is_error: Option<bool>,
    },
    /// The system prompt of every later request.
    System {
        /// Its text.
        system: String,
    },
    /// The messages of the next request, and of no other.
    Request {
        /// What it carries.
        request: EditedRequest,
    },
}

/// What a request carries in place of the projection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditedRequest {
    /// All of its messages, in order.
    pub messages: Vec<SharedMessage>,
}

/// Any edit. serde's way with untagged enums keeps the fields in a buffer, which raw JSON does not survive.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Flat {
    call_id: Option<String>,
    args: Option<Json>,
    result: Option<Json>,
    is_error: Option<bool>,
    system: Option<String>,
    request: Option<EditedRequest>,
}

impl<'de> Deserialize<'de> for Edit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Flat::deserialize(deserializer)? {
            Flat { call_id: Some(call_id), args: Some(args), result: None, .. } => {
                if !args.as_str().starts_with('{') {
                    return Err(D::Error::custom("`args` is no JSON object"));
                }
                Ok(Self::Args { call_id, args })
            }
            Flat { call_id: Some(call_id), args: None, result: Some(result), is_error, .. } => {
                Ok(Self::Result { call_id, result: content(&result).map_err(D::Error::custom)?, is_error })
            }
            Flat { call_id: None, system: Some(system), request: None, .. } => Ok(Self::System { system }),
            Flat { call_id: None, system: None, request: Some(request), .. } => Ok(Self::Request { request }),
            Flat { .. } => Err(D::Error::custom(
                "an edit is {callId, args}, {callId, result, isError?}, {system} or {request: {messages}}",
            )),
        }
    }
}

fn content(json: &Json) -> Result<UserContent, serde_json::Error> {
    let text = json.as_str();
    if text.starts_with('"') {
        serde_json::from_str(text).map(UserContent::Text)
    } else {
        serde_json::from_str(text).map(UserContent::Blocks)
    }
}

/// What was edited, so that a screen can keep the original beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// What.
    pub what: EditedPart,
    /// Of which call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_id: Option<String>,
    /// What stands now, as it was given: arguments, a text or blocks, messages.
    pub value: Json,
}

/// What can be edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EditedPart {
    /// The arguments of a call.
    Args,
    /// The result of a call.
    Result,
    /// The system prompt.
    System,
    /// The next request.
    Request,
}

impl EditedPart {
    /// As it is spelt.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Args => "args",
            Self::Result => "result",
            Self::System => "system",
            Self::Request => "request",
        }
    }

    /// Whether this of a call can be edited where the call is, and while a run goes on or not: arguments until it has begun to run,
    /// a result at any time from the asking on.
    pub fn is_open(self, state: CallState, runs: bool) -> bool {
        let is_before = matches!(
            state,
            CallState::Requested | CallState::Found | CallState::Prepared | CallState::Valid | CallState::Admitted
        );
        match self {
            Self::Args => runs && is_before,
            // Without a run, a call that has not ended never will.
            Self::Result => runs || !(is_before || state == CallState::Executing),
            Self::System | Self::Request => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_can_be_edited_until_the_call_runs_and_a_result_as_long_as_there_is_one_to_come_or_to_show() {
        use CallState::*;
        let states = [
            Requested, Found, Prepared, Valid, Admitted, Executing, Finalized, Recorded, NotFound, Invalid, Blocked,
            Truncated, Aborted, Threw,
        ];
        let open = |what: EditedPart, runs| {
            let marks = states.map(|state| if what.is_open(state, runs) { "+" } else { "-" });
            marks.concat()
        };
        assert_eq!(open(EditedPart::Args, true), "+++++---------");
        assert_eq!(open(EditedPart::Args, false), "--------------");
        assert_eq!(open(EditedPart::Result, true), "++++++++++++++");
        assert_eq!(open(EditedPart::Result, false), "------++++++++");
    }

    #[test]
    fn an_edit_is_one_of_four_and_written_as_it_was_read() {
        for text in [
            r#"{"callId":"c","args":{"b":1,"a":[12345678901234567890123,2.50]}}"#,
            r#"{"callId":"c","result":"a text"}"#,
            r#"{"callId":"c","result":[{"type":"text","text":"t"}],"isError":true}"#,
            r#"{"system":"Be brief."}"#,
            r#"{"request":{"messages":[{"role":"user","content":"x","timestamp":1}]}}"#,
        ] {
            let edit: Edit = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&edit).expect(text), text);
        }
        for (text, expected) in [
            (r#"{"callId":"c"}"#, "an edit is"),
            (r#"{"callId":"c","args":[1]}"#, "`args` is no JSON object"),
            (r#"{"callId":"c","args":{},"result":""}"#, "an edit is"),
            (r#"{"callId":"c","result":5}"#, "invalid type"),
            (r#"{"system":"a","request":{"messages":[]}}"#, "an edit is"),
            ("{}", "an edit is"),
        ] {
            let error = serde_json::from_str::<Edit>(text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }

    #[test]
    fn what_was_edited_crosses_unchanged() {
        for text in [r#"{"what":"args","callId":"c","value":{"b":1,"a":2.50}}"#, r#"{"what":"system","value":"s"}"#] {
            let edited: Edited = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&edited).expect(text), text);
        }
    }
}
