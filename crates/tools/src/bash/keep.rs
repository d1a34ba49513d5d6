//! Where the whole output of a command is kept when a model is shown only its end.

use std::cell::OnceCell;

use vitrine_vfs::{Kind, Workspace, WorkspacePath};

use crate::paths::Paths;

/// In the workspace, since that is all that the other tools can read.
const FOLDER: &str = ".vitrine/output";
/// How many are kept. They are many megabytes at worst, and nobody asks for old ones.
const KEPT: usize = 8;

/// The file of one command's output, which is there once there is too much of that.
#[derive(Debug)]
pub struct Keep {
    workspace: Workspace,
    paths: Paths,
    file: OnceCell<WorkspacePath>,
}

impl Keep {
    /// No file yet.
    pub fn new(workspace: Workspace, paths: Paths) -> Self {
        Self { workspace, paths, file: OnceCell::new() }
    }

    /// Names the file as the model sees it, with what there is so far when it is first asked for. `None` if there can be none.
    pub fn begun(&self, text: &str) -> Option<String> {
        if self.file.get().is_none() {
            self.all(text).ok()?;
        }
        self.file.get().map(|path| self.paths.shown(path))
    }

    /// Writes the output to its file, and removes the oldest files of others. Gives the path as the model sees it, or why there
    /// is no file.
    pub fn all(&self, text: &str) -> Result<String, String> {
        let path = match self.file.get() {
            Some(path) => path.clone(),
            None => self.place()?,
        };
        self.workspace.write(&path, text.as_bytes().to_vec()).map_err(|error| error.to_string())?;
        // It may be there already, and is the same then.
        let _ = self.file.set(path.clone());
        Ok(self.paths.shown(&path))
    }

    fn place(&self) -> Result<WorkspacePath, String> {
        let folder = WorkspacePath::parse(FOLDER).map_err(|error| error.to_string())?;
        let mut numbers: Vec<u64> = self
            .workspace
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
            let _ = self.workspace.remove(&path(*old)?);
        }
        path(numbers.last().map_or(1, |last| last.saturating_add(1)))
    }
}
