//! [`effect`]: what a call would do, before it does it. The tools' own words, so that a person who is asked decides about the
//! thing itself.

use serde_json::Value;
use vitrine_vfs::{Workspace, WorkspacePath};

use crate::compare::{Budget, Comparison, Version, compare};
use crate::definition::text;
use crate::edit::{self, Planned};
use crate::paths::Paths;

/// What a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It changes a file.
    Diff {
        /// Which, from the root.
        path: String,
        /// How, as a unified diff. Empty for what is no text or too much to be shown, and where nothing changes.
        patch: String,
        /// Lines that come.
        added: usize,
        /// Lines that go.
        removed: usize,
    },
    /// It runs a command.
    Command(String),
    /// It would fail, and the model would read this.
    Fails(String),
    /// Nothing is known but the arguments.
    Unknown,
}

/// The file or folder that a call with these arguments is about: what its path leads to, whichever way it is written, and under
/// the name that is there. None for a tool without one, and for a path that leads out.
pub fn subject(workspace: &Workspace, paths: &Paths, arguments: &Value) -> Option<WorkspacePath> {
    let path = paths.resolve(arguments.get("path")?.as_str()?).ok()?.path;
    Some(paths.find(workspace, &path).unwrap_or(path))
}

/// What a call of the tool `name` with these checked arguments would do now. Changes nothing.
pub fn effect(workspace: &Workspace, paths: &Paths, name: &str, arguments: &Value) -> Effect {
    match name {
        "write" => match paths.resolve(text(arguments, "path")) {
            Ok(resolved) => {
                let path = paths.composed(workspace, &resolved.path);
                difference(workspace, &path, text(arguments, "content"))
            }
            Err(message) => Effect::Fails(message),
        },
        "edit" => {
            let given = text(arguments, "path");
            let planned = paths.resolve(given).and_then(|resolved| {
                let edits = edit::edits(arguments);
                edit::plan(workspace, paths, given, &edits, resolved).map_err(|error| error.0)
            });
            match planned {
                Ok(Planned { place, contents, .. }) => difference(workspace, &place.path, &contents),
                Err(message) => Effect::Fails(message),
            }
        }
        "bash" => Effect::Command(text(arguments, "command").to_owned()),
        _ => Effect::Unknown,
    }
}

fn difference(workspace: &Workspace, path: &WorkspacePath, contents: &str) -> Effect {
    let shown = path.as_str();
    let before = workspace.read(path).ok();
    let old = Version { path: shown, contents: before.as_deref() };
    let new = Version { path: shown, contents: Some(contents.as_bytes()) };
    let patch = match compare(old, new, &mut Budget::default()) {
        Comparison::Patch(patch) => patch,
        Comparison::Binary | Comparison::TooLarge => String::new(),
    };
    let count =
        |mark: char, head: &str| patch.lines().filter(|line| line.starts_with(mark) && !line.starts_with(head)).count();
    let (added, removed) = (count('+', "+++ "), count('-', "--- "));
    Effect::Diff { path: shown.to_owned(), added, removed, patch }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn workspace() -> Workspace {
        let workspace = Workspace::in_memory();
        for (path, contents) in [("a.txt", "one\ntwo\n"), ("b.bin", "\0\u{1}")] {
            let path = WorkspacePath::parse(path).expect("a path");
            workspace.write(&path, contents.as_bytes().to_vec()).expect("written");
        }
        workspace
    }

    fn of(name: &str, arguments: &Value) -> (String, bool) {
        let workspace = workspace();
        let before = workspace.snapshot();
        let found = match effect(&workspace, &Paths::default(), name, arguments) {
            Effect::Diff { path, patch, added, removed } => format!("{path} +{added} -{removed} {}", !patch.is_empty()),
            Effect::Command(command) => format!("$ {command}"),
            Effect::Fails(message) => format!("! {message}"),
            Effect::Unknown => "?".to_owned(),
        };
        (found, workspace.snapshot() == before)
    }

    #[test]
    fn a_call_is_about_what_its_path_leads_to() {
        let workspace = workspace();
        let composed = WorkspacePath::parse("caf\u{e9}.txt").expect("a path");
        workspace.write(&composed, Vec::new()).expect("written");
        let cases = [
            (json!({"path": "a.txt"}), Some("a.txt")),
            (json!({"path": "src/../a.txt"}), Some("a.txt")),
            (json!({"path": "./x/./../a.txt"}), Some("a.txt")),
            (json!({"path": "new/b.txt"}), Some("new/b.txt")),
            (json!({"path": "cafe\u{301}.txt"}), Some("caf\u{e9}.txt")),
            (json!({"path": "../../etc/passwd"}), None),
            (json!({"path": 5}), None),
            (json!({"command": "ls"}), None),
        ];
        for (arguments, expected) in cases {
            let found = subject(&workspace, &Paths::default(), &arguments);
            assert_eq!(found.as_ref().map(WorkspacePath::as_str), expected, "{arguments}");
        }
    }

    #[test]
    fn an_effect_is_what_the_tool_would_do_and_does_nothing() {
        let edits = |old: &str, new: &str| json!({"path": "a.txt", "edits": [{"oldText": old, "newText": new}]});
        let cases = [
            ("write", json!({"path": "new.txt", "content": "x\ny\n"}), "new.txt +2 -0 true"),
            ("write", json!({"path": "a.txt", "content": "one\n2\n"}), "a.txt +1 -1 true"),
            ("write", json!({"path": "a.txt", "content": "one\ntwo\n"}), "a.txt +0 -0 false"),
            ("write", json!({"path": "b.bin", "content": "text"}), "b.bin +0 -0 false"),
            ("edit", edits("two", "two\nthree"), "a.txt +1 -0 true"),
            ("bash", json!({"command": "rm -r src"}), "$ rm -r src"),
            ("mine", json!({"path": "a.txt"}), "?"),
        ];
        for (name, arguments, expected) in cases {
            let (found, is_same) = of(name, &arguments);
            assert!(is_same, "{name} {arguments}");
            assert_eq!(found, expected, "{name} {arguments}");
        }
        let (found, _) = of("edit", &edits("nowhere", ""));
        assert!(found.starts_with("! Could not find"), "{found}");
        let (found, _) = of("edit", &json!({"path": "none.txt", "edits": [{"oldText": "a", "newText": "b"}]}));
        assert!(found.starts_with("! Could not edit file"), "{found}");
    }
}
