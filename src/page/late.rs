//! What no first screen needs: a module of its own, fetched once the page is idle, or when it is asked for.
//!
//! [`late`] is the boundary, and [`draw`] the list of what lies behind it. What only that list leads to is taken out of the
//! page's module when the site is built (`xtask/src/split.rs`); without the feature `split` all of it is there from the start.

use leptos::prelude::*;
use vitrine::platform::{dom, page_life};

use crate::chat::approval::approval;
use crate::chat::part::part as part_form;
use crate::files::files;
use crate::glyphs::{Glyph, glyph};
use crate::lesson::lesson;
use crate::loop_panel::{history, log, rail, requests, what_if};
use crate::place::{Mode, Panel, Sheet, Width};
use crate::sandbox::sandbox;
use crate::sheets::content;
use crate::store::Store;
use crate::view::{Element, ElementRef, View, button, choose, classed, effect, element, live_text, view, when};

/// What is drawn late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// The inside of the files column.
    Files,
    /// The inside of a sheet.
    Sheet(Sheet),
    /// What a tab of the loop column shows.
    Map,
    /// See `Map`.
    Log,
    /// See `Map`.
    Request,
    /// See `Map`.
    History,
    /// See `Map`.
    WhatIf,
    /// See `Map`.
    Sandbox,
    /// The question whether a call may run.
    Approval,
    /// The form of a part that the reader plays.
    Part,
    /// The inside of the lesson column.
    Lesson,
}

impl Late {
    /// What a wide page shows from the start, and is fetched for nobody's asking.
    fn is_seen_at_first(self) -> bool {
        matches!(self, Self::Files | Self::Map)
    }
}

/// Where the late part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// Not here yet.
    Coming,
    /// Drawn wherever it is wanted.
    Here,
    /// It could not be loaded; it may be tried again.
    Failed,
}

impl Arrival {
    /// Before anything was fetched.
    pub const AT_FIRST: Self = if cfg!(feature = "split") { Self::Coming } else { Self::Here };
}

/// Everything that is late. New UI that no first screen needs is a line here.
fn draw(what: Late, store: Store) -> View {
    match what {
        Late::Files => view(files(store)),
        Late::Sheet(sheet) => content(store, sheet),
        Late::Map => rail(store),
        Late::Log => view(log(store)),
        Late::Request => view(requests(store)),
        Late::History => view(history(store)),
        Late::WhatIf => view(what_if(store)),
        Late::Sandbox => view(sandbox(store)),
        Late::Approval => approval(store),
        Late::Part => part_form(store),
        Late::Lesson => lesson(store),
    }
}

#[cfg(feature = "split")]
mod part {
    use futures_util::FutureExt as _;
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    use super::Late;
    use crate::store::Store;
    use crate::view::View;

    /// Whether the part is here. Who asks while it is on its way waits for the same; a failure is not kept.
    pub(super) async fn load() -> bool {
        fetch().await.is_ok()
    }

    /// Draws, if the part is here.
    pub(super) fn draw(what: Late, store: Store) -> Option<View> {
        panels(what, store).now_or_never().and_then(Result::ok)
    }

    #[wasm_split(panels, fallible, preload(fetch))]
    fn panels(what: Late, store: Store) -> Result<View, SplitLoaderError> {
        Ok(super::draw(what, store))
    }
}

#[cfg(not(feature = "split"))]
mod part {
    pub(super) async fn load() -> bool {
        true
    }

    pub(super) fn draw(what: super::Late, store: super::Store) -> Option<super::View> {
        Some(super::draw(what, store))
    }
}

/// What is drawn once the late part is here; until then says so, and what to do where it cannot be had. `home` is where it
/// stands: the focus goes there when the button that fetched it goes, and otherwise stays where it is.
pub fn late(store: Store, what: Late, home: ElementRef) -> View {
    if !what.is_seen_at_first() {
        fetch(store);
    }
    choose(
        move || store.late.get(),
        move |arrival| match arrival {
            Arrival::Here => part::draw(what, store),
            Arrival::Coming => Some(coming(store, what)),
            Arrival::Failed => Some(view((head(store, what), failed(store, home)))),
        },
    )
}

/// The files column, whose inside is late.
pub fn files_column(store: Store) -> Element {
    let home = ElementRef::new();
    let column = classed("aside", "col side files")
        .words("aria-label", store.text(|t| t.files))
        .live_flag("hidden", move || !files_in_front(store))
        .reached_by(home)
        .child(late(store, Late::Files, home));
    takes_drops(store, column)
}

/// The lesson column, whose inside is late.
pub fn lesson_column(store: Store) -> Element {
    let home = ElementRef::new();
    let in_front = move || match store.width.get() {
        Width::Phone => store.panel.get() == Panel::Lesson,
        Width::Middle => store.beside.get() == Panel::Lesson,
        Width::Wide => store.lesson_wanted.get(),
    };
    classed("aside", "col side lessoncol")
        .words("aria-label", store.text(|t| t.lesson))
        .live_flag("hidden", move || !in_front())
        .reached_by(home)
        .child(when(in_front, move || late(store, Late::Lesson, home)))
}

/// What is dropped on the column is added once its inside is here; a browser would leave the page for it.
fn takes_drops(store: Store, column: Element) -> Element {
    let dropping = RwSignal::new(false);
    column
        .live_class("dropping", move || dropping.get())
        .on("dragover", move |event| {
            event.prevent_default();
            dropping.set(true);
        })
        .on("dragleave", move |_| dropping.set(false))
        .on("drop", move |event| {
            event.prevent_default();
            dropping.set(false);
            dom::dropped_files(event, move |files| {
                store.dropped.update(|dropped| dropped.extend(files));
                fetch(store);
            });
        })
}

fn files_in_front(store: Store) -> bool {
    match store.width.get() {
        Width::Phone => store.panel.get() == Panel::Files,
        Width::Middle => store.beside.get() == Panel::Files,
        Width::Wide => true,
    }
}

/// Fetches the late part when the page is at rest, or when the files are looked at.
pub fn fetch_in_time(store: Store) {
    effect(move || {
        let is_looked_at = store.width.get() != Width::Wide && files_in_front(store);
        // The worker is up then, and what it needs to start has been downloaded.
        let is_open = store.storage.with(Option::is_some);
        if is_looked_at {
            fetch(store);
        } else if is_open && store.mode != Mode::Chat && store.late.get_untracked() == Arrival::Coming {
            page_life::when_idle(move || fetch(store));
        }
    });
}

fn fetch(store: Store) {
    fetch_then(store, || {});
}

fn fetch_then(store: Store, arrived: impl FnOnce() + 'static) {
    if store.late.try_get_untracked().is_none_or(|arrival| arrival == Arrival::Here) {
        return;
    }
    dom::spawn(async move {
        let arrival = if part::load().await { Arrival::Here } else { Arrival::Failed };
        // Drawn once, and not again by who waited for the same.
        if store.late.try_get_untracked().is_some_and(|old| old != arrival) {
            store.late.set(arrival);
            if arrival == Arrival::Here {
                arrived();
            }
        }
    });
}

/// What is on the first screen says nothing while it comes: it does so each time the page starts.
fn coming(store: Store, what: Late) -> View {
    if what.is_seen_at_first() {
        return view(head(store, what));
    }
    view(classed("p", "lede").attr("role", "status").child(store.text(|t| t.late_coming)))
}

/// The head of the column stands where it will stand; a sheet has its own.
fn head(store: Store, what: Late) -> Option<Element> {
    (what == Late::Files).then(|| classed("div", "colhead").child(element("h2").child(store.text(|t| t.files))))
}

fn failed(store: Store, home: ElementRef) -> Element {
    let again = move || {
        fetch_then(store, move || {
            // The button is gone, and the focus with it.
            if let Some(home) = home.get() {
                home.set("tabindex", "-1");
                dom::focus(&home);
            }
        });
    };
    let retry = button("btn").test_id("late-again").on_click(again).child(store.text(|t| t.try_again));
    classed("section", "notice danger")
        .test_id("late-failed")
        .attr("role", "status")
        .child(glyph(Glyph::Triangle))
        .child(element("h3").child(live_text(move || store.t().late.title)))
        .child(element("p").child(live_text(move || store.t().late.text)))
        .child(classed("div", "acts").child(retry))
}
