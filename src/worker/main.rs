//! The worker.

/// There is no worker without a browser; this lets the workspace build natively.
fn main() {}
