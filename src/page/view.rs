//! What the page draws with: elements by calls instead of by types.
//!
//! Leptos gives each `view!` a type of its own and compiles drawing, redrawing and removing for each one; the page's
//! module is half view code then. Here an element is a call on a node, and what changes is one boxed closure in one of
//! Leptos's effects: the code for it exists once. Signals, effects, owners and the mount are Leptos's.

mod keyed;
mod live;

use std::borrow::Cow;

use leptos::prelude::*;
use vitrine::platform::node::{Event, Node};

use crate::text::Words;

pub use keyed::keyed;
pub use live::{choose, effect, live, live_text, when};

/// An element being built. Each method adds something and gives it back.
#[derive(Clone, Debug)]
pub struct Element(Node);

/// What is ready to be put somewhere: any number of nodes.
#[derive(Clone, Debug)]
pub struct View(Node);

/// An element for handlers and effects to reach; a copyable handle that is empty once its owner is gone.
#[derive(Clone, Copy, Debug)]
pub struct ElementRef(StoredValue<Option<Node>, LocalStorage>);

/// Begins an element of HTML.
pub fn element(tag: &'static str) -> Element {
    Element(Node::element(tag))
}

/// Begins an element with its class, the commonest beginning.
pub fn classed(tag: &'static str, class: &str) -> Element {
    element(tag).attr("class", class)
}

/// Begins a button that submits nothing.
pub fn button(class: &str) -> Element {
    classed("button", class).attr("type", "button")
}

/// Begins an element of SVG.
pub fn drawing(tag: &'static str) -> Element {
    Element(Node::drawing(tag))
}

impl Element {
    /// An attribute that stays as it is.
    pub fn attr(self, name: &'static str, value: &str) -> Self {
        self.0.set(name, value);
        self
    }

    /// An attribute without a value, if it is to be there.
    pub fn flag(self, name: &'static str, on: bool) -> Self {
        if on { self.attr(name, "") } else { self }
    }

    /// The name by which tests find it.
    pub fn test_id(self, id: &str) -> Self {
        self.attr("data-testid", id)
    }

    /// An attribute in the reader's language.
    pub fn words(self, name: &'static str, words: Words) -> Self {
        self.live_attr(name, move || words.get())
    }

    /// An attribute that follows the signals it is made of.
    pub fn live_attr<V: Into<Cow<'static, str>>>(self, name: &'static str, value: impl Fn() -> V + 'static) -> Self {
        let node = self.0.clone();
        live::value(Box::new(move || value().into()), Box::new(move |value: &str| node.set(name, value)));
        self
    }

    /// An attribute without a value that comes and goes.
    pub fn live_flag(self, name: &'static str, on: impl Fn() -> bool + 'static) -> Self {
        let node = self.0.clone();
        live::switch(Box::new(on), Box::new(move |on: &bool| if *on { node.set(name, "") } else { node.unset(name) }));
        self
    }

    /// A class that comes and goes.
    pub fn live_class(self, class: &'static str, on: impl Fn() -> bool + 'static) -> Self {
        let node = self.0.clone();
        live::switch(Box::new(on), Box::new(move |on: &bool| node.set_class(class, *on)));
        self
    }

    /// A property of its own style, for what is measured and not designed.
    pub fn style(self, property: &'static str, value: &str) -> Self {
        self.0.set_style(property, value);
        self
    }

    /// A property of its own style that follows the signals it is made of.
    pub fn live_style<V: Into<Cow<'static, str>>>(
        self,
        property: &'static str,
        value: impl Fn() -> V + 'static,
    ) -> Self {
        let node = self.0.clone();
        live::value(Box::new(move || value().into()), Box::new(move |value: &str| node.set_style(property, value)));
        self
    }

    /// Content, after what is there.
    pub fn child(self, content: impl Content) -> Self {
        content.add_to(&self.0);
        self
    }

    /// A listener with its event.
    pub fn on(self, event: &'static str, hear: impl FnMut(&Event) + 'static) -> Self {
        self.0.listen(event, Box::new(hear));
        self
    }

    /// A listener for clicks, which says no more than that there was one.
    pub fn on_click(self, mut act: impl FnMut() + 'static) -> Self {
        self.on("click", move |_| act())
    }

    /// Lets `reference` reach it.
    pub fn reached_by(self, reference: ElementRef) -> Self {
        reference.0.set_value(Some(self.0.clone()));
        self
    }
}

impl ElementRef {
    /// Reaches nothing yet.
    pub fn new() -> Self {
        Self(StoredValue::new_local(None))
    }

    /// The element; `None` before it was built and after it is gone.
    pub fn get(self) -> Option<Node> {
        self.0.try_get_value().flatten()
    }

    /// What is typed in it; nothing where there is no field.
    pub fn value(self) -> String {
        self.get().map(|node| node.value()).unwrap_or_default()
    }
}

/// What can stand in an element.
pub trait Content {
    /// Puts it after what is there.
    fn add_to(self, parent: &Node);
}

impl Content for Element {
    fn add_to(self, parent: &Node) {
        parent.append(&self.0);
    }
}

impl Content for View {
    fn add_to(self, parent: &Node) {
        parent.append(&self.0);
    }
}

impl Content for &str {
    fn add_to(self, parent: &Node) {
        parent.append(&Node::text(self));
    }
}

impl Content for String {
    fn add_to(self, parent: &Node) {
        self.as_str().add_to(parent);
    }
}

/// A text in the reader's language.
impl Content for Words {
    fn add_to(self, parent: &Node) {
        live_text(move || self.get()).add_to(parent);
    }
}

impl<C: Content> Content for Option<C> {
    fn add_to(self, parent: &Node) {
        if let Some(content) = self {
            content.add_to(parent);
        }
    }
}

impl<C: Content> Content for Vec<C> {
    fn add_to(self, parent: &Node) {
        for content in self {
            content.add_to(parent);
        }
    }
}

impl<C: Content, const N: usize> Content for [C; N] {
    fn add_to(self, parent: &Node) {
        for content in self {
            content.add_to(parent);
        }
    }
}

impl<A: Content, B: Content> Content for (A, B) {
    fn add_to(self, parent: &Node) {
        self.0.add_to(parent);
        self.1.add_to(parent);
    }
}

/// Content of one type, where branches would have several.
pub fn view(content: impl Content) -> View {
    let place = Node::fragment();
    content.add_to(&place);
    View(place)
}

/// Nothing.
pub fn nothing() -> View {
    View(Node::fragment())
}

/// Takes its node off the screen when the owner it is stored with is gone.
struct OnScreen(Node);

impl Drop for OnScreen {
    fn drop(&mut self) {
        self.0.remove();
    }
}

/// Puts a view into `parent` for as long as the current owner lives. For the root: everything else is put into it.
pub fn put_into(parent: &Node, root: Element) {
    parent.append(&root.0);
    StoredValue::new_local(OnScreen(root.0));
}
