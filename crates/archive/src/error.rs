//! Why an archive is not taken, in words that say what to do.

/// Why an archive, or one of its entries, could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is no zip archive, or its end is missing.
    #[error("this is not a complete zip archive ({0}); download or make it again")]
    NotAnArchive(String),
    /// It is refused as a whole: nothing of it was unpacked.
    #[error("the archive was refused and nothing of it unpacked: {0}")]
    Refused(Refusal),
    /// An entry is damaged: its bytes do not have the size or the checksum that the list of entries gives.
    #[error("{path:?} is damaged in the archive ({reason}); download or make it again")]
    Damaged {
        /// Which entry.
        path: String,
        /// What does not fit.
        reason: String,
    },
    /// There is no entry of that number, or it is a folder.
    #[error("the archive has no file {0}")]
    NoSuchFile(usize),
    /// What it is read from or written to failed.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl ArchiveError {
    /// A name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotAnArchive(_) => "not-an-archive",
            Self::Refused(_) => "archive-refused",
            Self::Damaged { .. } => "archive-damaged",
            Self::NoSuchFile(_) => "internal",
            Self::Io(_) => "storage",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NotAnArchive(_) => "choose a zip file",
            Self::Refused(_) => "unpack it elsewhere, look at it, and pack what you want to have",
            Self::Damaged { .. } => "download it again, or ask who made it",
            Self::NoSuchFile(_) => "report this as a bug",
            Self::Io(_) => "choose the file again; it may have been moved",
        }
    }
}

/// Why an archive is refused as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A name that leads out of the folder it is unpacked into.
    #[error("{0:?} leads out of the folder that it is unpacked into")]
    Escapes(String),
    /// A name that no file can have.
    #[error("{0:?} cannot be a file's name")]
    Name(String),
    /// Two entries for one path, or a file where a folder must be.
    #[error("{0:?} is there twice, or is a file and a folder at once")]
    Twice(String),
    /// Entries whose bytes are the same bytes: a small archive would become a large one.
    #[error("{0:?} shares its bytes with another entry")]
    Overlaps(String),
    /// More entries than allowed.
    #[error("it has {count} entries and at most {limit} are taken")]
    Entries {
        /// How many.
        count: u64,
        /// How many are taken.
        limit: u64,
    },
    /// A file that is larger than allowed.
    #[error("{path:?} has {bytes} bytes and a file may have {limit}")]
    FileSize {
        /// Which.
        path: String,
        /// Its size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// More bytes together than allowed.
    #[error("its files have {bytes} bytes together and there is room for {limit}")]
    TotalSize {
        /// Their size.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The list of entries ends early or late.
    #[error("its list has {listed} entries and says it has {said}")]
    Count {
        /// How many are listed.
        listed: u64,
        /// How many it says.
        said: u64,
    },
}

/// An entry that is left out while the rest is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

/// Why an entry is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkipReason {
    /// Nobody misses it.
    #[error("it is what macOS keeps beside files")]
    MacMetadata,
    /// A symbolic link.
    #[error("it is a link, and the workspace has none")]
    Link,
    /// Its bytes are encrypted.
    #[error("it is encrypted: unpack it with its password first")]
    Encrypted,
    /// Neither stored nor deflated.
    #[error("it is packed in a way that only few tools know: pack it with deflate")]
    Packing,
}

impl SkipReason {
    /// A name for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::MacMetadata => "mac-metadata",
            Self::Link => "link",
            Self::Encrypted => "encrypted",
            Self::Packing => "packing",
        }
    }
}
