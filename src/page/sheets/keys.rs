//! The key sheet.

use leptos::prelude::*;

use crate::store::Store;

/// A place, and the keys that act in it with what they do.
type Group<'a> = (&'static str, &'a [(&'a [&'static str], &'static str)]);

/// What each key does, by where it does it.
pub fn keys_sheet(store: Store) -> impl IntoView {
    let content = move || {
        let t = store.t();
        let groups: [Group<'_>; 3] = [
            (
                t.keys_composer,
                &[
                    (&["Enter"], t.key_send),
                    (&["Shift", "Enter"], t.key_newline),
                    (&["Enter"], t.key_steer),
                    (&["Alt", "Enter"], t.key_follow_up),
                    (&["Alt", "↑"], t.key_take_back),
                ],
            ),
            (
                t.keys_loop,
                &[
                    (&["F10", "S"], t.key_step),
                    (&["Shift F10", "T"], t.key_step_turn),
                    (&["F8", "R"], t.key_run),
                    (&["F8", "P"], t.pause),
                    (&["↑", "↓"], t.key_lists),
                ],
            ),
            (t.keys_anywhere, &[(&["Esc"], t.key_stop), (&["Alt 1", "2", "3"], t.key_panels), (&["?"], t.key_sheet)]),
        ];
        groups
            .map(|(title, keys)| {
                let keys = keys.iter().map(|(keys, does)| {
                    let keys = keys.iter().map(|key| view! { <kbd>{*key}</kbd>" " }).collect_view();
                    view! { <dt>{keys}</dt><dd>{*does}</dd> }
                });
                view! { <h3>{title}</h3>{keys.collect_view()} }
            })
            .into_iter()
            .collect_view()
    };
    view! { <dl class="keys scroll" tabindex="0">{content}</dl> }
}
