//! What the page asks of the document beyond drawing: frames, scroll positions, focus, clipboard, files, dates.
//!
//! Nothing here keeps a timer; a frame is asked for only when there is something to draw.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, BlobPropertyBag, Document, DragEvent, Element, File, FileList, HtmlAnchorElement, HtmlElement,
    HtmlInputElement, HtmlTextAreaElement, ResizeObserver, ResizeObserverEntry, ShadowRoot, Url,
};

use crate::platform::node::{Event, Node};

/// Runs `draw` in the next animation frame, once.
///
/// A hidden tab has no frames; `draw` runs when the tab is seen again.
pub fn next_frame(draw: impl FnOnce() + 'static) {
    if let Some(window) = web_sys::window() {
        let callback = Closure::once_into_js(draw);
        // Fails only in a document that is going away.
        let _ = window.request_animation_frame(callback.unchecked_ref());
    }
}

/// Runs `work` once, after so many milliseconds. For what must wait by its nature (a live region); nothing polls.
pub fn after(milliseconds: u32, work: impl FnOnce() + 'static) {
    if let Some(window) = web_sys::window() {
        let callback = Closure::once_into_js(work);
        let milliseconds = i32::try_from(milliseconds).unwrap_or(i32::MAX);
        // Fails only in a document that is going away.
        let _ = window.set_timeout_with_callback_and_timeout_and_arguments_0(callback.unchecked_ref(), milliseconds);
    }
}

/// Runs `work` after what is already queued behind the current task: effects that draw, among it.
pub fn soon(work: impl FnOnce() + 'static) {
    spawn_local(async move {
        // One more turn of the microtask queue: effects wake in the first.
        let _ = JsFuture::from(js_sys::Promise::resolve(&JsValue::UNDEFINED)).await;
        work();
    });
}

/// Runs `work` after the current task, in order with other microtasks.
pub fn spawn(work: impl Future<Output = ()> + 'static) {
    spawn_local(work);
}

/// Watches elements' sizes until dropped.
pub struct SizeObserver {
    observer: ResizeObserver,
    _callback: Closure<dyn FnMut(Array)>,
}

impl std::fmt::Debug for SizeObserver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SizeObserver")
    }
}

impl Drop for SizeObserver {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Calls `changed` with the first changed element's width in CSS pixels, now and whenever a size changes: after layout,
/// before the frame is painted.
pub fn observe_size(elements: &[&Node], changed: impl Fn(f64) + 'static) -> Option<SizeObserver> {
    let callback = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
        if let Ok(entry) = entries.get(0).dyn_into::<ResizeObserverEntry>() {
            changed(entry.content_rect().width());
        }
    });
    let observer = ResizeObserver::new(callback.as_ref().unchecked_ref()).ok()?;
    for element in elements {
        observer.observe(element.as_element());
    }
    Some(SizeObserver { observer, _callback: callback })
}

/// Where a scrolling element stands, in CSS pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScrollMetrics {
    /// Scrolled away above.
    pub top: f64,
    /// Seen.
    pub client: f64,
    /// All of it.
    pub height: f64,
}

/// Where a scrolling element stands. Forces a layout, so at most once a frame.
pub fn scroll_metrics(node: &Node) -> ScrollMetrics {
    let element = node.as_element();
    ScrollMetrics {
        top: f64::from(element.scroll_top()),
        client: f64::from(element.client_height()),
        height: f64::from(element.scroll_height()),
    }
}

/// Scrolls to an offset; out of range is clamped by the browser.
pub fn scroll_to(node: &Node, top: f64) {
    node.as_element().set_scroll_top(top as i32);
}

/// Scrolls what is around an element so far that it shows.
pub fn reveal(node: &Node) {
    reveal_element(node.as_element());
}

fn reveal_element(element: &Element) {
    let options = web_sys::ScrollIntoViewOptions::new();
    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Scrolls so far that the first element inside that fits a selector shows.
pub fn reveal_within(node: &Node, selector: &str) {
    if let Ok(Some(element)) = node.as_element().query_selector(selector) {
        reveal_element(&element);
    }
}

/// Moves the focus to the first element inside that fits a selector.
pub fn focus_within(node: &Node, selector: &str) {
    if let Ok(Some(element)) = node.as_element().query_selector(selector)
        && let Some(element) = element.dyn_ref()
    {
        focus_element(element);
    }
}

/// Moves the focus there without scrolling the page around it.
pub fn focus(node: &Node) {
    focus_element(node.as_html());
}

fn focus_element(element: &HtmlElement) {
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    // Fails only for an element that is not in a document.
    let _ = element.focus_with_options(&options);
}

/// The focused element of the shadow root (or document) that `node` is in.
pub fn focused_beside(node: &Node) -> Option<Node> {
    focused_element(node.as_element()).map(Node::from)
}

fn focused_element(element: &Element) -> Option<HtmlElement> {
    let root = element.get_root_node();
    let focused = match root.dyn_ref::<ShadowRoot>() {
        Some(root) => root.active_element(),
        None => root.dyn_ref::<Document>().and_then(Document::active_element),
    };
    focused.and_then(|element| element.dyn_into().ok())
}

/// What can hold the focus inside `element`, in document order.
fn focusable(element: &Element) -> Vec<HtmlElement> {
    let selector = "button:not([disabled]), input:not([disabled]), textarea, select, a[href], summary, [tabindex='0']";
    let mut found = Vec::new();
    if let Ok(nodes) = element.query_selector_all(selector) {
        for index in 0..nodes.length() {
            if let Some(node) = nodes.get(index).and_then(|node| node.dyn_into::<HtmlElement>().ok()) {
                found.push(node);
            }
        }
    }
    found
}

/// Keeps Tab inside a dialog: at either end the focus goes to the other one. For a `keydown` of Tab.
pub fn trap_tab(dialog: &Node, event: &Event) {
    let dialog = dialog.as_element();
    let stops = focusable(dialog);
    let (Some(first), Some(last)) = (stops.first(), stops.last()) else { return };
    let focused = focused_element(dialog);
    let at = |stop: &HtmlElement| focused.as_ref() == Some(stop);
    if event.shift() && at(first) {
        event.prevent_default();
        focus_element(last);
    } else if !event.shift() && at(last) {
        event.prevent_default();
        focus_element(first);
    }
}

/// Moves the focus to the next or previous child of `list` that is a stop of its roving focus; says whether it moved.
pub fn rove(list: &Node, step: i32) -> bool {
    let list = list.as_element();
    let Ok(nodes) = list.query_selector_all("[role='treeitem'], [role='tab'], [role='menuitem']") else { return false };
    let focused = focused_element(list);
    let mut stops = Vec::new();
    for index in 0..nodes.length() {
        if let Some(node) = nodes.get(index).and_then(|node| node.dyn_into::<HtmlElement>().ok()) {
            stops.push(node);
        }
    }
    let at = stops.iter().position(|stop| focused.as_ref() == Some(stop));
    let next = match at {
        Some(at) => at.checked_add_signed(step as isize),
        None => Some(0),
    };
    match next.and_then(|next| stops.get(next)) {
        Some(stop) => {
            // Not `focus`: a stop outside the scrolled part must come into view.
            let _ = stop.focus();
            true
        }
        None => false,
    }
}

/// Whether an event began in a field that takes text, where single-key shortcuts must not act.
pub fn in_text_field(event: &Event) -> bool {
    let origin = event.as_event().composed_path().get(0).dyn_into::<Element>().ok();
    origin.is_some_and(|element| matches!(element.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT"))
}

/// Whether the focus beside a node is in a field that something was written into.
pub fn is_writing(beside: &Node) -> bool {
    let Some(focused) = focused_element(beside.as_element()) else { return false };
    let area = focused.dyn_ref::<web_sys::HtmlTextAreaElement>().map(web_sys::HtmlTextAreaElement::value);
    let value = area.or_else(|| focused.dyn_ref::<web_sys::HtmlInputElement>().map(web_sys::HtmlInputElement::value));
    value.is_some_and(|value| !value.is_empty())
}

/// Whether an event began at this very element, not at something inside it.
pub fn is_target(event: &Event, node: &Node) -> bool {
    event.as_event().composed_path().get(0).dyn_ref::<Element>() == Some(node.as_element())
}

/// Puts text on the clipboard. `false` when the browser refused both ways, so the caller can say so.
///
/// Without `navigator.clipboard` (plain http, an embedding frame without permission) a hidden text area beside
/// `anchor` is copied the old way. Must be called from a click.
pub async fn copy(text: String, anchor: Node) -> bool {
    let clipboard = web_sys::window()
        .map(|window| window.navigator())
        .and_then(|navigator| js_sys::Reflect::get(&navigator, &JsValue::from_str("clipboard")).ok())
        .and_then(|clipboard| clipboard.dyn_into::<web_sys::Clipboard>().ok());
    if let Some(clipboard) = clipboard
        && JsFuture::from(clipboard.write_text(&text)).await.is_ok()
    {
        return true;
    }
    copy_through_text_area(&text, anchor.as_html()).unwrap_or(false)
}

fn copy_through_text_area(text: &str, anchor: &HtmlElement) -> Option<bool> {
    let document = anchor.owner_document()?;
    let area: HtmlTextAreaElement = document.create_element("textarea").ok()?.dyn_into().ok()?;
    area.set_value(text);
    area.set_class_name("visually-hidden");
    anchor.parent_element()?.append_child(&area).ok()?;
    area.select();
    let document: web_sys::HtmlDocument = document.dyn_into().ok()?;
    let copied = document.exec_command("copy").unwrap_or(false);
    area.remove();
    focus_element(anchor);
    Some(copied)
}

/// Offers bytes as a file to keep.
pub fn download(name: &str, bytes: &[u8], mime: &str) -> bool {
    let parts = Array::of1(&Uint8Array::from(bytes));
    let options = BlobPropertyBag::new();
    options.set_type(mime);
    Blob::new_with_u8_array_sequence_and_options(&parts, &options).is_ok_and(|blob| download_blob(name, &blob))
}

/// Offers a blob as a file to keep.
pub fn download_blob(name: &str, blob: &Blob) -> bool {
    let offer = || -> Result<(), JsValue> {
        let url = Url::create_object_url_with_blob(blob)?;
        let document = web_sys::window().and_then(|window| window.document()).ok_or(JsValue::NULL)?;
        let anchor: HtmlAnchorElement = document.create_element("a")?.unchecked_into();
        anchor.set_href(&url);
        anchor.set_download(name);
        anchor.click();
        Url::revoke_object_url(&url)
    };
    offer().is_ok()
}

/// A file the reader chose or dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedFile {
    /// Its name, without folders.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

/// Opens the browser's file chooser and gives what was chosen. Never called when the reader cancels.
pub fn pick_files(accept: &str, picked: impl FnOnce(Vec<PickedFile>) + 'static) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else { return };
    let Ok(input) = document.create_element("input") else { return };
    let input: HtmlInputElement = input.unchecked_into();
    input.set_type("file");
    input.set_accept(accept);
    input.set_multiple(true);
    let chosen = input.clone();
    let on_change = Closure::once_into_js(move || {
        if let Some(files) = chosen.files() {
            spawn_local(async move { picked(read_all(&files).await) });
        }
    });
    input.set_onchange(Some(on_change.unchecked_ref()));
    input.click();
}

/// Reads the files of a drop. Folders are skipped.
pub fn dropped_files(event: &Event, dropped: impl FnOnce(Vec<PickedFile>) + 'static) {
    let event: &DragEvent = event.as_event().unchecked_ref();
    if let Some(files) = event.data_transfer().and_then(|transfer| transfer.files()) {
        spawn_local(async move { dropped(read_all(&files).await) });
    }
}

async fn read_all(files: &FileList) -> Vec<PickedFile> {
    let mut read = Vec::new();
    for index in 0..files.length() {
        let Some(file): Option<File> = files.get(index) else { continue };
        if let Ok(buffer) = JsFuture::from(file.array_buffer()).await {
            read.push(PickedFile { name: file.name(), bytes: Uint8Array::new(&buffer).to_vec() });
        }
    }
    read
}

/// `scheme://host:port` of an absolute http(s) URL.
pub fn origin_of(url: &str) -> Option<String> {
    let url = Url::new(url).ok()?;
    matches!(url.protocol().as_str(), "http:" | "https:").then(|| url.origin())
}

/// A moment of today as the reader's locale writes it.
pub fn time_of_day(milliseconds: u64, locale: &str) -> String {
    js_sys::Date::new(&JsValue::from_f64(milliseconds as f64)).to_locale_time_string(locale).into()
}

/// A moment as the reader's locale writes it, to the minute.
pub fn local_time(milliseconds: u64, locale: &str) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(milliseconds as f64));
    let options = js_sys::Object::new();
    for (key, value) in [("dateStyle", "medium"), ("timeStyle", "short")] {
        // Setting a field of a fresh object cannot fail.
        let _ = js_sys::Reflect::set(&options, &JsValue::from_str(key), &JsValue::from_str(value));
    }
    date.to_locale_string(locale, &options).into()
}
