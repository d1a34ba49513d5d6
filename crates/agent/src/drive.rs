//! [`drive`]: joins a run to its host.

use crate::host::Host;
use crate::run::Run;

/// Runs to the end.
pub async fn drive(run: &mut Run, host: &mut impl Host) {
    let _ = (run, host);
}
