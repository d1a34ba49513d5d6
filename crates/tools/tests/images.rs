//! `read` of images over a port that makes them smaller: what the model is shown, and what it is told of it.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that meets what it does not expect should stop"
)]

use std::rc::Rc;

use futures_util::FutureExt as _;
use futures_util::future::{LocalBoxFuture, ready};
use serde_json::{Value, json};
use vitrine_agent::signal::AbortSignal;
use vitrine_agent::tool::{Invocation, ToolError, ToolOutput};
use vitrine_tools::{ALL, Format, Images, Paths, Picture, Registry, Size};
use vitrine_vfs::{Workspace, WorkspacePath};

/// Decodes everything but what ends with "broken"; a PNG of it is "png WxH", and a JPEG is always larger.
struct Fake;

struct Decoded(Size);

impl Images for Fake {
    fn decode(&self, bytes: &[u8], media_type: &str) -> LocalBoxFuture<'static, Option<Box<dyn Picture>>> {
        let size = match media_type {
            "image/bmp" => Size { width: 30, height: 20 },
            _ => Size { width: 4000, height: 1000 },
        };
        let is_whole = !bytes.ends_with(b"broken");
        ready(is_whole.then(|| Box::new(Decoded(size)) as Box<dyn Picture>)).boxed_local()
    }
}

impl Picture for Decoded {
    fn size(&self) -> Size {
        self.0
    }

    fn encode(&self, size: Size, format: Format) -> LocalBoxFuture<'_, Option<Vec<u8>>> {
        let text = match format {
            Format::Png => format!("png {}x{}", size.width, size.height),
            Format::Jpeg(quality) => format!("jpeg {}x{} of quality {quality}", size.width, size.height),
        };
        ready(Some(text.into_bytes())).boxed_local()
    }
}

fn png(width: u32, height: u32, rest: &[u8]) -> Vec<u8> {
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        width.to_be_bytes().as_slice(),
        &height.to_be_bytes(),
        b"\x08\x06\0\0\0....",
        rest,
    ]
    .concat()
}

fn bmp(rest: &[u8]) -> Vec<u8> {
    [b"BM0123456789ab".as_slice(), &[40, 0, 0, 0], b"\x1e\0\0\0\x14\0\0\0\x01\0\x18\0", rest].concat()
}

fn read(file: &[u8], images: Option<Rc<dyn Images>>, signal: &AbortSignal) -> Result<ToolOutput, ToolError> {
    let (workspace, paths) = (Workspace::in_memory(), Paths::default());
    workspace.write(&WorkspacePath::parse("i").unwrap(), file.to_vec()).unwrap();
    let mut tools = Registry::new(&workspace, &paths, ALL).unwrap();
    if let Some(images) = images {
        tools = tools.with_images(&workspace, &paths, images).unwrap();
    }
    let arguments = json!({"path": "i"});
    let invocation = Invocation { call_id: "c".into(), arguments, signal: signal.clone(), on_update: Box::new(|_| ()) };
    tools.get("read").unwrap().execute(invocation).now_or_never().unwrap()
}

fn base64(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}

/// The file, whether there is a port, the type shown, what is said beyond the first line, and the image.
type Case<'a> = (Vec<u8>, bool, &'a str, String, Option<(&'a str, Vec<u8>)>);

#[test]
fn an_image_is_made_small_enough_and_the_model_is_told_how() {
    let hint =
        "[Image: original 4000x1000, displayed at 2000x500. Multiply coordinates by 2.00 to map to original image.]";
    let small = png(2000, 9, b"");
    let huge = png(100, 100, &vec![b'x'; 4 << 20]);
    let omitted = |reason: &str| format!("[Image omitted: {reason}.]");
    let cases: [Case<'_>; 10] = [
        (small.clone(), true, "png", String::new(), Some(("png", small.clone()))),
        (png(4000, 1000, b""), true, "png", hint.to_owned(), Some(("png", b"png 2000x500".to_vec()))),
        (
            bmp(b""),
            true,
            "png",
            "[Image converted from image/bmp to image/png.]".into(),
            Some(("png", b"png 30x20".to_vec())),
        ),
        (huge.clone(), true, "png", hint.to_owned(), Some(("png", b"png 2000x500".to_vec()))),
        (png(4000, 1000, b"broken"), true, "png", omitted("could not be decoded"), None),
        (bmp(b"broken"), true, "bmp", omitted("could not be decoded"), None),
        (
            png(100_000, 100_000, b""),
            true,
            "png",
            omitted("could not be resized below the inline image size limit"),
            None,
        ),
        // Without a port.
        (small.clone(), false, "png", String::new(), Some(("png", small))),
        (huge, false, "png", omitted("could not be resized below the inline image size limit"), None),
        (bmp(b""), false, "bmp", omitted("models do not take this format; convert it to png first"), None),
    ];
    for (file, has_port, shown, hints, image) in cases {
        let port = has_port.then(|| Rc::new(Fake) as Rc<dyn Images>);
        let output = serde_json::to_value(read(&file, port, &AbortSignal::new()).unwrap()).unwrap();
        let note = [format!("Read image file [image/{shown}]"), hints].join("\n");
        let note = note.trim_end();
        let mut content = vec![json!({"type": "text", "text": note})];
        let mut structured = Value::String(note.to_owned());
        if let Some((media_type, bytes)) = image {
            let media_type = format!("image/{media_type}");
            content.push(json!({"type": "image", "data": base64(&bytes), "mimeType": media_type}));
            structured = json!({"type": "image", "data": base64(&bytes), "mimeType": media_type, "note": note});
        }
        assert_eq!(output, json!({"content": content, "structuredContent": structured}), "{note}");
    }
}

#[test]
fn a_run_that_was_ended_shows_nothing() {
    let signal = AbortSignal::new();
    signal.abort();
    let result = read(&png(4000, 1000, b""), Some(Rc::new(Fake)), &signal);
    assert_eq!(result.unwrap_err().0, "Operation aborted");
}
