//! What is made of a finished command: texts, details and data as pi's.

use serde::Serialize;
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::tool::{ToolError, ToolOutput};

use crate::bash::shell::{End, Finished};
use crate::truncate::{self, By, Limits, Truncation, format_size};

/// Bytes of output in the data of a result.
const DATA_BYTES: usize = 1 << 20;

/// Details as pi's, without what is not there.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Details {
    #[serde(skip_serializing_if = "Option::is_none")]
    truncation: Option<Truncation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    full_output_path: Option<String>,
}

/// A glimpse of what was printed so far. `keep` names the file of what is cut, if there is one; it is asked only then.
pub fn update(text: &str, keep: impl FnOnce(&str) -> Option<String>) -> ToolOutput {
    let truncation = truncate::tail(text, Limits::default());
    let mut output = ToolOutput::text(truncation.content.clone());
    let kept = if truncation.truncated { keep(text) } else { None };
    output.details = details(truncation, kept);
    output
}

/// The result. `keep` puts the whole output into a file and names it, or says why not; it is asked only for what is cut.
pub fn result(
    text: &str,
    finished: Finished,
    timeout: Option<&Value>,
    wall_ms: f64,
    keep: impl FnOnce(&str) -> Result<String, String>,
) -> Result<ToolOutput, ToolError> {
    let Finished { end, notes } = finished;
    let truncation = truncate::tail(text, Limits::default());
    let mut shown = truncation.content.clone();
    let mut kept = None;
    if truncation.truncated {
        let place = match keep(text) {
            Ok(path) => {
                kept = Some(path.clone());
                format!("Full output: {path}")
            }
            Err(why) => format!("The full output could not be kept: {why}"),
        };
        shown = join(&shown, &notice(text, &truncation, &place));
    }
    if let (true, End::Exited(_)) = (shown.is_empty(), &end) {
        "(no output)".clone_into(&mut shown);
    }
    for note in &notes {
        shown = join(&shown, &format!("[{note}]"));
    }
    let code = match end {
        End::Exited(code) => code,
        End::Refused(why) => return Err(ToolError(join(&shown, &why))),
        End::Aborted => return Err(ToolError(join(&shown, "Command aborted"))),
        End::TimedOut => {
            let seconds = timeout.map(|timeout| vitrine_schema::stringify(timeout, None)).unwrap_or_default();
            return Err(ToolError(join(&shown, &format!("Command timed out after {seconds} seconds"))));
        }
    };
    if code != 0 {
        shown = join(&shown, &format!("Command exited with code {code}"));
    }
    let mut output = ToolOutput::text(shown);
    output.is_error = code != 0;
    output.structured_content = Some(Json::from_value(&data(text, kept.as_deref(), code, wall_ms)));
    output.details = details(truncation, kept);
    Ok(output)
}

fn join(text: &str, more: &str) -> String {
    if text.is_empty() { more.to_owned() } else { format!("{text}\n\n{more}") }
}

fn notice(text: &str, truncation: &Truncation, place: &str) -> String {
    let total = truncation.total_lines;
    if truncation.last_line_partial {
        let line = text.strip_suffix('\n').unwrap_or(text);
        let line = line.rsplit('\n').next().unwrap_or_default();
        let size = |bytes: usize| format_size(bytes as u64);
        return format!(
            "[Showing last {} of line {total} (line is {}). {place}]",
            size(truncation.output_bytes),
            size(line.len())
        );
    }
    let first = total + 1 - truncation.output_lines.min(total);
    let limit = match truncation.truncated_by {
        Some(By::Bytes) => format!(" ({} limit)", format_size(truncation.max_bytes as u64)),
        Some(By::Lines) | None => String::new(),
    };
    format!("[Showing lines {first}-{total} of {total}{limit}. {place}]")
}

fn details(truncation: Truncation, full_output_path: Option<String>) -> Option<Json> {
    let truncation = truncation.truncated.then_some(truncation)?;
    let details = Details { truncation: Some(truncation), full_output_path };
    serde_json::to_value(details).ok().map(|details| Json::from_value(&details))
}

fn data(text: &str, kept: Option<&str>, code: i32, wall_ms: f64) -> Value {
    let (output, truncated) = middle_cut(text, DATA_BYTES);
    let seconds = (wall_ms / 100.0).round() / 10.0;
    let mut data = json!({ "output": output, "truncated": truncated });
    if let (Some(path), Some(data)) = (kept, data.as_object_mut()) {
        data.insert("full_output_path".into(), path.into());
    }
    if let Some(data) = data.as_object_mut() {
        data.insert("exit_code".into(), code.into());
        data.insert("wall_time_seconds".into(), seconds.into());
    }
    data
}

/// A text, or its head and tail with a mark between them. No character is cut in two.
fn middle_cut(text: &str, max: usize) -> (String, bool) {
    if text.len() <= max {
        return (text.to_owned(), false);
    }
    let head = (0..=max / 2).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let tail = (text.len() - max / 2..=text.len()).find(|start| text.is_char_boundary(*start)).unwrap_or(text.len());
    let (first, last) = (text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default());
    (format!("{first}[... {} bytes omitted ...]{last}", tail - head), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_goes_and_characters_stay_whole() {
        assert_eq!(middle_cut("abcdef", 6), ("abcdef".into(), false));
        assert_eq!(middle_cut("abcdefgh", 4), ("ab[... 4 bytes omitted ...]gh".into(), true));
        assert_eq!(middle_cut("äöüß", 6), ("ä[... 4 bytes omitted ...]ß".into(), true));
    }
}
