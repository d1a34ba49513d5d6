//! [`Session`]: one conversation, in memory and in its file.

mod file;

use std::cell::RefCell;
use std::rc::Rc;

use vitrine_agent::message::{Message, SharedMessage, UserContent};
use vitrine_vfs::{Backend, BackendError, Log};

use crate::compaction;
use crate::entry::{
    BranchSummary, Compaction, ContextEdit, Custom, CustomMessage, Entry, Header, Label, ModelChange, Payload,
    Replacement, SessionInfoEntry, ThinkingLevelChange,
};
use crate::ids::{Entropy, EntryId, SessionId};
use crate::log::{self, Damage, Parsed};
use crate::loss::Loss;
use crate::projection::{self, Context};
use crate::settle;
use crate::summary::{self, SessionInfo};
use crate::tree::Tree;
use file::File;
pub(crate) use file::read_all;

/// Random bits that a store and its sessions share.
pub type SharedEntropy = Rc<RefCell<dyn Entropy>>;

/// Why a session did not do what it was asked. Nothing changed then, in memory or in the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The storage refused the write or the read.
    #[error("the session was not saved: {0}")]
    Storage(#[from] BackendError),
    /// No entry has that id.
    #[error("the session has no entry {id}")]
    UnknownEntry {
        /// The id that was given.
        id: EntryId,
    },
}

/// One conversation: an append-only tree of entries, its leaf, and the file it is kept in.
///
/// Nothing is written before the first user or assistant message; then everything is, and after that each entry as it
/// is appended, flushed before the call returns. A future of this type that is dropped half-way leaves the entry in
/// memory; the next append writes it too.
pub struct Session {
    header: Header,
    tree: Tree,
    entropy: SharedEntropy,
    damage: Damage,
    file: File,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("header", &self.header)
            .field("n_entries", &self.tree.entries().len())
            .field("leaf", &self.tree.leaf())
            .finish_non_exhaustive()
    }
}

impl Session {
    /// A new session that `backend` will hold as `name` once it has something worth keeping.
    pub(crate) fn new(backend: Rc<dyn Backend>, name: String, entropy: SharedEntropy, header: Header) -> Self {
        let file = File::unwritten(backend, name);
        Self { header, tree: Tree::default(), entropy, damage: Damage::default(), file }
    }

    /// A session read from `log`, whose bytes were `parsed`.
    pub(crate) fn stored(
        backend: Rc<dyn Backend>,
        name: String,
        entropy: SharedEntropy,
        log: Box<dyn Log>,
        length: u64,
        parsed: Parsed,
    ) -> Self {
        let file = File::stored(backend, name, log, length, &parsed);
        let Parsed { header, entries, damage, .. } = parsed;
        Self { header, tree: Tree::new(entries), entropy, damage, file }
    }

    /// Its first line.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Its id.
    pub fn id(&self) -> &SessionId {
        &self.header.id
    }

    /// The name of its file in the backend.
    pub fn file_name(&self) -> &str {
        self.file.name()
    }

    /// Its entries, branches and leaf.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The lines that could not be read when it was opened or imported. What followed one of them is counted by
    /// [`Tree::n_mended`].
    pub fn damage(&self) -> &Damage {
        &self.damage
    }

    /// What a reader has to be told of it; `None` when its file was whole.
    pub fn loss(&self) -> Option<Loss> {
        let loss = Loss { n_bad_lines: self.damage.n_bad_lines, n_mended: self.tree.n_mended() };
        (loss != Loss { n_bad_lines: 0, n_mended: 0 }).then_some(loss)
    }

    /// Whether it is stored: not before its first user or assistant message.
    pub fn is_stored(&self) -> bool {
        self.file.is_stored()
    }

    /// What a list of sessions shows of it.
    pub fn info(&self) -> SessionInfo {
        summary::of_session(&self.header, &self.tree)
    }

    /// What a model reads at the leaf: compactions, edits and summaries applied, custom roles turned into user messages,
    /// each call of a finished response followed by its one result. Equal trees give equal contexts.
    pub fn context(&self) -> Context {
        let mut context = projection::project(&self.tree.path());
        context.messages = settle::pair(projection::for_model(&context.messages));
        context
    }

    /// What a person reads at the leaf: the messages of the branch as they were, with nothing compacted or edited.
    pub fn messages(&self) -> Vec<SharedMessage> {
        self.tree.path().iter().filter_map(|entry| entry.message().cloned()).collect()
    }

    /// The whole session as text: the header, the entries that could be read, each line ended by a line feed.
    pub fn to_jsonl(&self) -> String {
        String::from_utf8(log::encode(&self.header, self.tree.entries())).unwrap_or_default()
    }

    /// The bytes of its file exactly as they are stored, lines that could not be read included; before it is stored, or
    /// when the file has an older form, what would be written.
    pub fn export(&self) -> Result<Vec<u8>, SessionError> {
        Ok(self.file.read()?.unwrap_or_else(|| self.to_jsonl().into_bytes()))
    }

    /// Appends a message. The loop calls this at each message end, after its listeners.
    pub async fn append_message(&mut self, message: SharedMessage, now_ms: u64) -> Result<EntryId, SessionError> {
        self.append(Payload::Message(message), now_ms).await
    }

    /// Says which model answers from here on.
    pub async fn append_model_change(
        &mut self,
        provider: &str,
        model_id: &str,
        now_ms: u64,
    ) -> Result<EntryId, SessionError> {
        let change = ModelChange { provider: provider.to_owned(), model_id: model_id.to_owned() };
        self.append(Payload::ModelChange(change), now_ms).await
    }

    /// Says how much the model thinks from here on.
    pub async fn append_thinking_level_change(&mut self, level: &str, now_ms: u64) -> Result<EntryId, SessionError> {
        let change = ThinkingLevelChange { thinking_level: level.to_owned() };
        self.append(Payload::ThinkingLevelChange(change), now_ms).await
    }

    /// Names the session. Line feeds become spaces; an empty name takes the name away.
    pub async fn append_session_info(&mut self, name: &str, now_ms: u64) -> Result<EntryId, SessionError> {
        let name = Some(summary::one_line(name));
        self.append(Payload::SessionInfo(SessionInfoEntry { name }), now_ms).await
    }

    /// Marks an entry, or takes its mark away with `None`.
    pub async fn append_label(
        &mut self,
        target_id: &EntryId,
        label: Option<&str>,
        now_ms: u64,
    ) -> Result<EntryId, SessionError> {
        let target_id = self.known(target_id)?;
        let label = Label { target_id, label: label.map(str::to_owned) };
        self.append(Payload::Label(label), now_ms).await
    }

    /// Replaces the content of an earlier entry from here on, or omits it with `None`.
    pub async fn append_context_edit(
        &mut self,
        target_id: &EntryId,
        replacement: Option<UserContent>,
        now_ms: u64,
    ) -> Result<EntryId, SessionError> {
        let target_id = self.known(target_id)?;
        let replacement = replacement.map(|content| Replacement { content });
        self.append(Payload::ContextEdit(ContextEdit { target_id, replacement }), now_ms).await
    }

    /// Records something the model never sees.
    pub async fn append_custom(&mut self, custom: Custom, now_ms: u64) -> Result<EntryId, SessionError> {
        self.append(Payload::Custom(custom), now_ms).await
    }

    /// Records a message that the model reads as a user message.
    pub async fn append_custom_message(
        &mut self,
        message: CustomMessage,
        now_ms: u64,
    ) -> Result<EntryId, SessionError> {
        self.append(Payload::CustomMessage(message), now_ms).await
    }

    /// Puts a summary in place of everything on the branch before `first_kept_entry_id`; `None` keeps nothing. Prompt and
    /// tools are kept with it.
    pub async fn append_compaction(&mut self, compaction: Compaction, now_ms: u64) -> Result<EntryId, SessionError> {
        let system = compaction::checkpoint(&projection::project(&self.tree.path()).messages, now_ms);
        let system_message = system.map(|system| SharedMessage::new(Message::System(system)));
        self.append(Payload::Compaction(Compaction { system_message, ..compaction }), now_ms).await
    }

    /// Moves the leaf to `id`, or before the first entry, and says there what happened on the branch that was left.
    /// On an error the leaf is where it was.
    pub async fn branch_with_summary(
        &mut self,
        id: Option<&EntryId>,
        summary: &str,
        now_ms: u64,
    ) -> Result<EntryId, SessionError> {
        let left = self.tree.leaf().cloned();
        if !self.tree.move_leaf(id) {
            return Err(SessionError::UnknownEntry { id: id.cloned().unwrap_or_else(|| "".into()) });
        }
        let from_id = left.as_ref().map_or_else(|| "root".to_owned(), ToString::to_string);
        let branch = BranchSummary { from_id, summary: summary.to_owned(), ..BranchSummary::default() };
        let appended = self.append(Payload::BranchSummary(branch), now_ms).await;
        if appended.is_err() {
            self.tree.move_leaf(left.as_ref());
        }
        appended
    }

    /// Appends any entry after the leaf, which becomes it. On an error the entry is in neither memory nor file.
    pub async fn append(&mut self, payload: Payload, now_ms: u64) -> Result<EntryId, SessionError> {
        let id = EntryId::generate(&mut *self.entropy.borrow_mut(), |id| self.tree.entry(id).is_some());
        // Without a word of either side there is nothing worth a file.
        let starts =
            payload.message().is_some_and(|message| matches!(**message, Message::User(_) | Message::Assistant(_)));
        self.tree.push(Entry::new(id.clone(), self.tree.leaf().cloned(), now_ms, payload));
        if self.is_stored() || starts {
            let saved = self.file.save(&self.header, self.tree.entries()).await;
            if let Err(error) = saved {
                self.tree.undo_push();
                return Err(error.into());
            }
        }
        Ok(id)
    }

    /// Gives every call that the last response still waits for an error result, in the log, because the run that would
    /// have answered was cut off. Returns the messages it appended. A second call appends nothing.
    ///
    /// To be called once after opening, by whoever may write, before the session continues. Calls that were left open
    /// further up are not touched: only [`Session::context`] answers those.
    pub async fn settle(&mut self, now_ms: u64) -> Result<Vec<SharedMessage>, SessionError> {
        let results = settle::open_calls(&self.messages(), now_ms);
        for result in &results {
            self.append_message(result.clone(), now_ms).await?;
        }
        Ok(results)
    }

    /// Moves the leaf, so that the next entry follows `id`. The move itself is not stored.
    pub fn branch(&mut self, id: &EntryId) -> Result<(), SessionError> {
        if self.tree.move_leaf(Some(id)) { Ok(()) } else { Err(SessionError::UnknownEntry { id: id.clone() }) }
    }

    /// Moves the leaf before the first entry, so that the next one is a root: how the first message is written anew. No id
    /// stands for that place, hence the method beside [`Session::branch`].
    pub fn reset_leaf(&mut self) {
        self.tree.move_leaf(None);
    }

    fn known(&self, id: &EntryId) -> Result<EntryId, SessionError> {
        match self.tree.entry(id) {
            Some(entry) => Ok(entry.id.clone()),
            None => Err(SessionError::UnknownEntry { id: id.clone() }),
        }
    }
}
