//! The header of a journal and the head of a record, to bytes and back.

use crate::checksum;
use crate::journal::{MAGIC, N_HEADER, Place, RecordKind, VERSION};

/// What a record begins with.
pub(super) const SYNC: [u8; 4] = [0xf5, b'V', b'J', b'\n'];
/// The bytes of a head.
pub(super) const N_HEAD: usize = 44;

/// What stands before a record's path and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) kind: RecordKind,
    pub(super) place: Place,
    pub(super) n_path: u16,
    pub(super) n_data: u64,
    pub(super) snapshot: u64,
    pub(super) modified_ms: u64,
    pub(super) path_checksum: u32,
    pub(super) data_checksum: u32,
}

impl Head {
    pub(super) fn to_bytes(self, salt: u64, at: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(N_HEAD);
        bytes.extend(SYNC);
        bytes.extend([self.kind as u8, self.place as u8]);
        bytes.extend(self.n_path.to_le_bytes());
        for number in [self.n_data, self.snapshot, self.modified_ms] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.path_checksum.to_le_bytes());
        bytes.extend(self.data_checksum.to_le_bytes());
        bytes.extend(head_checksum(salt, at, &bytes).to_le_bytes());
        bytes
    }

    /// `None` if nobody wrote it, or not here.
    pub(super) fn from_bytes(bytes: &[u8], salt: u64, at: u64) -> Option<Self> {
        let (checked, _) = bytes.split_at_checked(N_HEAD - 4)?;
        let mut fields = Fields(bytes);
        if fields.take::<4>()? != SYNC {
            return None;
        }
        let [kind, place] = fields.take()?;
        let head = Self {
            kind: RecordKind::from_byte(kind)?,
            place: Place::from_byte(place)?,
            n_path: u16::from_le_bytes(fields.take()?),
            n_data: fields.u64()?,
            snapshot: fields.u64()?,
            modified_ms: fields.u64()?,
            path_checksum: fields.u32()?,
            data_checksum: fields.u32()?,
        };
        (fields.u32()? == head_checksum(salt, at, checked)).then_some(head)
    }

    /// Where the record ends that begins at `at`.
    pub(super) fn end(&self, at: u64) -> Option<u64> {
        at.checked_add(N_HEAD as u64 + u64::from(self.n_path))?.checked_add(self.n_data)
    }
}

fn head_checksum(salt: u64, at: u64, bytes: &[u8]) -> u32 {
    checksum::of(&[&salt.to_le_bytes(), &at.to_le_bytes(), bytes])
}

/// One header; a journal has it twice.
pub(super) fn header(salt: u64) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(checksum::of(&[&bytes]).to_le_bytes());
    bytes.extend(salt.to_le_bytes());
    bytes.extend(checksum::of(&[&bytes]).to_le_bytes());
    bytes
}

/// What a header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    /// This version, with its salt.
    Present(u64),
    /// The first version.
    First,
    /// A later one.
    Newer(u32),
}

/// `None` if it is none.
pub(super) fn read_header(bytes: &[u8]) -> Option<Header> {
    let mut fields = Fields(bytes);
    if fields.take::<8>()? != *MAGIC {
        return None;
    }
    let version = fields.u32()?;
    if fields.u32()? != checksum::of(&[bytes.get(..12)?]) {
        return None;
    }
    match version {
        1 => Some(Header::First),
        VERSION => {
            let salt = fields.u64()?;
            (fields.u32()? == checksum::of(&[bytes.get(..N_HEADER - 4)?])).then_some(Header::Present(salt))
        }
        newer if newer > VERSION => Some(Header::Newer(newer)),
        _ => None,
    }
}

/// Takes numbers from the front.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl Fields<'_> {
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}
