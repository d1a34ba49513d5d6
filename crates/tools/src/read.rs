//! `read`: a file as text, in pages a model can ask for, or as an image.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::{LocalBoxFuture, ready};
use memchr::memchr_iter;
use serde_json::{Value, json};
use vitrine_agent::json::Json;
use vitrine_agent::message::{Block, ImageBlock};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, Tool, ToolError, ToolOutput, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::Workspace;

use crate::definition::{Definition, count, text, unless_aborted};
use crate::image::{self, Fitted, Images};
use crate::paths::{self, Paths};
use crate::truncate::{self, By, Encoding, Limits, count_lines, format_size};

/// The tool.
pub struct Read {
    definition: Definition,
    workspace: Workspace,
    paths: Paths,
    images: Option<Rc<dyn Images>>,
}

impl Read {
    /// The tool over a workspace.
    pub fn new(workspace: Workspace, paths: Paths) -> Result<Self, SchemaError> {
        let description = format!(
            "Read a file. Works for text files and for images (jpg, png, gif, webp), which are attached to the result. \
             Text is cut off after {} lines or {}KB, whichever comes first; the result then says how to go on. For a \
             large file pass offset and limit, and continue with offset until you have all you need.",
            truncate::MAX_LINES,
            truncate::MAX_BYTES / 1024
        );
        let parameters = json!({
            "type": "object",
            "required": ["path"],
            "properties": {
                "path": {"type": "string", "description": "The file to read, as a relative or absolute path"},
                "offset": {"type": "number", "description": "The line to start at; the first line is 1"},
                "limit": {"type": "number", "description": "How many lines to read at most"},
            },
        });
        Ok(Self {
            definition: Definition::new("read", &description, &parameters)?.strict(),
            workspace,
            paths,
            images: None,
        })
    }

    /// The same with somebody who can make images smaller. Without one, those that are too large are left out.
    #[must_use]
    pub fn with_images(self, images: Rc<dyn Images>) -> Self {
        Self { images: Some(images), ..self }
    }

    fn read(&self, arguments: &Value) -> Result<Found, ToolError> {
        let given = text(arguments, "path");
        let resolved = self.paths.resolve(given).map_err(ToolError)?;
        let found = self.paths.find(&self.workspace, &resolved.path);
        let renamed = found.as_ref().filter(|found| **found != resolved.path).map(|found| self.paths.shown(found));
        let path = found.unwrap_or_else(|| resolved.path.clone());
        let bytes: Arc<[u8]> = self
            .workspace
            .read(&path)
            .map_err(|error| ToolError(paths::open_error(&self.workspace, &resolved, &error)))?;
        let mut notes: Vec<String> = renamed
            .map(|shown| format!("[Read {shown}: its name is written with other characters.]"))
            .into_iter()
            .collect();
        if let Some(media_type) = image::media_type(&bytes) {
            return Ok(Found::Image(Image { bytes, media_type, notes }));
        }
        let page = Page::new(&bytes, count(arguments, "offset"), count(arguments, "limit")).map_err(|total| {
            let offset =
                arguments.get("offset").map(|offset| vitrine_schema::stringify(offset, None)).unwrap_or_default();
            ToolError(format!("Offset {offset} is beyond end of file ({total} lines total)"))
        })?;
        as_text(&page, given, &mut notes).map(Found::Text)
    }
}

/// What a path leads to.
enum Found {
    Text(ToolOutput),
    Image(Image),
}

struct Image {
    bytes: Arc<[u8]>,
    media_type: &'static str,
    notes: Vec<String>,
}

impl std::fmt::Debug for Read {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Read").field("definition", &self.definition).finish_non_exhaustive()
    }
}

impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.definition.spec
    }

    fn prepare(&self, arguments: &Json) -> Result<Value, String> {
        self.definition.prepare(arguments)
    }

    fn execute(&self, invocation: Invocation) -> LocalBoxFuture<'static, Result<ToolOutput, ToolError>> {
        let found = unless_aborted(&invocation).and_then(|()| self.read(&invocation.arguments));
        let images = self.images.clone();
        match found {
            Err(error) => ready(Err(error)).boxed_local(),
            Ok(Found::Text(output)) => ready(Ok(output)).boxed_local(),
            Ok(Found::Image(image)) => async move {
                let output = image.shown(images.as_deref(), &invocation.signal).await;
                unless_aborted(&invocation).map(|()| output)
            }
            .boxed_local(),
        }
    }
}

/// The lines of a file that were asked for. Nothing is copied or decoded yet.
struct Page<'a> {
    /// Their bytes, with the last line feed only if the file ends there.
    bytes: &'a [u8],
    /// The number of the first, from 1.
    first: usize,
    /// Lines of the whole file. A line feed at its end begins no further one.
    total: usize,
    /// Lines after the last one asked for.
    after: usize,
}

impl<'a> Page<'a> {
    /// Fails with the number of lines when there are fewer than `offset`.
    fn new(file: &'a [u8], offset: Option<usize>, limit: Option<usize>) -> Result<Self, usize> {
        let total = count_lines(file);
        let skipped = offset.unwrap_or_default().saturating_sub(1);
        if skipped > 0 && skipped >= total {
            return Err(total);
        }
        // Where the n-th line begins, counted from 0.
        let line = |n: usize| match n.checked_sub(1) {
            None => Some(0),
            Some(feeds) => memchr_iter(b'\n', file).nth(feeds).map(|feed| feed + 1),
        };
        let start = line(skipped).unwrap_or(file.len());
        let wanted = limit.unwrap_or(usize::MAX).min(total - skipped.min(total));
        let after = total - skipped.min(total) - wanted;
        let end = if after == 0 { file.len() } else { line(skipped + wanted).unwrap_or(file.len()).saturating_sub(1) };
        let bytes = file.get(start..end.max(start)).unwrap_or_default();
        Ok(Self { bytes, first: skipped + 1, total, after })
    }
}

fn as_text(page: &Page<'_>, given: &str, notes: &mut Vec<String>) -> Result<ToolOutput, ToolError> {
    let (truncation, encoding) = truncate::head_of_bytes(page.bytes, Limits::default());
    let mut text = truncation.content.clone();
    // A file that is over the limit by its last line feed alone is shown whole.
    let cut = truncation.truncated && truncation.output_lines < truncation.total_lines;
    let next = page.first + truncation.output_lines;
    if truncation.first_line_exceeds_limit {
        let size = format_size(memchr_iter(b'\n', page.bytes).next().unwrap_or(page.bytes.len()) as u64);
        let (line, max) = (page.first, truncation.max_bytes);
        text = format!(
            "[Line {line} is {size}, exceeds {} limit. Use bash: sed -n '{line}p' {given} | head -c {max}]",
            format_size(max as u64)
        );
    } else if cut {
        let limit = match truncation.truncated_by {
            Some(By::Bytes) => format!(" ({} limit)", format_size(truncation.max_bytes as u64)),
            Some(By::Lines) | None => String::new(),
        };
        let (first, last, total) = (page.first, next - 1, page.total);
        notes.insert(0, format!("[Showing lines {first}-{last} of {total}{limit}. Use offset={next} to continue.]"));
    } else if page.after > 0 {
        let after = page.after;
        let next = page.first + count_wanted(page);
        notes.insert(0, format!("[{after} more lines in file. Use offset={next} to continue.]"));
    } else if page.total == 0 {
        text = "(empty file)".to_owned();
    }
    if encoding == Encoding::Other {
        notes.push("[The file is not valid UTF-8: \u{fffd} stands for bytes that could not be decoded.]".to_owned());
    }
    if !notes.is_empty() {
        let line_break = if text.ends_with('\n') { "\n" } else { "\n\n" };
        text = format!("{text}{line_break}{}", notes.join("\n"));
    }
    let details = if cut || truncation.first_line_exceeds_limit {
        let details = Json::from_serialize(&json!({ "truncation": truncation }));
        Some(details.map_err(|error| ToolError(error.to_string()))?)
    } else {
        None
    };
    let structured_content = Some(Json::from_value(&Value::String(text.clone())));
    Ok(ToolOutput { content: vec![Block::text(text)], details, structured_content, ..ToolOutput::default() })
}

/// Lines of a page that is not the last of its file.
fn count_wanted(page: &Page<'_>) -> usize {
    page.total - page.after - (page.first - 1)
}

impl Image {
    /// As a model can take it, or why it cannot. It waits for nothing if there is nothing to be changed.
    async fn shown(self, images: Option<&dyn Images>, signal: &AbortSignal) -> ToolOutput {
        let Self { bytes, media_type, notes } = &self;
        let claimed = image::size(bytes, media_type);
        let is_taken = *media_type != "image/bmp";
        if is_taken && image::fits(claimed, bytes.len()) {
            return attached(bytes, media_type, notes);
        }
        let Some(images) = images else {
            let light = image::fits(None, bytes.len());
            // Without anybody who could resize it, what is only large in pixels goes as it is: servers resize, too.
            return match (is_taken, light) {
                (true, true) => attached(bytes, media_type, notes),
                (true, false) => omitted(media_type, "could not be resized below the inline image size limit", notes),
                (false, _) => omitted(media_type, "models do not take this format; convert it to png first", notes),
            };
        };
        match image::fit(images, bytes, media_type, claimed, signal).await {
            Ok(fitted) => {
                let mut hints = Vec::new();
                let Fitted { original, shown, .. } = fitted;
                if original != shown {
                    let scale = f64::from(original.width) / f64::from(shown.width.max(1));
                    hints.push(format!(
                        "[Image: original {}x{}, displayed at {}x{}. Multiply coordinates by {scale:.2} to map to original \
                         image.]",
                        original.width, original.height, shown.width, shown.height
                    ));
                }
                if !is_taken {
                    hints.push(format!("[Image converted from {media_type} to {}.]", fitted.media_type));
                }
                hints.extend(notes.iter().cloned());
                attached(&fitted.bytes, fitted.media_type, &hints)
            }
            Err(reason) => omitted(media_type, &reason.to_string(), notes),
        }
    }
}

fn note(media_type: &str, hints: &[String]) -> String {
    let mut note = format!("Read image file [{media_type}]");
    for hint in hints {
        note = format!("{note}\n{hint}");
    }
    note
}

fn omitted(media_type: &str, reason: &str, notes: &[String]) -> ToolOutput {
    let hints = [&[format!("[Image omitted: {reason}.]")], notes].concat();
    let note = note(media_type, &hints);
    let structured_content = Some(Json::from_value(&Value::String(note.clone())));
    ToolOutput { structured_content, ..ToolOutput::text(note) }
}

fn attached(bytes: &[u8], media_type: &str, hints: &[String]) -> ToolOutput {
    let note = note(media_type, hints);
    let data = data_encoding::BASE64.encode(bytes);
    let structured = json!({"type": "image", "data": data, "mimeType": media_type, "note": note});
    let image = Block::Image(ImageBlock { data, mime_type: media_type.to_owned(), ..ImageBlock::default() });
    ToolOutput {
        content: vec![Block::text(note), image],
        structured_content: Some(Json::from_value(&structured)),
        ..ToolOutput::default()
    }
}
