//! Lists whose items keep their nodes while they keep their keys.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use leptos::prelude::*;
use vitrine::platform::node::Node;

use crate::view::live::{Ask, Parent, Put, at_once};
use crate::view::{Content, View};

/// A list: an item is drawn when its key appears, removed when it goes, and moved when its neighbours are others.
pub fn keyed<T: 'static, C: Content>(
    each: impl Fn() -> Vec<T> + 'static,
    key: fn(&T) -> String,
    draw: impl Fn(T) -> C + 'static,
) -> View {
    let items = Rc::new(RefCell::new(Vec::new()));
    let waiting = Rc::clone(&items);
    let keys = move || {
        let each = each();
        let keys = each.iter().map(key).collect();
        *items.borrow_mut() = each.into_iter().map(Some).collect();
        keys
    };
    let draw = move |(index, place): &(usize, Node)| {
        let item = waiting.borrow_mut().get_mut(*index).and_then(Option::take);
        if let Some(item) = item {
            draw(item).add_to(place);
        }
    };
    boxed_keyed(Box::new(keys), Box::new(draw))
}

fn boxed_keyed(keys: Box<dyn Ask<Vec<String>>>, draw: Box<dyn Put<(usize, Node)>>) -> View {
    let end = Node::mark();
    let whole = Node::fragment();
    whole.append(&end);
    let mut list = List { drawn: Vec::new(), end, draw, parent: Parent::current() };
    at_once(Box::new(move || list.update(keys.ask())));
    View(whole)
}

/// An item on screen: the nodes from `first` to `last`, and what they own.
struct Drawn {
    key: String,
    first: Node,
    last: Node,
    owner: Owner,
}

struct List {
    drawn: Vec<Drawn>,
    end: Node,
    draw: Box<dyn Put<(usize, Node)>>,
    parent: Parent,
}

impl List {
    fn update(&mut self, keys: Vec<String>) {
        // Most lists grow at their end: what is before that is not looked at again.
        let same = self.drawn.iter().zip(&keys).take_while(|(drawn, key)| drawn.key == **key).count();
        let mut old: VecDeque<Drawn> = self.drawn.drain(same..).collect();
        let mut stay = BTreeSet::new();
        // One by one: collected, it would bring a sorter with it.
        for key in keys.iter().skip(same) {
            stay.insert(key.clone());
        }
        old.retain(|drawn| {
            let stays = stay.contains(&drawn.key);
            if !stays {
                drawn.remove();
            }
            stays
        });
        for (index, key) in keys.into_iter().enumerate().skip(same) {
            if let Some(drawn) = old.pop_front_if(|drawn| drawn.key == key) {
                self.drawn.push(drawn);
                continue;
            }
            let moved = old.iter().position(|drawn| drawn.key == key).and_then(|at| old.remove(at));
            let (drawn, content) = match moved {
                Some(drawn) => {
                    let content = drawn.take();
                    (drawn, content)
                }
                None => self.draw(index, key),
            };
            old.front().map_or(&self.end, |next| &next.first).put_before(&content);
            self.drawn.push(drawn);
        }
        // Left over only where a key stood twice.
        old.iter().for_each(Drawn::remove);
    }

    fn draw(&self, index: usize, key: String) -> (Drawn, Node) {
        let owner = self.parent.child();
        let item = (index, Node::fragment());
        owner.with(|| untrack(|| self.draw.put(&item)));
        let (_, content) = item;
        if content.first().is_none() {
            content.append(&Node::mark());
        }
        // Places inside have marks at both ends, so an item begins and ends with the same nodes for as long as it lives.
        let first = content.first().unwrap_or_else(Node::mark);
        let last = content.last().unwrap_or_else(Node::mark);
        (Drawn { key, first, last, owner }, content)
    }
}

impl Drawn {
    /// Takes its nodes off the screen, in order.
    fn take(&self) -> Node {
        let taken = Node::fragment();
        let mut next = Some(self.first.clone());
        while let Some(node) = next {
            next = node.next().filter(|_| node != self.last);
            taken.append(&node);
        }
        taken
    }

    fn remove(&self) {
        self.owner.cleanup();
        self.take();
    }
}
