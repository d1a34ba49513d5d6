//! [`Registry`]: the tools of one workspace, by exact name and in a fixed order.

use std::fmt;
use std::rc::Rc;

use vitrine_agent::tool::{Tool, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::Workspace;

use crate::edit::Edit;
use crate::ls::Ls;
use crate::mutation_queue::MutationQueue;
use crate::paths::Paths;
use crate::read::Read;
use crate::write::Write;

/// Every tool there is, in the order in which a model is told of them.
pub const ALL: &[&str] = &["read", "edit", "write", "ls"];

/// The tools of a session. A clone shares the tools and the order of their writes.
#[derive(Clone)]
pub struct Registry {
    tools: Vec<Rc<dyn Tool>>,
}

/// Why a registry cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// A name that no tool has.
    #[error("no tool is named {name:?}")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A tool's own schema does not compile: a bug of that tool.
    #[error("schema of a built-in tool: {0}")]
    Schema(#[from] SchemaError),
}

impl Registry {
    /// The named tools over a workspace, in the order of [`ALL`] whatever the order of `names`; each at most once.
    pub fn new(workspace: &Workspace, paths: &Paths, names: &[&str]) -> Result<Self, RegistryError> {
        if let Some(name) = names.iter().find(|name| !ALL.contains(name)) {
            return Err(RegistryError::Unknown { name: (*name).to_owned() });
        }
        let queue = MutationQueue::default();
        let (workspace, paths) = (|| workspace.clone(), || paths.clone());
        let mut tools: Vec<Rc<dyn Tool>> = Vec::new();
        for name in ALL.iter().filter(|name| names.contains(name)) {
            tools.push(match *name {
                "read" => Rc::new(Read::new(workspace(), paths())?),
                "edit" => Rc::new(Edit::new(workspace(), paths(), queue.clone())?),
                "write" => Rc::new(Write::new(workspace(), paths(), queue.clone())?),
                _ => Rc::new(Ls::new(workspace(), paths())?),
            });
        }
        Ok(Self { tools })
    }

    /// These tools and one more, which is told last.
    #[must_use]
    pub fn with(mut self, tool: Rc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// The tools, in order.
    pub fn tools(&self) -> &[Rc<dyn Tool>] {
        &self.tools
    }

    /// What the model is told, in order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools.iter().map(|tool| tool.spec().clone()).collect()
    }

    /// The tool of exactly this name.
    pub fn get(&self, name: &str) -> Option<Rc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name).cloned()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools.iter().map(|tool| &tool.spec().name)).finish()
    }
}
