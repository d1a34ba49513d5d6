//! [`Registry`]: the tools of one workspace, by exact name and in a fixed order.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use vitrine_agent::tool::{Tool, ToolSpec};
use vitrine_schema::SchemaError;
use vitrine_vfs::Workspace;

use crate::edit::Edit;
use crate::find::Find;
use crate::grep::Grep;
use crate::image::Images;
use crate::ls::Ls;
use crate::mutation_queue::MutationQueue;
use crate::paths::Paths;
use crate::read::Read;
use crate::write::Write;

/// The tools that every registry has, in the order in which a model is told of them.
pub const ALL: &[&str] = &["read", "edit", "write", "ls"];
/// Those that are on unless somebody says otherwise: with a shell, nothing else is needed.
pub const DEFAULT: &[&str] = &["read", "edit", "write"];
/// Where in the order a tool stands that is given from outside.
const ORDER: &[&str] = &["read", "bash", "edit", "write", "grep", "find", "ls"];

/// The tools of a session. A clone shares the tools, the order of their writes and which of them are on.
#[derive(Clone)]
pub struct Registry {
    tools: Vec<Rc<dyn Tool>>,
    queue: MutationQueue,
    off: Rc<RefCell<BTreeSet<String>>>,
}

/// Whether a model is told of a tool and may call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It is.
    On,
    /// For the model, it is not there.
    Off,
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
    /// The tools of [`ALL`] over a workspace, of which the named ones are on, whatever the order of `names`.
    pub fn new(workspace: &Workspace, paths: &Paths, names: &[&str]) -> Result<Self, RegistryError> {
        if let Some(name) = names.iter().find(|name| !ALL.contains(name)) {
            return Err(RegistryError::Unknown { name: (*name).to_owned() });
        }
        let queue = MutationQueue::default();
        let (workspace, paths) = (|| workspace.clone(), || paths.clone());
        let mut tools: Vec<Rc<dyn Tool>> = Vec::new();
        for name in ALL {
            tools.push(match *name {
                "read" => Rc::new(Read::new(workspace(), paths())?),
                "edit" => Rc::new(Edit::new(workspace(), paths(), queue.clone())?),
                "write" => Rc::new(Write::new(workspace(), paths(), queue.clone())?),
                _ => Rc::new(Ls::new(workspace(), paths())?),
            });
        }
        let off = ALL.iter().filter(|name| !names.contains(name)).map(|name| (*name).to_owned()).collect();
        Ok(Self { tools, queue, off: Rc::new(RefCell::new(off)) })
    }

    /// These tools and one more, which is on.
    #[must_use]
    pub fn with(mut self, tool: Rc<dyn Tool>) -> Self {
        self.tools.push(tool);
        self
    }

    /// The order in which changes are made, for a tool that is given from outside.
    pub fn queue(&self) -> &MutationQueue {
        &self.queue
    }

    /// These and `grep` and `find`, which are off. Apart, because of what they weigh: whoever does without does not link them.
    pub fn with_search(mut self, workspace: &Workspace, paths: &Paths) -> Result<Self, RegistryError> {
        let grep = Grep::new(workspace.clone(), paths.clone())?;
        let find = Find::new(workspace.clone(), paths.clone())?;
        let tools: [Rc<dyn Tool>; 2] = [Rc::new(grep), Rc::new(find)];
        self.off.borrow_mut().extend(tools.iter().map(|tool| tool.spec().name.clone()));
        self.tools.extend(tools);
        Ok(self)
    }

    /// These, with a `read` that shows images of any size.
    pub fn with_images(
        mut self,
        workspace: &Workspace,
        paths: &Paths,
        images: Rc<dyn Images>,
    ) -> Result<Self, RegistryError> {
        let read = Read::new(workspace.clone(), paths.clone())?.with_images(images);
        if let Some(tool) = self.tools.iter_mut().find(|tool| tool.spec().name == read.spec().name) {
            *tool = Rc::new(read);
        }
        Ok(self)
    }

    /// The tools that are on, in order. One that was given from outside is last, unless pi has it elsewhere.
    pub fn tools(&self) -> Vec<Rc<dyn Tool>> {
        let off = self.off.borrow();
        self.ordered().into_iter().filter(|tool| !off.contains(&tool.spec().name)).collect()
    }

    fn ordered(&self) -> Vec<Rc<dyn Tool>> {
        let mut tools = self.tools.clone();
        let place = |tool: &Rc<dyn Tool>| ORDER.iter().position(|name| *name == tool.spec().name);
        tools.sort_by_key(|tool| place(tool).unwrap_or(ORDER.len()));
        tools
    }

    /// What the model is told, in order.
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.tools().iter().map(|tool| tool.spec().clone()).collect()
    }

    /// The tool of exactly this name, if it is on.
    pub fn get(&self, name: &str) -> Option<Rc<dyn Tool>> {
        self.named(name).filter(|tool| !self.off.borrow().contains(&tool.spec().name))
    }

    /// All tools and whether each is on, in order.
    pub fn switches(&self) -> Vec<(String, Switch)> {
        let off = self.off.borrow();
        let switch = |name: &str| if off.contains(name) { Switch::Off } else { Switch::On };
        let tools = self.ordered().into_iter();
        tools.map(|tool| (tool.spec().name.clone(), switch(&tool.spec().name))).collect()
    }

    /// The tool of exactly this name, whether or not it is on: a call that was asked for while it was is still to be done.
    pub fn named(&self, name: &str) -> Option<Rc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name).cloned()
    }

    /// Switches the named tools on and all others off, for all clones. An unknown name switches nothing.
    pub fn switch_to(&self, names: &[String]) -> Result<(), RegistryError> {
        let has = |name: &str| self.tools.iter().any(|tool| tool.spec().name == name);
        if let Some(name) = names.iter().find(|name| !has(name)) {
            return Err(RegistryError::Unknown { name: name.clone() });
        }
        let all = self.tools.iter().map(|tool| tool.spec().name.clone());
        self.off.replace(all.filter(|name| !names.contains(name)).collect());
        Ok(())
    }

    /// Switches a tool for all clones. A call that is under way goes on.
    pub fn switch(&self, name: &str, to: Switch) -> Result<(), RegistryError> {
        if self.tools.iter().all(|tool| tool.spec().name != name) {
            return Err(RegistryError::Unknown { name: name.to_owned() });
        }
        match to {
            Switch::On => self.off.borrow_mut().remove(name),
            Switch::Off => self.off.borrow_mut().insert(name.to_owned()),
        };
        Ok(())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.specs().iter().map(|spec| &spec.name)).finish()
    }
}
