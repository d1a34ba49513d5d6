//! The key sheet.

use crate::store::Store;
use crate::view::{Element, classed, element, live};

/// A place, and the keys that act in it with what they do.
type Group<'a> = (&'static str, &'a [(&'a [&'static str], &'static str)]);

/// What each key does, by where it does it.
pub fn keys_sheet(store: Store) -> Element {
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
            (
                t.keys_anywhere,
                &[(&["Esc"], t.key_stop), (&["Alt 1", "2", "3", "4"], t.key_panels), (&["?"], t.key_sheet)],
            ),
        ];
        groups.map(|(title, keys)| {
            let row = |(keys, does): &(&[&'static str], &'static str)| {
                let keys = keys.iter().map(|key| (element("kbd").child(*key), " ")).collect::<Vec<_>>();
                [element("dt").child(keys), element("dd").child(*does)]
            };
            (element("h3").child(title), element("dl").child(keys.iter().map(row).collect::<Vec<_>>()))
        })
    };
    classed("div", "keys scroll").attr("tabindex", "0").child(live(content))
}
