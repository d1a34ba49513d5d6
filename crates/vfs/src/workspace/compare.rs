//! What is different between two trees, and the operations that make one the other.

use std::rc::Rc;
use std::sync::Arc;

use crate::operation::Operation;
use crate::path::WorkspacePath;
use crate::workspace::tree::{File, Node, Tree};
use crate::workspace::{Difference, DifferenceKind, Kind};

/// All paths that differ, sorted.
pub(crate) fn differences(from: &Tree, to: &Tree) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(&WorkspacePath::root(), from.root(), to.root(), &mut |delta| match delta {
        Delta::Removed(path, node) => expand(&path, node, DifferenceKind::Removed, &mut differences),
        Delta::Added(path, node) => expand(&path, node, DifferenceKind::Added, &mut differences),
        Delta::Changed(path, ..) => {
            differences.push(Difference { path, kind: Kind::File, difference: DifferenceKind::Changed });
        }
    });
    differences
}

/// The operations that make `from` equal to `to`. Between them the tree may be larger than either.
pub(crate) fn operations(from: &Tree, to: &Tree) -> Vec<Operation> {
    operations_at(&WorkspacePath::root(), Some(from.root()), Some(to.root()))
}

/// Likewise for what is at one path in both, or nothing.
pub(crate) fn operations_at(path: &WorkspacePath, from: Option<&Node>, to: Option<&Node>) -> Vec<Operation> {
    let mut operations = Vec::new();
    let mut on_delta = |delta: Delta<'_>| match delta {
        Delta::Removed(path, _) => operations.push(Operation::Remove(path)),
        Delta::Added(path, node) => build(&path, node, &mut operations),
        Delta::Changed(path, _, file) => operations.push(write(path, file)),
    };
    match (from, to) {
        (Some(from), Some(to)) => compare(path, from, to, &mut on_delta),
        (Some(from), None) => on_delta(Delta::Removed(path.clone(), from)),
        (None, Some(to)) => on_delta(Delta::Added(path.clone(), to)),
        (None, None) => {}
    }
    operations
}

fn write(path: WorkspacePath, file: &File) -> Operation {
    Operation::Write { path, contents: Arc::clone(&file.contents), modified_ms: file.modified_ms }
}

/// A difference at the topmost path that shows it.
pub(crate) enum Delta<'a> {
    Removed(WorkspacePath, &'a Node),
    Added(WorkspacePath, &'a Node),
    Changed(WorkspacePath, &'a File, &'a File),
}

/// Tells each difference.
pub(crate) fn compare<'a>(path: &WorkspacePath, from: &'a Node, to: &'a Node, on_delta: &mut dyn FnMut(Delta<'a>)) {
    match (from, to) {
        (Node::File(old), Node::File(new)) => {
            if !Arc::ptr_eq(&old.contents, &new.contents) && old.contents != new.contents {
                on_delta(Delta::Changed(path.clone(), old, new));
            }
        }
        (Node::Folder(old), Node::Folder(new)) if Rc::ptr_eq(old, new) => {}
        (Node::Folder(old), Node::Folder(new)) => {
            let mut names: Vec<&str> = old.keys().chain(new.keys()).map(AsRef::as_ref).collect();
            names.sort_unstable();
            names.dedup();
            for name in names {
                let child = path.child(name);
                match (old.get(name), new.get(name)) {
                    (Some(old), Some(new)) => compare(&child, old, new, on_delta),
                    (Some(old), None) => on_delta(Delta::Removed(child, old)),
                    (None, Some(new)) => on_delta(Delta::Added(child, new)),
                    (None, None) => {}
                }
            }
        }
        (Node::File(_), Node::Folder(_)) | (Node::Folder(_), Node::File(_)) => {
            on_delta(Delta::Removed(path.clone(), from));
            on_delta(Delta::Added(path.clone(), to));
        }
    }
}

fn expand(path: &WorkspacePath, node: &Node, difference: DifferenceKind, differences: &mut Vec<Difference>) {
    differences.push(Difference { path: path.clone(), kind: node.kind(), difference });
    if let Node::Folder(folder) = node {
        for (name, node) in &**folder {
            expand(&path.child(name), node, difference, differences);
        }
    }
}

/// Writes make their folders, so only an empty folder needs an operation of its own.
fn build(path: &WorkspacePath, node: &Node, operations: &mut Vec<Operation>) {
    match node {
        Node::File(file) => operations.push(write(path.clone(), file)),
        Node::Folder(folder) if folder.is_empty() => operations.push(Operation::MakeFolder(path.clone())),
        Node::Folder(folder) => {
            for (name, node) in &**folder {
                build(&path.child(name), node, operations);
            }
        }
    }
}
