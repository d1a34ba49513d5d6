//! [`Loss`]: what a reader is told of a session whose file has lost something.

use std::fmt;

/// How much of a session's file could not be read or was not there. Its words end without a full stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Lines that could not be read.
    pub n_bad_lines: usize,
    /// Entries that name one before them that is not in the file.
    pub n_mended: usize,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.n_bad_lines {
            0 => {}
            1 => f.write_str("1 line of the session could not be read")?,
            n => write!(f, "{n} lines of the session could not be read")?,
        }
        if self.n_bad_lines > 0 && self.n_mended > 0 {
            f.write_str("; ")?;
        }
        match self.n_mended {
            0 => Ok(()),
            1 => f.write_str("1 entry names one before it that is not in the file and was joined to the line above it"),
            n => {
                write!(f, "{n} entries name one before them that is not in the file and were joined to the line above")
            }
        }
    }
}
