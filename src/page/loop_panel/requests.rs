//! The requests: what left, byte for byte, what each part of it weighs, and what the one before did not have.

use leptos::prelude::*;
use vitrine_protocol::command::Command;
use vitrine_protocol::copy_as;
use vitrine_protocol::numbers::{size, tokens};
use vitrine_protocol::requests::{RequestInfo, Section, SectionKind};
use vitrine_protocol::visible::visible;

use crate::chat::code::copy_words;
use crate::glyphs::{Glyph, glyph};
use crate::loop_panel::words::{LoopWords, loop_words, word};
use crate::store::{Store, read};
use crate::view::{Element, button, classed, effect, element, live, live_text, view};

/// Bytes of a body that are drawn.
const SHOWN: usize = 64 * 1024;

/// Draws the request at the cursor, or the newest.
pub fn requests(store: Store) -> Element {
    let all = RwSignal::new(Vec::<RequestInfo>::new());
    let chosen = RwSignal::new(None::<usize>);
    let n_requests = Memo::new(move |_| store.state.with(|state| state.requests));
    effect(move || {
        n_requests.track();
        store.drawn.track();
        let newest = n_requests.get_untracked() as usize;
        if all.with_untracked(|all| all.len() != newest || all.is_empty()) {
            store.ask(Command::ListRequests {}, None, move |value| {
                if let Ok(list) = read::<Vec<RequestInfo>>(value.json.as_ref())
                    && all.try_with_untracked(|old| *old != list) == Some(true)
                {
                    all.set(list);
                }
            });
        }
    });
    // The cursor leads; choosing a request moves it.
    effect(move || {
        if store.cursor.get().is_some() {
            chosen.set(None);
        }
    });
    let at = Memo::new(move |_| {
        let cursor = store.cursor.get();
        all.with(|all| {
            let newest = all.len().saturating_sub(1);
            let led = cursor.map(|cursor| all.iter().rposition(|request| request.event <= cursor).unwrap_or(0));
            chosen.get().or(led).unwrap_or(newest).min(newest)
        })
    });
    let shown = Memo::new(move |_| {
        let at = at.get();
        all.with(|all| Some((all.get(at)?.clone(), at.checked_sub(1).is_some(), all.len())))
    });
    let go = move |by: isize| {
        let to = at.get_untracked().saturating_add_signed(by);
        if let Some(event) = all.with_untracked(|all| all.get(to).map(|request| request.event)) {
            store.cursor.set(None);
            chosen.set(Some(to));
            // The other surfaces follow; this one keeps what was chosen.
            store.cursor.set(Some(event));
        }
    };
    classed("div", "scroll reqview").test_id("request").child(live(move || match shown.get() {
        None => view(classed("p", "empty q2").child(word(store, |t| t.no_requests))),
        Some((request, has_before, n)) => {
            let step = |by: isize, shape: Glyph, id: &str, is_off: bool, name: fn(&LoopWords) -> &'static str| {
                button("btn square")
                    .test_id(id)
                    .flag("disabled", is_off)
                    .live_attr("aria-label", move || name(loop_words(store)))
                    .on_click(move || go(by))
                    .child(glyph(shape))
            };
            let is_last = request.number as usize >= n;
            let t = loop_words(store);
            let steps = classed("div", "reqhead")
                .child(step(-1, Glyph::Back, "request-before", !has_before, |t| t.previous))
                .child(element("b").child((t.request_of)(request.number, n)))
                .child(step(1, Glyph::Forward, "request-after", is_last, |t| t.next))
                .child(classed("span", "q2 num").child((t.weight)(&size(request.bytes), &tokens(request.tokens()))));
            view([steps, whole(store, &request, has_before)])
        }
    }))
}

fn whole(store: Store, request: &RequestInfo, has_before: bool) -> Element {
    let t = loop_words(store);
    let target = classed("p", "mono clip")
        .child(classed("span", "tag").child(request.method.as_str()))
        .child(" ")
        .child(visible(&request.url).into_owned());
    let headers = request
        .headers
        .iter()
        .map(|(name, value)| element("div").child(format!("{}: {}", visible(name), visible(value))));
    let headers = element("details")
        .child(element("summary").child((t.headers)(request.headers.len())))
        .child(classed("div", "mono").child(headers.collect::<Vec<_>>()));
    let body = RwSignal::new(String::new());
    let number = request.number;
    store.ask(Command::ReadRequest { number }, None, move |value| {
        let bytes = value.bytes.unwrap_or_default();
        body.try_set(String::from_utf8_lossy(&bytes).into_owned());
    });
    let (curl, fetch) = (request.clone(), request.clone());
    let acts = classed("div", "acts")
        .child(
            copy_words(
                store,
                move || loop_words(store).as_curl,
                move || body.with_untracked(|body| copy_as::curl(&curl, body)),
            )
            .test_id("copy-curl"),
        )
        .child(
            copy_words(
                store,
                move || loop_words(store).as_fetch,
                move || body.with_untracked(|body| copy_as::fetch(&fetch, body)),
            )
            .test_id("copy-fetch"),
        );
    let text = move || body.with(|body| body.get(..body.floor_char_boundary(SHOWN)).unwrap_or_default().to_owned());
    let cut = move || {
        body.with(|body| if body.len() > SHOWN { (loop_words(store).cut)(&size(body.len())) } else { String::new() })
    };
    let not_sent = (!request.sent).then(|| classed("p", "q2").child(t.not_sent));
    classed("div", "reqbody")
        .child(target)
        .child(not_sent)
        .child(headers)
        .child(weights(store, &request.sections, has_before))
        .child(acts)
        .child(element("h3").child(t.body))
        .child(classed("pre", "payload").attr("tabindex", "0").test_id("request-body").child(live_text(text)))
        .child(classed("p", "q2").child(live_text(cut)))
}

/// The parts as one bar and as a table that says the same.
fn weights(store: Store, sections: &[Section], has_before: bool) -> Element {
    let t = loop_words(store);
    let total = sections.iter().map(|section| section.bytes).sum::<usize>().max(1);
    let bar = sections.iter().map(|section| {
        let class = match section.kind {
            _ if has_before && !section.same_as_before => "new",
            SectionKind::System => "a",
            SectionKind::Tools => "b",
            SectionKind::Message | SectionKind::Other => "",
        };
        classed("i", class).style("flex-grow", &section.bytes.to_string())
    });
    let row = |section: &Section| -> Element {
        let name = match (&section.role, section.kind) {
            (Some(role), SectionKind::Message) => role.clone(),
            _ => (t.section)(section.kind).to_owned(),
        };
        let is_new = has_before && !section.same_as_before;
        let against = match section.same_as_before {
            _ if !has_before => t.first,
            true => t.same,
            false => t.new,
        };
        element("tr")
            .child(
                element("td")
                    .child(element("b").child(name))
                    .child(" ")
                    .child(classed("span", "q2").child(visible(&section.label).into_owned())),
            )
            .child(classed("td", "num").child(section.bytes.to_string()))
            .child(classed("td", "num").child(format!("~{}", section.tokens)))
            .child(classed("td", "num").child(format!("{} %", section.bytes * 100 / total)))
            .child(element("td").child(if is_new { view(element("b").child(against)) } else { view(against) }))
    };
    let head = t.columns.map(|name| element("th").attr("scope", "col").child(name));
    element("div").child(classed("div", "weights").attr("aria-hidden", "true").child(bar.collect::<Vec<_>>())).child(
        classed("div", "tablebox").child(
            classed("table", "data")
                .child(element("thead").child(element("tr").child(head)))
                .child(element("tbody").child(sections.iter().map(row).collect::<Vec<_>>())),
        ),
    )
}
