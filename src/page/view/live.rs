//! What changes on screen, each an effect over one boxed closure.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use leptos::reactive::owner::WeakOwner;
use vitrine::platform::node::Node;

use crate::view::{Content, View};

/// A closure behind a pointer. Unlike `Box<dyn Fn()>` its table has no second copy of the body, to be called by value;
/// there are hundreds of them.
pub(super) trait Ask<T> {
    /// Calls it.
    fn ask(&self) -> T;
}

impl<T, F: Fn() -> T> Ask<T> for F {
    fn ask(&self) -> T {
        self()
    }
}

/// Likewise, for a closure that puts something on screen.
pub(super) trait Put<T: ?Sized> {
    /// Calls it.
    fn put(&self, value: &T);
}

impl<T: ?Sized, F: Fn(&T)> Put<T> for F {
    fn put(&self, value: &T) {
        self(value);
    }
}

/// Runs `work` once what is being drawn is on screen, and again when signals it read have changed.
pub fn effect(work: impl FnMut() + 'static) {
    after_drawing(Box::new(work));
}

/// An effect is a task and an owner; over a boxed closure all of them are one.
fn after_drawing(mut work: Box<dyn FnMut()>) {
    Effect::new(move |_: Option<()>| work());
}

/// Runs `draw` at once and again when signals it read have changed, for as long as the current owner lives.
pub(super) fn at_once(mut draw: Box<dyn FnMut()>) {
    StoredValue::new_local(RenderEffect::new(move |_: Option<()>| draw()));
}

/// A value that is put where it belongs when it has become another.
pub(super) fn value(value: Box<dyn Ask<Cow<'static, str>>>, to: Box<dyn Put<str>>) {
    let mut old = None;
    at_once(Box::new(move || {
        let new = Some(value.ask());
        if old != new {
            to.put(new.as_deref().unwrap_or_default());
            old = new;
        }
    }));
}

/// Something that is on or off, told when it has changed; off is where it starts.
pub(super) fn switch(is_on: Box<dyn Ask<bool>>, turn: Box<dyn Put<bool>>) {
    let mut old = false;
    at_once(Box::new(move || {
        let new = is_on.ask();
        if old != new {
            turn.put(&new);
            old = new;
        }
    }));
}

/// A text that follows the signals it is made of.
pub fn live_text<V: Into<Cow<'static, str>>>(text: impl Fn() -> V + 'static) -> View {
    let node = Node::text("");
    let drawn = node.clone();
    value(Box::new(move || text().into()), Box::new(move |text: &str| drawn.set_text(text)));
    View(node)
}

/// A place between two marks, whose content is replaced as a whole.
struct Place {
    start: Node,
    end: Node,
}

impl Place {
    fn new() -> (Self, View) {
        let place = Self { start: Node::mark(), end: Node::mark() };
        let whole = Node::fragment();
        whole.append(&place.start);
        whole.append(&place.end);
        (place, View(whole))
    }

    fn replace(&self, content: &Node) {
        while let Some(node) = self.start.next().filter(|node| *node != self.end) {
            node.remove();
        }
        self.end.put_before(content);
    }
}

/// The owner that what is drawn later belongs to. Weak: it owns the closure that holds this, and two that keep each other
/// would both stay when the view is gone.
pub(super) struct Parent(Option<WeakOwner>);

impl Parent {
    /// The owner of what is being drawn.
    pub(super) fn current() -> Self {
        Self(Owner::current().map(|owner| owner.downgrade()))
    }

    /// A new owner below it.
    pub(super) fn child(&self) -> Owner {
        self.0.as_ref().and_then(WeakOwner::upgrade).map(|owner| owner.child()).unwrap_or_default()
    }
}

/// Content that is drawn anew whenever a signal it reads changes. It loses focus and scroll position with that: where
/// those matter, or the signal changes more often than what it decides, [`choose`] or [`when`].
pub fn live<C: Content>(draw: impl Fn() -> C + 'static) -> View {
    boxed_live(Box::new(move |place: &Node| draw().add_to(place)))
}

fn boxed_live(draw: Box<dyn Put<Node>>) -> View {
    let (place, view) = Place::new();
    at_once(Box::new(move || {
        let content = Node::fragment();
        draw.put(&content);
        place.replace(&content);
    }));
    view
}

/// Content that is drawn anew only when `key` gives another value. `draw` itself tracks nothing.
pub fn choose<K: PartialEq + 'static, C: Content>(
    key: impl Fn() -> K + 'static,
    draw: impl Fn(&K) -> C + 'static,
) -> View {
    let last = Rc::new(RefCell::new(None));
    let chosen = Rc::clone(&last);
    let changed = move || {
        let new = Some(key());
        let changed = *last.borrow() != new;
        if changed {
            *last.borrow_mut() = new;
        }
        changed
    };
    let draw = move |place: &Node| {
        if let Some(key) = &*chosen.borrow() {
            draw(key).add_to(place);
        }
    };
    boxed_choose(Box::new(changed), Box::new(draw))
}

fn boxed_choose(changed: Box<dyn Ask<bool>>, draw: Box<dyn Put<Node>>) -> View {
    let (place, view) = Place::new();
    // What is drawn outlives the effect's runs that change nothing, so it has an owner of its own.
    let parent = Parent::current();
    let mut drawn = None;
    at_once(Box::new(move || {
        if !changed.ask() {
            return;
        }
        drop(drawn.take());
        let owner = parent.child();
        let content = Node::fragment();
        owner.with(|| untrack(|| draw.put(&content)));
        place.replace(&content);
        drawn = Some(owner);
    }));
    view
}

/// Content that is there while `shown` says so.
pub fn when<C: Content>(shown: impl Fn() -> bool + 'static, draw: impl Fn() -> C + 'static) -> View {
    choose(shown, move |shown| shown.then(&draw))
}
