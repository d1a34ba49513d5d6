//! A fingerprint of files, so that a second run does nothing twice and a build can be told from another.

use std::fs;
use std::path::{Path, PathBuf};

use crate::run::{Failure, Outcome};

/// FNV-1a, 64 bits. It guards against doing work again, not against an enemy.
#[derive(Clone, Debug)]
pub struct Stamp(u64);

impl Default for Stamp {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Stamp {
    /// Takes bytes in, with their length so that two pieces cannot pass for one.
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Takes a file in, or everything under a folder: names and contents. What is not there counts as not there.
    pub fn add_path(&mut self, path: &Path) -> Outcome {
        for file in files_under(path)? {
            self.add(file.to_string_lossy().as_bytes());
            self.add(&fs::read(&file).map_err(|error| Failure::io(&file, &error))?);
        }
        Ok(())
    }

    /// Sixteen hex digits.
    pub fn hex(&self) -> String {
        format!("{:016x}", self.0)
    }
}

/// The files at or under a path, sorted; none where nothing is.
pub fn files_under(path: &Path) -> Outcome<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let mut children = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| Failure::io(path, &error))? {
        children.push(entry.map_err(|error| Failure::io(path, &error))?.path());
    }
    children.sort();
    let mut files = Vec::new();
    for child in children {
        files.extend(files_under(&child)?);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::Stamp;

    #[test]
    fn pieces_do_not_run_together() {
        let of = |pieces: &[&str]| {
            let mut stamp = Stamp::default();
            pieces.iter().for_each(|piece| stamp.add(piece.as_bytes()));
            stamp.hex()
        };
        assert_eq!(of(&["ab", "c"]), of(&["ab", "c"]));
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
        assert_ne!(of(&["ab", "c"]), of(&["ab", "c", ""]));
    }
}
