//! [`Registry`]: the tools of one workspace, by exact name and in a fixed order.

use std::cell::RefCell;
use std::rc::Rc;

use vitrine_agent::tool::{Tool, ToolSpec};
use vitrine_vfs::Workspace;

/// The tools of a session. Cheap to clone; clones share the tools and the order of their writes.
#[derive(Clone)]
pub struct Registry {
    tools: Vec<Rc<dyn Tool>>,
}

/// Why a registry cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// A name that no tool has.
    #[error("no tool is named {name}")]
    Unknown {
        /// The name.
        name: String,
    },
    /// A tool's own schema does not compile: a bug of that tool.
    #[error("schema of tool {name}: {message}")]
    Schema {
        /// The tool.
        name: String,
        /// The compiler's words.
        message: String,
    },
}

/// Every tool there is, in the order a model is told of them.
pub const ALL: &[&str] = &["read", "write", "ls"];

impl Registry {
    /// The named tools over a workspace, in the order of [`ALL`] whatever the order of `names`.
    ///
    /// `cwd` is the absolute path under which the model sees the workspace's root, as `/workspace`.
    pub fn new(workspace: Rc<RefCell<Workspace>>, cwd: &str, names: &[&str]) -> Result<Self, RegistryError> {
        todo!()
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
