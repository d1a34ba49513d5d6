//! Where the whole output of a command is kept when a model is shown only its end.

use vitrine_vfs::{Kind, Workspace, WorkspacePath};

use crate::paths::Paths;

/// In the workspace, since that is all that the other tools can read.
const FOLDER: &str = ".vitrine/output";
/// How many are kept. They are many megabytes at worst, and nobody asks for old ones.
const KEPT: usize = 8;

/// Writes a file of its own for an output, and removes the oldest ones. Gives the path as the model sees it, or why there is
/// no file.
pub fn keep(workspace: &Workspace, paths: &Paths, text: &str) -> Result<String, String> {
    let folder = WorkspacePath::parse(FOLDER).map_err(|error| error.to_string())?;
    let mut numbers: Vec<u64> = workspace
        .list(&folder)
        .unwrap_or_default()
        .iter()
        .filter(|entry| entry.kind == Kind::File)
        .filter_map(|entry| entry.name.strip_prefix("bash-")?.strip_suffix(".txt")?.parse().ok())
        .collect();
    numbers.sort_unstable();
    let path = |number: u64| folder.join(&format!("bash-{number}.txt")).map_err(|error| error.to_string());
    for old in numbers.iter().take((numbers.len() + 1).saturating_sub(KEPT)) {
        // One that does not go stays.
        let _ = workspace.remove(&path(*old)?);
    }
    let new = path(numbers.last().map_or(1, |last| last.saturating_add(1)))?;
    workspace.write(&new, text.as_bytes().to_vec()).map_err(|error| error.to_string())?;
    Ok(paths.shown(&new))
}
