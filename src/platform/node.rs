//! Nodes of the document without their types: made, filled, listened to, moved and removed.
//!
//! One type for every kind of node, so that whatever draws with it is compiled once and not once for each shape.

use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::{Closure, wasm_bindgen};
use web_sys::{CharacterData, Document, HtmlElement, HtmlInputElement, KeyboardEvent};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(thread_local_v2, js_name = "document")]
    static DOCUMENT: Document;

    /// `Document` again, for the two calls that `web-sys` lets fail: they throw for a name that is none, and ours are.
    type Maker;

    #[wasm_bindgen(method, js_name = "createElement")]
    fn create_element(this: &Maker, tag: &str) -> web_sys::Node;

    #[wasm_bindgen(method, js_name = "createElementNS")]
    fn create_element_ns(this: &Maker, namespace: &str, tag: &str) -> web_sys::Node;
}

/// An element, a text, a mark or a fragment. Clones are the same node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node(web_sys::Node);

impl Node {
    /// An element of HTML.
    pub fn element(tag: &str) -> Self {
        DOCUMENT.with(|document| Self(document.unchecked_ref::<Maker>().create_element(tag)))
    }

    /// An element of SVG.
    pub fn drawing(tag: &str) -> Self {
        let namespace = "http://www.w3.org/2000/svg";
        DOCUMENT.with(|document| Self(document.unchecked_ref::<Maker>().create_element_ns(namespace, tag)))
    }

    /// A text. Never markup, whatever it says.
    pub fn text(text: &str) -> Self {
        DOCUMENT.with(|document| Self(document.create_text_node(text).into()))
    }

    /// Nothing to see: it keeps a place among its siblings.
    pub fn mark() -> Self {
        DOCUMENT.with(|document| Self(document.create_comment("").into()))
    }

    /// Nodes without an element round them: put somewhere, only they arrive there.
    pub fn fragment() -> Self {
        DOCUMENT.with(|document| Self(document.create_document_fragment().into()))
    }

    /// Puts a node, or all of a fragment, at the end.
    pub fn append(&self, child: &Self) {
        // Fails only for a node inside itself.
        let _ = self.0.append_child(&child.0);
    }

    /// Puts a node, or all of a fragment, before this one. Nothing happens where this one has no parent.
    pub fn put_before(&self, other: &Self) {
        if let Some(parent) = self.0.parent_node() {
            // Fails only for a node inside itself.
            let _ = parent.insert_before(&other.0, Some(&self.0));
        }
    }

    /// Takes it out of its parent.
    pub fn remove(&self) {
        if let Some(parent) = self.0.parent_node() {
            // The parent was asked for just now.
            let _ = parent.remove_child(&self.0);
        }
    }

    /// The first child.
    pub fn first(&self) -> Option<Self> {
        self.0.first_child().map(Self)
    }

    /// The last child.
    pub fn last(&self) -> Option<Self> {
        self.0.last_child().map(Self)
    }

    /// The next sibling.
    pub fn next(&self) -> Option<Self> {
        self.0.next_sibling().map(Self)
    }

    /// Sets an attribute of an element.
    pub fn set(&self, name: &str, value: &str) {
        // Fails only for a name that is none.
        let _ = self.as_element().set_attribute(name, value);
    }

    /// Takes an attribute away from an element.
    pub fn unset(&self, name: &str) {
        // Fails only for a name that is none.
        let _ = self.as_element().remove_attribute(name);
    }

    /// Gives an element a class or takes it away.
    pub fn set_class(&self, class: &str, on: bool) {
        let classes = self.as_element().class_list();
        // Fails only for a class that is none.
        let _ = if on { classes.add_1(class) } else { classes.remove_1(class) };
    }

    /// Sets a property of an element's own style. As an attribute it would be markup, which a content policy refuses.
    pub fn set_style(&self, property: &str, value: &str) {
        // A value that is none is left out.
        let _ = self.as_html().style().set_property(property, value);
    }

    /// Changes what a text says.
    pub fn set_text(&self, text: &str) {
        self.0.unchecked_ref::<CharacterData>().set_data(text);
    }

    /// Calls `hear` at each event of that name, for as long as the node lives.
    pub fn listen(&self, event: &str, mut hear: Box<dyn Hear>) {
        let heard = Closure::<dyn FnMut(web_sys::Event)>::new(move |event| hear.hear(&Event(event)));
        // The browser frees the closure with the node. Adding a listener does not fail.
        let _ = self.0.add_event_listener_with_callback(event, heard.into_js_value().unchecked_ref());
    }

    /// What is typed in a field.
    pub fn value(&self) -> String {
        // A text area answers the same question by the same name.
        self.0.unchecked_ref::<HtmlInputElement>().value()
    }

    /// Fills a field.
    pub fn set_value(&self, text: &str) {
        self.0.unchecked_ref::<HtmlInputElement>().set_value(text);
    }

    /// Whether a box is ticked.
    pub fn checked(&self) -> bool {
        self.0.unchecked_ref::<HtmlInputElement>().checked()
    }

    /// Ticks a box, or takes the tick away.
    pub fn set_checked(&self, checked: bool) {
        self.0.unchecked_ref::<HtmlInputElement>().set_checked(checked);
    }

    /// Selects what is typed in a field.
    pub fn select(&self) {
        self.0.unchecked_ref::<HtmlInputElement>().select();
    }

    /// As a part that is JavaScript takes it.
    pub fn as_js(&self) -> &wasm_bindgen::JsValue {
        self.0.as_ref()
    }

    /// As the platform's own code takes it.
    pub(super) fn as_element(&self) -> &web_sys::Element {
        self.0.unchecked_ref()
    }

    /// As the platform's own code takes it.
    pub(super) fn as_html(&self) -> &HtmlElement {
        self.0.unchecked_ref()
    }
}

impl From<HtmlElement> for Node {
    fn from(element: HtmlElement) -> Self {
        Self(element.into())
    }
}

/// A listener behind a pointer. Unlike `Box<dyn FnMut>` its table has no second copy of the body, to be called by value.
pub trait Hear {
    /// Called with each event.
    fn hear(&mut self, event: &Event);
}

impl<F: FnMut(&Event)> Hear for F {
    fn hear(&mut self, event: &Event) {
        self(event);
    }
}

/// Something that happened to a node. What asks for a key is for events of the keyboard, as their names say.
#[derive(Debug)]
pub struct Event(web_sys::Event);

impl Event {
    /// Keeps the browser from doing what it would.
    pub fn prevent_default(&self) {
        self.0.prevent_default();
    }

    /// Whether someone has kept the browser from it already.
    pub fn default_prevented(&self) -> bool {
        self.0.default_prevented()
    }

    /// Keeps it from the elements around.
    pub fn stop_propagation(&self) {
        self.0.stop_propagation();
    }

    /// When it happened: milliseconds on the page's monotonic clock.
    pub fn time_stamp(&self) -> f64 {
        self.0.time_stamp()
    }

    /// The key's meaning, as `KeyboardEvent.key`.
    pub fn key(&self) -> String {
        self.as_key().key()
    }

    /// The key's place, as `KeyboardEvent.code`.
    pub fn code(&self) -> String {
        self.as_key().code()
    }

    /// `KeyboardEvent.keyCode`: 229 for a key that an input method has taken.
    pub fn key_code(&self) -> u32 {
        self.as_key().key_code()
    }

    /// `KeyboardEvent.isComposing`.
    pub fn is_composing(&self) -> bool {
        self.as_key().is_composing()
    }

    /// Whether the key belongs to an input method, which then is the only one to act on it.
    pub fn composes(&self) -> bool {
        self.is_composing() || self.key_code() == 229
    }

    /// Whether Shift is held.
    pub fn shift(&self) -> bool {
        self.as_key().shift_key()
    }

    /// Whether Alt is held.
    pub fn alt(&self) -> bool {
        self.as_key().alt_key()
    }

    /// Whether Control is held.
    pub fn control(&self) -> bool {
        self.as_key().ctrl_key()
    }

    /// Whether Meta (Command) is held.
    pub fn meta(&self) -> bool {
        self.as_key().meta_key()
    }

    fn as_key(&self) -> &KeyboardEvent {
        self.0.unchecked_ref()
    }

    /// As the platform's own code takes it.
    pub(super) fn as_event(&self) -> &web_sys::Event {
        &self.0
    }
}
